import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { type Child, startChild, stopLeftover } from './child.ts';
import { logTail, makeFolder, writePrivately } from './files.ts';
import { isListening, withPort } from './ports.ts';
import { findTemporal } from './temporal/find.mjs';

const PREFERRED_PORT = 7233;
const READY_WAIT_MS = 90_000;
const READY_POLL_MS = 20;
const CONNECT_TIMEOUT_MS = 5_000;
const FRONTEND_SERVICE = 'temporal.api.workflowservice.v1.WorkflowService';
const SERVING = 1;

/** What operators search workflows by. Registered with a new namespace here; the worker adds what another lacks. */
export const SEARCH_ATTRIBUTES = {
  FaturaAccount: 'Keyword',
  FaturaObject: 'Keyword',
  FaturaStatus: 'Keyword',
  FaturaNextDue: 'Datetime',
} as const;

export type TemporalOptions = {
  dir: string;
  /** Null: no UI. */
  uiPort: number | null;
  namespace: string;
  /** Where to look for the program: PATH, XDG_CACHE_HOME. */
  env: Record<string, string | undefined>;
  report?: (line: string) => void;
  /** For tests: a run that is killed takes its server along. */
  stopsWithUs?: boolean;
};

export type RunningTemporal = Omit<Child, 'hasExited'> & { address: string };

/** Starts the local Temporal server of `dir`; the caller sees to it that only one is started there. */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const program = findTemporal(options.env);
  if (program === null) throw new Error('There is no Temporal server here yet: run `npm run setup`.');
  const folder = resolve(options.dir);
  makeFolder(folder);
  await stopLeftover(recordFileOf(folder), options.report ?? (() => {}));
  dropUnfinished(folder);
  closeToOthers(folder);
  const attempt = (port: number) => tryStart({ program, folder, port, options });
  return withPort({ file: join(folder, 'temporal.port'), preferred: PREFERRED_PORT }, attempt);
}

async function tryStart(server: Server): Promise<RunningTemporal> {
  const address = `127.0.0.1:${server.port}`;
  const child = await startServer(server);
  const client = await import('@temporalio/client'); // loads while the server starts
  try {
    await waitUntilReady({ ...server, address, child, client });
  } catch (error) {
    await child.stop();
    throw error;
  }
  writePrivately(completeMarkerOf(server.folder), `${address}\n`);
  return { ...child, address };
}

const recordFileOf = (folder: string) => join(folder, 'temporal.process');
const logFileOf = (folder: string) => join(folder, 'temporal.log');
const completeMarkerOf = (folder: string) => join(folder, 'temporal.complete');

const stateFilesOf = (folder: string) =>
  ['', '-wal', '-shm', '-journal'].map((suffix) => join(folder, `temporal.db${suffix}`));

/** The server writes its schema only into a file that does not exist; killed meanwhile, it never starts again. */
function dropUnfinished(folder: string): void {
  if (existsSync(completeMarkerOf(folder))) return;
  for (const file of stateFilesOf(folder)) rmSync(file, { force: true });
}

/** Files of a former start, which everybody may read, keep their mode otherwise. */
function closeToOthers(folder: string): void {
  for (const file of stateFilesOf(folder)) if (existsSync(file)) chmodSync(file, 0o600);
}

type Server = { program: string; folder: string; port: number; options: TemporalOptions };

function startServer({ program, folder, port, options }: Server): Promise<Child> {
  const ui = options.uiPort === null ? ['--headless'] : ['--ui-port', String(options.uiPort)];
  const attributes = Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => [
    '--search-attribute',
    `${name}=${type}`,
  ]);
  const { PATH, HOME, TMPDIR } = options.env; // no TEMPORAL_*: the program would read them as its own
  return startChild({
    command: program,
    args: [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), ...ui],
      ...['--db-filename', join(folder, 'temporal.db'), '--namespace', options.namespace, '--log-level', 'error'],
      // Twice as fast as the default journal, and as durable.
      ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=full'],
      ...['--dynamic-config-value', 'frontend.enableServerVersionCheck=false'],
      ...attributes,
    ],
    env: { PATH, HOME, TMPDIR },
    logFile: logFileOf(folder),
    recordFile: recordFileOf(folder),
    stopLadder: [
      { signal: 'SIGTERM', waitMs: 15_000 },
      { signal: 'SIGKILL', waitMs: 5_000 },
    ],
    forceSignal: 'SIGKILL',
    stopsWithUs: options.stopsWithUs ?? false,
  });
}

type Starting = Server & { child: Child; address: string; client: typeof import('@temporalio/client') };

async function waitUntilReady(starting: Starting): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < READY_WAIT_MS) {
    if (starting.child.hasExited()) throw startFailure(starting, `ended with ${await starting.child.exited}`);
    if ((await isServing(starting)) && !starting.child.hasExited()) return;
    await sleep(READY_POLL_MS);
  }
  throw startFailure(starting, `was not ready after ${READY_WAIT_MS / 1000} s`);
}

async function isServing({ address, port, options, client }: Starting): Promise<boolean> {
  // gRPC waits a second after its first failure, which is longer than the server takes to start.
  if (!(await isListening({ port, host: '127.0.0.1' }))) return false;
  let connection: Connection | undefined;
  try {
    connection = await client.Connection.connect({ address, connectTimeout: CONNECT_TIMEOUT_MS });
    const { status } = await connection.healthService.check({ service: FRONTEND_SERVICE });
    await connection.workflowService.describeNamespace({ namespace: options.namespace });
    return status === SERVING;
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}

function startFailure({ folder, program }: Starting, what: string): Error {
  return new Error(
    `The Temporal server (${program}) ${what}. Its log, ${logFileOf(folder)}, ends with:\n` +
      `${logTail({ path: logFileOf(folder), lines: 10 })}\n` +
      `If its state is of no use (after a change of its version, say), delete ${join(folder, 'temporal.complete')}: ` +
      'the next start makes it anew, and the workflows start again from the database.',
  );
}
