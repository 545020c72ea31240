import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fatura } from '@fatura/sdk';
import { freePort } from '../../dev/embedded/ports.ts';
import { startPostgres } from '../../dev/embedded/postgres.ts';
import { type Login, loginUrls } from '../../dev/embedded/postgres-logins.ts';
import { startTemporal } from '../../dev/embedded/temporal.ts';
import { audit } from '../../ops/audit/audit.ts';
import { createAccount, setLimits } from '../../server/accounts/service.ts';
import { type Database, openDatabase } from '../../server/db/database.ts';
import { migrate } from '../../server/db/migrate.ts';
import { entities } from '../../server/entities.ts';
import { MODES } from '../../server/kernel/mode.ts';
import { realTime } from '../../server/kernel/time.ts';
import type { SecretBox } from '../../server/sealing/secret-box.ts';
import { queueOf } from '../../workflows/cases/queues.ts';
import { openClient } from '../../workflows/temporal.ts';
import { TASK_QUEUE } from '../../workflows/worker.ts';
import type { Merchant } from './api.ts';
import { findLeaks, leaksInHistories } from './leaks.ts';
import { unreachedLimits } from './limits.ts';
import { boxOf, textOf } from './secret-box.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const READY_WAIT_MS = 60_000;

/** One process of the service: killed without warning, started again with the same settings. */
export interface Program {
  /** Null: it does not run. */
  readonly pid: number | null;
  start(): Promise<void>;
  kill9(): Promise<void>;
  stop(): Promise<void>;
}

