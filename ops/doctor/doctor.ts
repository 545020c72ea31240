import { readRunningInstance } from '../../dev/embedded/data-dir.ts';
import { type Config, parseConfig } from '../../server/config.ts';
import { ConfigError } from '../../server/config-misfits.ts';
import { openPool } from '../../server/db/database.ts';
import { databaseAnswers, databaseChecks } from './database.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';
import { surroundingChecks } from './surroundings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Nothing of a database can be looked at. */
const noDatabase = (message: string, remedy: string): Diagnosis[] =>
  [databaseAnswers, ...databaseChecks].map(({ name: check }) => ({ check, ok: false, message, remedy }));

/** The database of the settings, or of the instance that runs on embedded defaults. */
async function examineDatabase(config: Config): Promise<Diagnosis[]> {
  const url = config.databaseUrl?.reveal() ?? readRunningInstance(config.dataDir)?.databaseUrl;
  if (url === undefined) return noDatabase('no instance runs here', 'run `npm start`, or set DATABASE_URL');
  const pool = openPool(url, { size: 2, isReadOnly: true, reachesEverybody: true });
  try {
    const examined = { pool, config };
    const answer = await diagnose(databaseAnswers, examined);
    if (!answer.ok) return noDatabase(answer.message, databaseAnswers.remedy);
    return [answer, ...(await Promise.all(databaseChecks.map((check) => diagnose(check, examined))))];
  } finally {
    await pool.end();
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
