import type pg from 'pg';
import { encryptionKeysOf } from '../../dev/embedded/data-dir.ts';
import type { Config } from '../../server/config.ts';
import { readHold } from '../../server/db/login.ts';
import { migrationsList } from '../../server/db/migrations/index.ts';
import { findMissingMonths } from '../../server/db/partitions.ts';
import { ALL_GROUPS } from '../../server/db/roles.ts';
import { run, statement } from '../../server/db/statement.ts';
import { remedyAt } from '../../server/kernel/alarms.ts';
import { machineTimeMs, SECOND_MS } from '../../server/kernel/time.ts';
import { ringAccess } from '../../server/open-ring.ts';
import { openReadingBox } from '../../server/sealing/key-check.ts';
import { openKeyRing } from '../../server/sealing/managed-ring.ts';
import { type Examination, fine, wrong } from './diagnosis.ts';

/** A database that answers, and the settings that lead to it. */
export interface Connected {
  readonly pool: pg.Pool;
  readonly config: Config;
}

const SKEW_MAX_MS = 2 * SECOND_MS;

const readServer = statement<{ version: string; nowMs: number }>(
  'doctor_read_server',
  `SELECT current_setting('server_version') AS version, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`,
);

const readMissingRoles = statement<{ role: string }>(
  'doctor_read_missing_roles',
  'SELECT g AS role FROM unnest(:groups::text[]) g WHERE NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = g)',
);

const readMigrations = statement<{ name: string; isWhole: boolean }>(
  'doctor_read_migrations',
  'SELECT m.name, m.steps_done IS NULL AS "isWhole" FROM migration m',
);

const MIGRATE = 'run `npm run migrate` of this version as the owner of the database';

export const databaseAnswers: Examination<Connected> = {
  name: 'database',
  remedy: 'see that PostgreSQL runs and DATABASE_URL leads to it: `psql "$DATABASE_URL"`',
  async look({ pool }) {
    const [server] = await run(pool, readServer, {});
    return fine(`PostgreSQL ${server?.version} answers`);
  },
};

/** What is looked at in a database that answers. */
export const databaseChecks: readonly Examination<Connected>[] = [
  {
    name: 'clock',
    remedy: 'have a time service (chrony, systemd-timesyncd) keep the clock of this machine and of the database',
    async look({ pool }) {
      const before = machineTimeMs();
      const [server] = await run(pool, readServer, {});
      const skewMs = (before + machineTimeMs()) / 2 - (server?.nowMs ?? 0);
      const told = `this machine is ${(Math.abs(skewMs) / SECOND_MS).toFixed(1)} s ${skewMs < 0 ? 'behind' : 'ahead of'} the database`;
      return Math.abs(skewMs) <= SKEW_MAX_MS ? fine(told) : wrong(told, this.remedy);
    },
  },
  {
    name: 'roles',
    remedy:
      'have an administrator of the server run `npm run migrate` once, or make them as docs/operations.md#database-logins says',
    async look({ pool }) {
      const missing = await run(pool, readMissingRoles, { groups: [...ALL_GROUPS] });
      if (missing.length > 0) return wrong(`there is no ${missing.map(({ role }) => role).join(', ')}`, this.remedy);
      return fine('the roles of the service exist');
    },
  },
  {
    name: 'login',
    remedy: 'give each process a login of its own in its role: docs/operations.md#database-logins',
    async look({ pool, config }) {
      const { name, unheld } = await readHold(pool);
      // What `npm start` runs is one person's.
      return unheld === null || config.databaseUrl === null ? fine(`logs in as ${name}`) : wrong(unheld, this.remedy);
    },
  },
  {
    name: 'schema',
    remedy: MIGRATE,
    async look({ pool }) {
      const made = new Map((await run(pool, readMigrations, {})).map(({ name, isWhole }) => [name, isWhole]));
      const missing = migrationsList.filter(({ name }) => made.get(name) !== true).map(({ name }) => name);
      if (missing.length > 0) return wrong(`not, or not wholly, there: ${missing.join(', ')}`, MIGRATE);
      const newer = [...made.keys()].filter((name) => !migrationsList.some((known) => known.name === name));
      if (newer.length > 0) return wrong(`made by a newer version: ${newer.join(', ')}`, 'run that version here, too');
      return fine(`at ${migrationsList.at(-1)?.name}`);
    },
  },
  {
    name: 'months',
    remedy: `run \`npm run migrate\`, and see that \`retention-run\` runs: ${remedyAt('months_missing')}`,
    async look({ pool }) {
      const missing = await findMissingMonths(pool);
      if (missing.length > 0) return wrong(`there is no ${missing.join(', ')}`, this.remedy);
      return fine('invoices and charges have their partitions, of the next month too');
    },
  },
  {
    name: 'encryption_key',
    remedy: 'set ENCRYPTION_KEYS to the keys that the database was sealed with: docs/operations.md#the-encryption-keys',
    async look({ pool, config }) {
      const keys = await openKeyRing(encryptionKeysOf(config).keys, ringAccess(pool, config), { makes: false });
      const { ring } = await openReadingBox(pool, keys);
      return fine(`the key ${ring.first.id} opens what is sealed`);
    },
  },
];
