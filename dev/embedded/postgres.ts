import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Child } from './child.ts';
import { makeFolder, readIfThere } from './files.ts';
import { ensureCluster, POSTGRES_USER } from './postgres-cluster.ts';
import { setUpDatabase } from './postgres-logins.ts';
import { findPostgresPrograms } from './postgres-programs.ts';
import { startServer } from './server.ts';

const PREFERRED_PORT = 5433;
const DATABASE = 'fatura';
const READY_WAIT_MS = 10 * 60_000; // crash recovery replays up to max_wal_size
/** A fast shutdown, which rolls back running transactions; and an immediate one, after which the next start recovers. */
const STOPPING = { stopSignal: 'SIGINT', orphanSignal: 'SIGQUIT', graceMs: 60_000 } as const;

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
  /** The folder that holds the cluster, its password and log; the caller sees to it that only one is started there. */
  dir: string;
  /** Default: the first free one from 5433. */
  port?: number | undefined;
  /** Over the defaults. Durability is lowered in tests only. */
  settings?: Record<string, string>;
  report?: ((line: string) => void) | undefined;
};

/** `url` is the superuser's; `loginUrls` tells those of the programs. */
export type RunningPostgres = Child & { url: string; port: number };

/** Starts the PostgreSQL of `dir`, whatever state the last start left it in. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dir = resolve(options.dir);
  makeFolder(dir);
  const programs = await findPostgresPrograms(dir);
  const path = join(dir, 'postgres');
  // PostgreSQL would not start while the number in this file belongs to another program. Backends that outlived their
  // server are still found, through the shared memory.
  rmSync(join(path, 'postmaster.pid'), { force: true });
  const password = await ensureCluster(dir, programs);
  const settings = Object.entries({ ...SETTINGS, ...options.settings }).map(([name, value]) => `--${name}=${value}`);
  const server = await startServer({
    name: 'PostgreSQL',
    port: options.port,
    preferredPort: PREFERRED_PORT,
    onPort: (port) => ({
      command: [...programs.prefix, programs.postgres, '-D', path, '-p', String(port), ...settings],
      env: {},
      logFile: join(dir, 'postgres.log'),
      user: programs.user,
      ...STOPPING,
    }),
    isReady: /ready to accept connections/,
    // Backends may have yet to notice that their server was killed.
    isPassing: /could not bind|shared memory block .* still in use/,
    limitMs: READY_WAIT_MS,
    advice:
      `${path} is of PostgreSQL ${readIfThere(join(path, 'PG_VERSION'))?.trim()}. If this one is another, dump it with that ` +
      'version, or set DATA_DIR to another folder.',
    report: options.report,
  });
  const url = `postgres://${POSTGRES_USER}:${password}@127.0.0.1:${server.port}/`;
  try {
    await setUpDatabase(url, DATABASE);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { ...server, url: url + DATABASE };
}
