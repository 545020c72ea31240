import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../dev/embedded/postgres.ts';
import { loginUrls } from '../../dev/embedded/postgres-logins.ts';
import { startTemporal } from '../../dev/embedded/temporal.ts';
import { runNode } from '../../dev/setup/install.mjs';
import { isBuilt } from '../../scripts/built.mjs';
import { openDatabase } from '../../server/db/database.ts';
import { migrate } from '../../server/db/migrate.ts';
import { entities } from '../../server/entities.ts';
import { lackOfPgbouncer, startPgbouncer } from './pgbouncer.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server's maintenance database; each test file makes a database of its own from the template. */
    postgresUrl: string;
    temporalAddress: string;
    /** Files that the test files of a run share. */
    runFolder: string;
    /** Where the API reaches PostgreSQL by a pooler of transactions; null: it does so directly. */
    poolerPort: number | null;
  }
}

/** What another run lends this one: its PostgreSQL, and a template there with changes of its own. */
const {
  TEST_POSTGRES_URL: lentPostgresUrl,
  TEST_TEMPLATE: lentTemplate,
  TEST_POOLER_PORT: lentPoolerPort,
  TEST_PGBOUNCER: throughPgbouncer,
} = process.env;

export const TEMPLATE = lentTemplate ?? 'fatura_template';

/** Durability costs time and proves nothing here; the crash tests start a PostgreSQL of their own. */
const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' };

/** Starts the real PostgreSQL and Temporal that all test files share, and makes the database template. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // A run of single files comes without the set-up of `npm test`.
  if (!isBuilt('.')) await runNode('.', 'scripts/build.ts');
  if (lentPostgresUrl !== undefined) {
    project.provide('postgresUrl', lentPostgresUrl);
    project.provide('poolerPort', lentPoolerPort === undefined ? null : Number(lentPoolerPort));
    return async () => {};
  }
  const folder = mkdtempSync(join(tmpdir(), 'fatura-test-'));
  const postgres = await startPostgres({ dir: join(folder, 'postgres'), settings: FAST });
  const temporal = await startTemporal({
    dir: join(folder, 'temporal'),
    uiPort: null,
    namespace: 'default',
    env: process.env,
  });
  const template = new URL(postgres.url);
  template.pathname = `/${TEMPLATE}`;
  const maintenance = await openDatabase(postgres.url, { entities, size: 1 });
  await maintenance.pool.query(`CREATE DATABASE ${TEMPLATE} OWNER migrator`);
  await maintenance.close();
  const database = await openDatabase(loginUrls(template.href).migrator, { entities, size: 2 });
  await migrate(database);
  await database.close();
  project.provide('postgresUrl', postgres.url);
  project.provide('temporalAddress', temporal.address);
  project.provide('runFolder', folder);
  const pooler = throughPgbouncer === '1' ? await poolerBefore(postgres.url) : null;
  project.provide('poolerPort', pooler?.port ?? null);
  return async () => {
    await pooler?.stop();
    await temporal.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

function poolerBefore(postgresUrl: string): ReturnType<typeof startPgbouncer> {
  const lack = lackOfPgbouncer();
  if (lack !== null) throw new Error(lack);
  return startPgbouncer(postgresUrl);
}
