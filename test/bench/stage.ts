import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Child, startChild } from '../../dev/embedded/child.ts';
import { freePort } from '../../dev/embedded/ports.ts';
import { startPostgres } from '../../dev/embedded/postgres.ts';
import { loginUrls } from '../../dev/embedded/postgres-logins.ts';
import { startTemporal } from '../../dev/embedded/temporal.ts';
import { audit } from '../../ops/audit/audit.ts';
import { Fatura } from '../../sdk/src/index.ts';
import { createAccount, setLimits } from '../../server/accounts/service.ts';
import { openDatabase } from '../../server/db/database.ts';
import { migrate } from '../../server/db/migrate.ts';
import { entities } from '../../server/entities.ts';
import { unreachedLimits } from '../support/limits.ts';
import { unitSettings } from '../support/unit-settings.ts';
import { type Profile, profileSettings, watchPostgres } from './profile.ts';
import type { Teardown } from './teardown.ts';
import { reportsInto } from './usage.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const READY_WAIT_MS = 60_000;
const READY_POLL_MS = 50;
const DRAIN_MS = 40_000;

interface StartedWorker {
  /** Of its Temporal server. */
  readonly address: string;
  readonly worker: number;
  readonly temporal: number;
}

interface MoreOfWorker {
  /** The program; absent: that of the service. */
  readonly file?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Whose Temporal server it shares. */
  readonly beside?: StartedWorker;
}

/** The real parts of the service, on a database and in a folder of their own. */
export interface Stage {
  readonly folder: string;
  readonly pool: pg.Pool;
  readonly databaseUrl: string;
  readonly port: number;
  readonly accountId: string;
  readonly apiKey: string;
  readonly fatura: Fatura;
  /** What its processes seal with. */
  readonly keys: readonly Uint8Array[];
  /** Whose CPU time a measured window tells. */
  readonly pids: { readonly api: number; readonly postgres: number };
  /** Starts another API process with settings of its own. */
  startApi(settings: Readonly<Record<string, string>>): Promise<{ readonly port: number; readonly pid: number }>;
  /** Starts a worker process, with a Temporal server for it unless there is one; resolves to the process ids of both. */
  startWorker(more?: MoreOfWorker): Promise<StartedWorker>;
  /** An empty database of the same schema on the same server. */
  createSibling(name: string): Promise<{ url: string; pool: pg.Pool }>;
  /** Throws when an invariant of the database does not hold. */
  proveInvariants(): Promise<void>;
}

/** A PostgreSQL with its durable defaults, an account with limits out of reach, and the API as its own process. */
export async function setStage(
  teardown: Teardown,
  {
    profile,
    postgresSettings,
    serviceSettings,
  }: {
    profile: Profile | null;
    postgresSettings: Readonly<Record<string, string>>;
    serviceSettings: Readonly<Record<string, string>>;
  },
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'fatura-bench-'));
  teardown.add(async () => rmSync(folder, { recursive: true, force: true }));
  const postgres = await teardown.own(
    startPostgres({
      dir: join(folder, 'postgres'),
      settings: { ...postgresSettings, ...profileSettings(profile) },
    }),
  );
  const database = await openMigrated(teardown, postgres.url);
  const account = await createAccount(database, { name: 'Loja da Medida', email: 'dono@loja.test' });
  await setLimits(database, account.id, unreachedLimits);
  const port = await freePort();
  const key = randomBytes(32);
  const urls = loginUrls(postgres.url);
  const env = { ...serviceEnvironment({ databaseUrl: urls.api, port, key }), ...serviceSettings };
  const startApi = async (name: string, env: Record<string, string>): Promise<Child> => {
    const child = await teardown.own(startProgram({ folder, name, file: 'server/main.ts', env, profile }));
    await untilHealthy({ url: `http://127.0.0.1:${env.PORT}/healthz`, child });
    return child;
  };
  const api = await startApi('api', env);
  if (profile !== null) teardown.add(await watchPostgres(profile, database.pool));
  return {
    folder,
    pool: database.pool,
    databaseUrl: postgres.url,
    port,
    accountId: account.id,
    apiKey: account.sandbox_key,
    fatura: new Fatura({ apiKey: account.sandbox_key, baseUrl: `http://127.0.0.1:${port}`, retries: 0 }),
    keys: [key],
    pids: { api: api.pid, postgres: postgres.pid },
    startApi: async (settings) => {
      const own = await freePort();
      const { pid } = await startApi(`api-${own}`, { ...env, ...settings, PORT: String(own) });
      return { port: own, pid };
    },
    startWorker: ({ settings = {}, beside, file = 'workflows/main.ts' } = {}) =>
      startWorker(teardown, { folder, env: { ...env, DATABASE_URL: urls.worker, ...settings }, profile, file }, beside),
    createSibling: (name) => createSibling(teardown, { pool: database.pool, url: postgres.url, name }),
    proveInvariants: () => proveInvariants(database.pool),
  };
}

