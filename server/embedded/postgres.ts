import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Child, startChild } from './child.ts';
import { logTail, makeFolder, readIfThere } from './files.ts';
import { type FolderLock, lockFolder } from './lock.ts';
import { withPort } from './ports.ts';
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import {
  type Cluster,
  ensureCluster,
  POSTGRES_STOP_LADDER,
  POSTGRES_USER,
  saysReady,
  stopLeftoverServer,
} from './postgres-cluster.ts';

const PREFERRED_PORT = 5433;
const DATABASE = 'fatura';
const READY_POLL_MS = 20;
const READY_WAIT_MS = 10 * 60_000; // crash recovery replays up to max_wal_size
const START_TRIES = 30;
const START_RETRY_MS = 500;
const LINE_EVERY_MS = 10_000;

const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  max_wal_size: '2GB',
  random_page_cost: '1.1',
  jit: 'off',
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A violated constraint's DETAIL would put customers' data into the log.
  log_error_verbosity: 'terse',
};

export type PostgresOptions = {
  /** The folder that holds the cluster, its password, port and log. One server at a time. */
  dir: string;
  /** Default: the one of the last start, else the first free one from 5433. */
  port?: number;
  /** Over the defaults. Durability is lowered in tests only. */
  settings?: Record<string, string>;
  report?: (line: string) => void;
  /** For tests: a run that is killed takes its server along. */
  stopsWithUs?: boolean;
};

export type RunningPostgres = Omit<Child, 'hasExited'> & { url: string; port: number };

/** Starts the PostgreSQL of `dir`, whatever state the last start left it in. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const folder = resolve(options.dir);
  makeFolder(folder);
  const lock = lockFolder({ folder, purpose: 'postgres' });
  try {
    return await startLocked({ ...options, dir: folder }, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startLocked(options: PostgresOptions, lock: FolderLock): Promise<RunningPostgres> {
  const report = options.report ?? (() => {});
  const binaries = await findPostgresBinaries(options.dir);
  await stopLeftoverServer(join(options.dir, 'postgres'), report);
  const cluster = await ensureCluster(options.dir, binaries);
  const attempt = (port: number) => tryStart({ options, binaries, cluster, port, report });
  const portFile = join(options.dir, 'postgres.port');
  for (let tries = 1; ; tries += 1) {
    const outcome =
      options.port === undefined
        ? await withPort({ file: portFile, preferred: PREFERRED_PORT }, attempt)
        : await attempt(options.port);
    if ('server' in outcome) return { ...outcome.server, ...releaseAtEnd(outcome.server, lock) };
    if (!isPassing(outcome.log) || tries === START_TRIES) {
      throw new Error(`PostgreSQL does not start:\n${outcome.log}`);
    }
    await sleep(START_RETRY_MS);
  }
}

function releaseAtEnd(server: RunningPostgres, lock: FolderLock): Pick<RunningPostgres, 'exited'> {
  const exited = server.exited.then((how) => {
    lock.release();
    return how;
  });
  return { exited };
}

/** A port taken between the look and the start, or backends that have yet to notice a killed server. */
function isPassing(log: string): boolean {
  return /could not bind|shared memory block .* still in use|is another postmaster/.test(log);
}

type Attempt = {
  options: PostgresOptions;
  binaries: PostgresBinaries;
  cluster: Cluster;
  port: number;
  report: (line: string) => void;
};

async function tryStart(attempt: Attempt): Promise<{ server: RunningPostgres } | { log: string }> {
  const { options, binaries, cluster, port } = attempt;
  const logFile = join(options.dir, 'postgres.log');
  const before = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const settings = Object.entries({ ...SETTINGS, ...options.settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const [command = binaries.postgres, ...args] = [
    ...binaries.prefix,
    binaries.postgres,
    '-D',
    cluster.path,
    '-p',
    String(port),
    ...settings,
  ];
  const child = await startChild({
    command,
    args,
    env: {},
    logFile,
    recordFile: null, // postmaster.pid is the record
    ...(binaries.user ? { user: binaries.user } : {}),
    stopLadder: [...POSTGRES_STOP_LADDER],
    forceSignal: 'SIGQUIT',
    stopsWithUs: options.stopsWithUs ?? false,
  });
  try {
    if (await becomesReady({ child, cluster, report: attempt.report })) {
      const url = (database: string) => `postgres://${POSTGRES_USER}:${cluster.password}@127.0.0.1:${port}/${database}`;
      await createDatabaseIfMissing(url('postgres'));
      return { server: { ...child, url: url(DATABASE), port } };
    }
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { log: (readIfThere(logFile) ?? '').slice(before).trim() || logTail({ path: logFile, lines: 10 }) };
}

type Becoming = { child: Child; cluster: Cluster; report: (line: string) => void };

/** False when the server ended instead. */
async function becomesReady({ child, cluster, report }: Becoming): Promise<boolean> {
  const startedAt = performance.now();
  let nextLineMs = LINE_EVERY_MS;
  while (!child.hasExited()) {
    if (saysReady(cluster, child.pid)) return true;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > READY_WAIT_MS) throw new Error(`PostgreSQL was not ready after ${READY_WAIT_MS / 60_000} minutes.`);
    if (waitedMs > nextLineMs) {
      report(`PostgreSQL is still recovering (${Math.round(waitedMs / 1000)} s).`);
      nextLineMs += LINE_EVERY_MS;
    }
    await sleep(READY_POLL_MS);
  }
  return false;
}

async function createDatabaseIfMissing(serverUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  client.on('error', () => {}); // the query that meets it rejects too
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(DATABASE)}`);
  } finally {
    await client.end().catch(() => {});
  }
}
