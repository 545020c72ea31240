import { readRunningInstance } from '../../dev/embedded/data-dir.ts';
import { type Config, parseConfig } from '../../server/config.ts';
import { ConfigError } from '../../server/config-misfits.ts';
import { openDatabase } from '../../server/db/database.ts';
import { entities } from '../../server/entities.ts';
import { reasonOf } from '../../server/exit-saying.ts';
import { databaseChecks } from './database.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';
import { surroundingChecks } from './surroundings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Nothing of a database can be looked at. */
const noDatabase = (message: string, remedy: string): Diagnosis[] =>
  databaseChecks.map(({ name: check }) => ({ check, ok: false, message, remedy }));

/** The database of the settings, or of the instance that runs on embedded defaults. */
async function examineDatabase(config: Config): Promise<Diagnosis[]> {
  const url = config.databaseUrl?.reveal() ?? readRunningInstance(config.dataDir)?.databaseUrl;
  if (url === undefined) return noDatabase('no instance runs here', 'run `npm start`, or set DATABASE_URL');
  try {
    const database = await openDatabase(url, { entities, size: 2, isReadOnly: true, reachesEverybody: true });
    const examined = { pool: database.pool, config };
    const found = await Promise.all(databaseChecks.map((check) => diagnose(check, examined)));
    await database.close();
    return found;
  } catch (error) {
    return noDatabase(reasonOf(error), 'see that PostgreSQL runs and DATABASE_URL leads to it');
  }
}

/** Looks at everything that an installation needs, each once; settings that are wrong end it. */
export async function examine(env: Environment): Promise<Diagnosis[]> {
  let config: Config;
  try {
    config = parseConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [{ check: 'settings', ok: false, message: error.message, remedy: 'correct the settings that it names' }];
  }
  const settings: Diagnosis = { check: 'settings', ok: true, message: 'every setting can be read', remedy: null };
  const [database, surroundings] = await Promise.all([
    examineDatabase(config),
    Promise.all(surroundingChecks.map((check) => diagnose(check, config))),
  ]);
  return [settings, ...database, ...surroundings];
}