async function openMigrated(teardown: Teardown, url: string) {
  const migrator = await openDatabase(loginUrls(url).migrator, { entities, size: 2 });
  await migrate(migrator);
  await migrator.close();
  const database = await openDatabase(url, { entities, size: 4 });
  teardown.add(() => database.close());
  return database;
}

async function createSibling(teardown: Teardown, { pool, url, name }: { pool: pg.Pool; url: string; name: string }) {
  await pool.query(`CREATE DATABASE ${name} OWNER migrator`);
  const sibling = new URL(url);
  sibling.pathname = `/${name}`;
  const database = await openMigrated(teardown, sibling.href);
  return { url: sibling.href, pool: database.pool };
}

function serviceEnvironment({
  databaseUrl,
  port,
  key,
}: {
  databaseUrl: string;
  port: number;
  key: Buffer;
}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return {
    PATH,
    HOME,
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEY: key.toString('base64'),
    PORT: String(port),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    // Buyers and neighbours come from many addresses.
    TRUST_PROXY: '1',
    LOG_LEVEL: 'warn',
    ...unitSettings('api'),
  };
}

interface Program {
  readonly folder: string;
  readonly name: string;
  readonly file: string;
  readonly env: Record<string, string>;
  readonly profile: Profile | null;
}

function startProgram({ folder, name, file, env, profile }: Program): Promise<Child> {
  const profiled =
    profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile.folder}`, `--cpu-prof-name=${name}.cpuprofile`];
  return startChild({
    command: [process.execPath, ...profiled, ...reportsInto(folder), file],
    env,
    cwd: REPOSITORY,
    logFile: join(folder, `${name}.log`),
    graceMs: DRAIN_MS,
  });
}

async function startWorker(
  teardown: Teardown,
  base: Pick<Program, 'folder' | 'env' | 'profile' | 'file'>,
  beside?: StartedWorker,
): Promise<StartedWorker> {
  const start = (address: string) =>
    teardown.own(
      startProgram({
        ...base,
        name: beside === undefined ? 'worker' : `worker-beside-${randomBytes(3).toString('hex')}`,
        env: { ...base.env, TEMPORAL_ADDRESS: address },
      }),
    );
  if (beside !== undefined) return { ...beside, worker: (await start(beside.address)).pid };
  const temporal = await teardown.own(
    startTemporal({
      dir: join(base.folder, 'temporal'),
      uiPort: null,
      namespace: 'default',
      env: process.env,
    }),
  );
  const worker = await start(temporal.address);
  return { worker: worker.pid, temporal: temporal.pid, address: temporal.address };
}

async function untilHealthy({ url, child }: { url: string; child: Child }): Promise<void> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < READY_WAIT_MS && !child.hasExited()) {
    const isHealthy = await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isHealthy) return;
    await sleep(READY_POLL_MS);
  }
  throw new Error(`${url} does not answer; the log ends with:\n${child.log().split('\n').slice(-20).join('\n')}`);
}

async function proveInvariants(pool: pg.Pool): Promise<void> {
  const findings = await audit(pool, { now: Math.floor(Date.now() / 1_000) });
  if (findings.length > 0) throw new Error(`the audit found:\n${findings.slice(0, 20).join('\n')}`);
}
