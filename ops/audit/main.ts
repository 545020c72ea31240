import { readRunningInstance } from '../../dev/embedded/data-dir.ts';
import { WrongSchema } from '../../server/db/schema-version.ts';
import { configOrExit, exitSaying, reasonOf } from '../../server/exit-saying.ts';
import { isDatabaseAway } from '../../server/http/error-handler.ts';
import { realTime } from '../../server/kernel/time.ts';
import { audit, checks, countRows, NotAllIsSeen } from './audit.ts';
import { openNear } from './near.ts';

/** The service may be at work while it is audited. */
const IN_FLIGHT_SECONDS = 120;

const config = configOrExit(process.env);
const url = config.databaseUrl?.reveal() ?? readRunningInstance(config.dataDir)?.auditUrl;
if (url === undefined) exitSaying('No instance is running here: run `npm start` first, or set DATABASE_URL.');
const pool = await openNear(url, config.databaseReadUrl?.reveal() ?? null);
try {
  const found = await audit(pool, { now: realTime(), inFlightSeconds: IN_FLIGHT_SECONDS });
  for (const sentence of found) console.log(sentence);
  const rows = await countRows(pool);
  const outcome = found.length === 0 ? 'all hold' : `${found.length} ${found.length === 1 ? 'finding' : 'findings'}`;
  console.log(`${checks.length} checks over ${rows} rows: ${outcome}`);
  process.exitCode = found.length === 0 ? 0 : 1;
} catch (error) {
  if (error instanceof NotAllIsSeen) exitSaying(error.message);
  if (error instanceof WrongSchema) exitSaying(`Nothing was audited. ${error.message}.`);
  if (!isDatabaseAway(error)) throw error;
  exitSaying(`The database does not answer: ${reasonOf(error)}`);
} finally {
  await pool.end();
}
