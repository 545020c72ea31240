import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readIfThere, writePrivately } from './files.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { describeProcess, isPidTaken, stopForeignProcess } from './processes.ts';

const run = promisify(execFile);
const DRAFT_PREFIX = 'postgres.initdb-';
const SHUTDOWN_MS = 60_000;

/** First a fast shutdown; then one that leaves recovery to the next start. */
export const POSTGRES_STOP_LADDER = [
  { signal: 'SIGINT', waitMs: SHUTDOWN_MS },
  { signal: 'SIGQUIT', waitMs: 10_000 },
  { signal: 'SIGKILL', waitMs: 10_000 },
] as const;

export const POSTGRES_USER = 'fatura';

export type Cluster = { path: string; password: string };

/** Finds the cluster of `folder` or makes one. It gets its name only when it is whole. */
export async function ensureCluster(folder: string, binaries: PostgresBinaries): Promise<Cluster> {
  const path = join(folder, 'postgres');
  dropUnfinished(folder);
  const exists = existsSync(path);
  if (exists && !existsSync(join(path, 'PG_VERSION'))) {
    throw new Error(`${path} is not a PostgreSQL data directory. Move it away, or set DATA_DIR to another folder.`);
  }
  const password = keepPassword(join(folder, 'postgres.password'), exists);
  if (!exists) await createCluster({ folder, path, password, binaries });
  await giveTo(path, binaries.owner);
  return { path, password };
}

function keepPassword(file: string, clusterExists: boolean): string {
  const kept = readIfThere(file)?.trim();
  if (kept) return kept;
  if (clusterExists) throw new Error(`${file} is missing, and the database beside it needs it. Put the file back.`);
  const password = randomBytes(24).toString('hex');
  writePrivately(file, password);
  return password;
}

type NewCluster = { folder: string; path: string; password: string; binaries: PostgresBinaries };

async function createCluster({ folder, path, password, binaries }: NewCluster): Promise<void> {
  const draft = join(folder, `${DRAFT_PREFIX}${randomBytes(4).toString('hex')}`);
  const passwordFile = `${draft}.password`;
  mkdirSync(draft, { mode: 0o700 });
  writePrivately(passwordFile, password);
  if (binaries.owner) {
    for (const file of [draft, passwordFile]) chownSync(file, binaries.owner.uid, binaries.owner.gid);
  }
  const [command = binaries.initdb, ...args] = [
    ...binaries.prefix,
    binaries.initdb,
    `--pgdata=${draft}`,
    `--username=${POSTGRES_USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Sorting must not depend on the machine's languages, or indexes break when they change.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ];
  await run(command, args, { ...binaries.user, env: {} });
  rmSync(passwordFile);
  renameSync(draft, path);
}

/** What an interrupted initdb left. Its process may still be writing there, which harms nobody. */
function dropUnfinished(folder: string): void {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(DRAFT_PREFIX))) {
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch {} // the next start tries again
  }
}

/** After a start as another user, or a copy made by root, PostgreSQL would refuse its own files. */
async function giveTo(path: string, owner: PostgresBinaries['owner']): Promise<void> {
  if (!owner || statSync(path).uid === owner.uid) return;
  await run('chown', ['-R', `${owner.uid}:${owner.gid}`, path]);
}

/**
 * The caller holds the folder's lock, so a server on this cluster is one that a killed start left behind.
 * A postmaster.pid whose number now belongs to another program would stop PostgreSQL for good, so it goes;
 * left-over backends are still found by PostgreSQL through its shared memory.
 */
export async function stopLeftoverServer(clusterPath: string, report: (line: string) => void): Promise<void> {
  const pidFile = join(clusterPath, 'postmaster.pid');
  const pid = Number(readIfThere(pidFile)?.split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  const command = describeProcess(pid)?.command ?? '';
  if (command.includes('postgres') && command.includes(`-D ${clusterPath} `)) {
    report(`Stopping PostgreSQL (process ${pid}), left running by a former start.`);
    await stopForeignProcess(pid, [...POSTGRES_STOP_LADDER]);
  } else if (isPidTaken(pid)) {
    rmSync(pidFile, { force: true });
  }
}

/** Line 1 of postmaster.pid is the server's process, line 8 its state: asking the port might reach another server. */
export function saysReady({ path }: Cluster, pid: number): boolean {
  const lines = readIfThere(join(path, 'postmaster.pid'))?.split('\n') ?? [];
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}
