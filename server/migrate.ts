import { openDatabase } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import { SchemaBusy } from './db/schema-session.ts';
import { untilReady } from './db/until-ready.ts';
import { entities } from './entities.ts';
import { configOrExit, exitSaying, reasonOf } from './exit-saying.ts';
import { isDatabaseAway } from './http/error-handler.ts';
import { codeOf } from './kernel/errors.ts';

const INSUFFICIENT_PRIVILEGE = '42501';
const AGAIN = 'What was done stays; run it again.';

const { databaseUrl } = configOrExit(process.env);
if (databaseUrl === null) exitSaying('Set DATABASE_URL to the database to migrate; `npm start` migrates its own.');
const report = (line: string): void => console.error(line);
const database = await openDatabase(databaseUrl.reveal(), { entities, size: 2 });
try {
  await untilReady(
    () => migrate(database, { report }),
    (reason) => report(`PostgreSQL is not ready yet (${reason}); waiting for it, ten minutes at most.`),
  );
} catch (error) {
  if (error instanceof SchemaBusy) exitSaying(`The database cannot be migrated now: ${error.message}. ${AGAIN}`);
  if (codeOf(error) === INSUFFICIENT_PRIVILEGE) exitSaying(`The database cannot be migrated: ${reasonOf(error)}`);
  if (!isDatabaseAway(error)) throw error;
  exitSaying(`The database of DATABASE_URL does not answer: ${reasonOf(error)}`);
} finally {
  await database.close();
}
