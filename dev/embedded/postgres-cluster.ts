import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startChild } from './child.ts';
import { readIfThere, writePrivately } from './files.ts';
import type { PostgresPrograms } from './postgres-programs.ts';

const run = promisify(execFile);

export const POSTGRES_USER = 'fatura';

/** Finds the cluster of `folder` or makes one, which gets its name only when it is whole. Resolves to its password. */
export async function ensureCluster(folder: string, programs: PostgresPrograms): Promise<string> {
  const path = join(folder, 'postgres');
  const exists = existsSync(path);
  if (exists && !existsSync(join(path, 'PG_VERSION'))) {
    throw new Error(`${path} is not a PostgreSQL data directory. Move it away, or set DATA_DIR to another folder.`);
  }
  const password = keepPassword(join(folder, 'postgres.password'), exists);
  if (!exists) await createCluster({ folder, path, password, programs });
  const { owner } = programs;
  // After a start as another user, or a copy made by root, PostgreSQL would refuse its own files.
  if (owner && statSync(path).uid !== owner.uid) await run('chown', ['-R', `${owner.uid}:${owner.gid}`, path]);
  return password;
}

function keepPassword(file: string, clusterExists: boolean): string {
  const kept = readIfThere(file);
  if (kept) return kept.trim();
  if (clusterExists) throw new Error(`${file} is missing, and the database beside it needs it. Put the file back.`);
  const password = randomBytes(24).toString('hex');
  writePrivately(file, password);
  return password;
}

type NewCluster = { folder: string; path: string; password: string; programs: PostgresPrograms };

const DRAFT = 'postgres.initdb-';

async function createCluster({ folder, path, password, programs }: NewCluster): Promise<void> {
  // Of its own: what a killed start left may still be written to by its initdb.
  const draft = mkdtempSync(join(folder, DRAFT));
  const passwordFile = `${draft}.password`;
  writePrivately(passwordFile, password);
  if (programs.owner) {
    for (const file of [draft, passwordFile]) chownSync(file, programs.owner.uid, programs.owner.gid);
  }
  const options = [
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
  const command = [...programs.prefix, programs.initdb, ...options];
  const logFile = join(folder, 'initdb.log');
  const initdb = await startChild({ command, env: {}, logFile, user: programs.user, graceMs: 0 });
  const how = await initdb.exited;
  if (how !== 'exit code 0') throw new Error(`initdb failed (${how}):\n${initdb.log()}`);
  renameSync(draft, path);
  for (const left of readdirSync(folder).filter((name) => name.startsWith(DRAFT)))
    rmSync(join(folder, left), { recursive: true, force: true, maxRetries: 10 });
}
