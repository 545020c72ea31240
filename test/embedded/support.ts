import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { startPostgres } from '../../dev/embedded/postgres.ts';

const WAIT_MS = 25_000;
const COMPILE_CACHE = join(tmpdir(), 'node-compile-cache');

/** Safe to lose at the end of a test; what is tested here is not what the disk keeps. */
export const FAST_SETTINGS = { fsync: 'off', shared_buffers: '16MB' };

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fatura-embedded-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return folder;
}

let prepared: Promise<string> | null = null;

/** A folder with a PostgreSQL that holds one sale; initdb runs once for all of them. */
export async function folderWithOneSale(): Promise<string> {
  prepared ??= prepareFolder();
  const folder = temporaryFolder();
  execFileSync('cp', ['-a', `${await prepared}/.`, folder]);
  return folder;
}

async function prepareFolder(): Promise<string> {
  // It goes with the run: other files of this process take it as well.
  const folder = mkdtempSync(join(inject('runFolder'), 'prepared-'));
  const server = await startPostgres({ dir: folder, settings: FAST_SETTINGS });
  await query(server.url, 'CREATE TABLE sale (id int); INSERT INTO sale VALUES (1)');
  await server.stop();
  writeFileSync(join(folder, 'encryption.key'), randomBytes(32).toString('base64'), { mode: 0o600 });
  return folder;
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** What the processes of this machine were started as, by process id; one that has only to be collected is gone. */
export function commandLines(): Map<number, string> {
  const table = execFileSync('ps', ['-axww', '-o', 'pid=,stat=,command='], { encoding: 'utf8' });
  const rows = table.matchAll(/^ *(\d+) +([^Z]\S*) +(.*)$/gm);
  return new Map([...rows].map(([, pid, , line = '']) => [Number(pid), line]));
}

export const isRunning = (pid: number): boolean => commandLines().has(pid);

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const startedAt = performance.now(); performance.now() - startedAt < WAIT_MS; ) {
    if (await isTrue()) return;
    await sleep(25);
  }
  throw new Error('It did not become true in time.');
}

export type Program = {
  process: ChildProcess;
  output(): string;
  says(text: string): Promise<void>;
  ended(): Promise<number | null>;
};

/** Runs a file of `stand-ins/`; whatever the test does, it is gone afterwards. */
export function runStandIn(file: string, env: Record<string, string>, ...args: string[]): Program {
  const path = join(import.meta.dirname, 'stand-ins', file);
  const child = spawn(process.execPath, [path, ...args], {
    env: {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
  const exited = once(child, 'exit');
  const ended = async () => (await exited)[0];
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended();
  });
  const says = (wanted: string) => until(() => text.includes(wanted) || failEarly(child, text));
  return { process: child, output: () => text, says, ended };
}

function failEarly(child: ChildProcess, text: string): false {
  if (child.exitCode !== null || child.signalCode !== null) throw new Error(`It ended first, saying:\n${text}`);
  return false;
}
