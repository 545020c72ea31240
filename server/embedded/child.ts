import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { openLog, readIfThere, writePrivately } from './files.ts';
import { describeProcess, type StopStep, signalIfThere, stopForeignProcess } from './processes.ts';

const FORCED_WAIT_MS = 10_000;
const recordSchema = z.object({ pid: z.number().int().positive(), startedAt: z.string() });

/** A process of ours. `exited` resolves to how it ended, in words; `kill` asks nothing and does not wait. */
export type Child = {
  pid: number;
  exited: Promise<string>;
  hasExited(): boolean;
  stop(): Promise<void>;
  kill(): void;
};

export type ChildOptions = {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** Where its output goes; null: to our own, with a channel that closes when we are gone, even by kill -9. */
  logFile: string | null;
  /** Where its process id is kept for the next start, should this one be killed. */
  recordFile: string | null;
  user?: { uid: number; gid: number };
  stopLadder: StopStep[];
  forceSignal: NodeJS.Signals;
  /** A test run that is killed should leave nothing behind; `npm start` stops its leftovers at the next start. */
  stopsWithUs?: boolean;
};

/** In a session of its own, so that Ctrl-C reaches only the one who decides in which order things stop. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const log = options.logFile === null ? null : openLog(options.logFile);
  const output = log ?? 'inherit';
  const { command, args } = options.recordFile === null ? options : waitingForGo(options);
  const child = spawn(command, args, {
    env: options.env,
    detached: true,
    stdio: log === null ? ['pipe', output, output, 'ipc'] : ['pipe', output, output],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...options.user,
  });
  if (log !== null) closeSync(log);
  const { pid } = child;
  if (pid === undefined) {
    const [error] = await once(child, 'error');
    throw new Error(`${options.command} cannot be started: ${error}`);
  }
  child.stdin?.on('error', () => {}); // it ended at once; `exited` tells
  if (options.recordFile !== null) record(options.recordFile, pid);
  child.stdin?.end('go\n');
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  if (options.stopsWithUs) stopWhenWeEnd({ pid, exited, options });
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const kill = () => {
    if (!hasExited()) signalIfThere(pid, options.forceSignal);
  };
  return { pid, exited, hasExited, kill, stop: () => stopChild({ pid, exited, hasExited, options }) };
}

/** Killed between the start of a child and its record, we would leave one that nobody knows; so it waits. */
function waitingForGo({ command, args }: ChildOptions): { command: string; args: string[] } {
  if (process.platform === 'win32') return { command, args };
  // What the program writes is its owner's alone: root's DATA_DIR lets others pass.
  return { command: 'sh', args: ['-c', 'umask 077 && read -r _ && exec "$0" "$@"', command, ...args] };
}

type Stopping = Pick<Child, 'pid' | 'exited' | 'hasExited'> & { options: ChildOptions };

async function stopChild({ pid, exited, hasExited, options }: Stopping): Promise<void> {
  for (const { signal, waitMs } of options.stopLadder) {
    if (hasExited()) break;
    signalIfThere(pid, signal);
    await Promise.race([exited, sleep(waitMs, undefined, { ref: false })]);
  }
  if (options.recordFile !== null && hasExited()) rmSync(options.recordFile, { force: true });
}

/** A shell waits on a pipe that only our end, of whatever cause, closes. */
function stopWhenWeEnd({ pid, exited, options }: Pick<Stopping, 'pid' | 'exited' | 'options'>): void {
  const signal = options.stopLadder[0]?.signal ?? 'SIGTERM';
  const guard = spawn('sh', ['-c', `read _; kill -${signal.slice(3)} ${pid}`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    ...options.user,
  });
  guard.unref();
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  void exited.then(() => guard.kill('SIGKILL'));
}

function record(path: string, pid: number): void {
  const startedAt = describeProcess(pid)?.startedAt;
  if (startedAt !== undefined) writePrivately(path, JSON.stringify({ pid, startedAt }));
}

/** Ends what a former start recorded and left behind; a stranger that got its process id is left alone. */
export async function stopLeftover(recordFile: string, report: (line: string) => void): Promise<void> {
  const text = readIfThere(recordFile);
  if (text === null) return;
  const leftover = recordSchema.safeParse(parseJson(text)).data;
  if (leftover && describeProcess(leftover.pid)?.startedAt === leftover.startedAt) {
    report(`Stopping ${basename(recordFile, '.process')} (process ${leftover.pid}), left running by a former start.`);
    await stopForeignProcess(leftover.pid, [
      { signal: 'SIGTERM', waitMs: FORCED_WAIT_MS },
      { signal: 'SIGKILL', waitMs: FORCED_WAIT_MS },
    ]);
  }
  rmSync(recordFile, { force: true });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