/** The whole service as real processes, each of which a test may kill. */
export interface Stack {
  readonly baseUrl: string;
  readonly sandboxKey: string;
  readonly fatura: Fatura;
  readonly api: Program;
  readonly worker: Program;
  /** Another worker beside it, of another installation if one is given, which the caller starts and stops. */
  newWorker(from?: Installed): Program;
  /** Another API beside it, likewise. */
  newApi(): Promise<Program & { readonly baseUrl: string }>;
  /** Whatever is started from now on has these as its `ENCRYPTION_KEYS`. */
  useKeys(keys: readonly Uint8Array[]): void;
  /** What a program is started with that logs in to the database so. */
  environment(login: Login): NodeJS.ProcessEnv;
  readonly postgres: Program;
  readonly temporal: Program;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  /** Opens what the programs sealed. */
  secretBox(): Promise<SecretBox>;
  /** The keys of the last start. */
  readonly keys: readonly Uint8Array[];
  /** Another account, with limits that no test reaches. */
  newMerchant(): Promise<Merchant>;
  /** Kills Temporal and starts one in its place that knows nothing. */
  wipeTemporal(): Promise<void>;
  /** Waits until `/readyz` answers as wanted. */
  untilReady(wanted?: { degraded?: string[] }): Promise<void>;
  /** Sentences of what is wrong; none when all is right. */
  audit(): Promise<string[]>;
  withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Where programs are started from, and by which command. */
export interface Installed {
  readonly folder: string;
  /** The program that runs them, with what goes before the name of a file. */
  readonly command: readonly [string, ...string[]];
}

function nodeProgram(
  { folder, command: [program, ...before] }: Installed,
  options: { args: string[]; env: () => NodeJS.ProcessEnv; logFile: string },
): Program {
  let child: ChildProcess | null = null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = child;
    child = null;
    if (ended === null || ended.exitCode !== null) return;
    const exited = once(ended, 'exit');
    ended.kill(signal);
    await exited;
  };
  return {
    get pid() {
      return child?.pid ?? null;
    },
    async start() {
      const log = openSync(options.logFile, 'a');
      child = spawn(program, [...before, ...options.args], {
        cwd: folder,
        env: options.env(),
        stdio: ['ignore', log, log],
      });
      await once(child, 'spawn');
    },
    kill9: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

type Service = { pid: number; exited: Promise<string>; stop(): Promise<void> };

/** PostgreSQL or Temporal: started again on the files it left. */
function serviceProgram(begin: () => Promise<Service>): Program {
  let running: Service | null = null;
  return {
    get pid() {
      return running?.pid ?? null;
    },
    async start() {
      running = await begin();
    },
    async kill9() {
      if (running === null) return;
      const killed = running;
      running = null;
      process.kill(killed.pid, 'SIGKILL');
      await killed.exited;
      // It releases what the handle holds of its folder.
      await killed.stop().catch(() => {});
    },
    async stop() {
      const stopped = running;
      running = null;
      await stopped?.stop();
    },
  };
}

const HERE: Installed = { folder: REPOSITORY, command: [process.execPath] };

/** Starts everything on files of its own; PostgreSQL with its full durability. */
export async function startStack({
  installed = HERE,
  settings = {},
}: {
  installed?: Installed;
  /** Of its programs, over those that every stack has. */
  settings?: Readonly<Record<string, string>>;
} = {}): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'fatura-stack-'));
  // Of the usual ports another stack's server would take one over while ours is killed, and our worker would serve it.
  const ports = { postgres: await freePort(), temporal: await freePort(), api: await freePort() };
  let databaseUrl = '';
  let temporalAddress = '';
  const postgres = serviceProgram(async () => {
    const started = await startPostgres({ dir: join(folder, 'postgres'), port: ports.postgres });
    databaseUrl = started.url;
    return started;
  });
  const temporal = serviceProgram(async () => {
    const started = await startTemporal({
      dir: join(folder, 'temporal'),
      port: ports.temporal,
      uiPort: null,
      namespace: 'default',
      env: process.env,
    });
    temporalAddress = started.address;
    return started;
  });
  await postgres.start();
  await temporal.start();
  const baseUrl = `http://127.0.0.1:${ports.api}`;
  let keys: readonly Uint8Array[] = [randomBytes(32)];
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: 'production',
    PORT: String(ports.api),
    PUBLIC_URL: baseUrl,
    DATA_DIR: folder,
    TEMPORAL_ADDRESS: temporalAddress,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    LOG_LEVEL: 'warn',
    ...settings,
  };
  const withDatabase = async <T>(work: (database: Database) => Promise<T>, url = databaseUrl): Promise<T> => {
    const database = await openDatabase(url, { entities, size: 4 });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };
  // A merchant's client waits through an outage; this one has to last through a restart.
  const clientOf = (apiKey: string) => new Fatura({ apiKey, baseUrl, retries: 8 });
  const newMerchant = (): Promise<Merchant> =>
    withDatabase(async (database) => {
      const { id, ...keys } = await createAccount(database, { name: 'Loja', email: 'dono@loja.test' });
      await setLimits(database, id, unreachedLimits);
      const { sandbox_key: sandboxKey, live_key: liveKey } = keys;
      return { accountId: id, sandboxKey, liveKey, fatura: clientOf(sandboxKey), live: clientOf(liveKey) };
    });
  const urls = loginUrls(databaseUrl);
  await withDatabase(migrate, urls.migrator);
  const account = await newMerchant();
  const environment = (login: Login) => ({ ...env, DATABASE_URL: urls[login], ENCRYPTION_KEYS: textOf(keys) });
  const apiAt = (port: number) =>
    nodeProgram(installed, {
      args: ['server/main.ts'],
      env: () => ({ ...environment('api'), PORT: String(port) }),
      logFile: join(folder, 'api.log'),
    });
  const api = apiAt(ports.api);
  const newWorker = (from = installed) =>
    nodeProgram(from, {
      args: ['workflows/main.ts'],
      env: () => environment('worker'),
      logFile: join(folder, 'worker.log'),
    });
  const worker = newWorker();
  await Promise.all([api.start(), worker.start()]);
  const stack: Stack = {
    baseUrl,
    sandboxKey: account.sandboxKey,
    fatura: account.fatura,
    api,
    worker,
    newWorker,
    async newApi() {
      const port = await freePort();
      return Object.assign(apiAt(port), { baseUrl: `http://127.0.0.1:${port}` });
    },
    useKeys: (changed) => {
      keys = changed;
    },
    environment,
    secretBox: () => withDatabase(({ pool }) => boxOf(pool, keys)),
    postgres,
    temporal,
    databaseUrl,
    temporalAddress,
    get keys() {
      return keys;
    },
    newMerchant,
    async wipeTemporal() {
      await temporal.kill9();
      rmSync(join(folder, 'temporal', 'temporal.complete'));
      await temporal.start();
    },
    untilReady: (wanted) => untilReady(baseUrl, wanted?.degraded ?? []),
    audit: () => withDatabase(({ pool }) => audit(pool, { now: realTime() })),
    withDatabase,
    async stop() {
      // A test may have left the API killed.
      const metrics = await fetch(`${baseUrl}/metrics`).then(
        (answer) => answer.text(),
        () => '',
      );
      await Promise.all([api.stop(), worker.stop()]);
      const leaks = await leaksOfStack(metrics);
      await temporal.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
      if (leaks.length > 0) throw new Error(`card data was kept:\n${leaks.join('\n')}`);
    },
  };
  const leaksOfStack = async (metrics: string): Promise<string[]> => {
    const log = ['api.log', 'worker.log'].map((file) => readFileSync(join(folder, file), 'utf8')).join('');
    const secretBox = await stack.secretBox();
    const kept = await withDatabase(({ pool }) => findLeaks({ pool, secretBox, log, metrics }));
    const to = { address: temporalAddress, namespace: 'default', apiKey: null, tls: null };
    const client = openClient(to, secretBox);
    const inHistories: string[] = [];
    for (const mode of MODES)
      inHistories.push(...(await leaksInHistories(client, `TaskQueue = "${queueOf(TASK_QUEUE, mode)}"`)));
    await client.connection.close();
    return [...kept, ...inHistories];
  };
  await stack.untilReady();
  return stack;
}

async function untilReady(baseUrl: string, degraded: string[]): Promise<void> {
  await until(`readyz with ${JSON.stringify(degraded)} degraded`, async () => {
    const response = await fetch(`${baseUrl}/readyz`).catch(() => null);
    if (response?.status !== 200) return false;
    const body = (await response.json()) as { degraded?: string[] };
    return JSON.stringify(body.degraded ?? []) === JSON.stringify(degraded);
  });
}

/** Waits until something holds; says what it waited for when it never does. */
export async function until(what: string, holds: () => Promise<boolean>, waitMs = READY_WAIT_MS): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${waitMs} ms in vain for: ${what}`);
    await sleep(100);
  }
}
