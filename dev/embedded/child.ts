import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, renameSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readIfThere } from './files.ts';
import { spawnGuarded } from './guard.mjs';

/** A process of ours. */
export type Child = {
  pid: number;
  /** Resolves to how it ended, in words. */
  exited: Promise<string>;
  hasExited(): boolean;
  /** What its log file holds. */
  log(): string;
  /** Asks it to end, and ends it when it takes longer than `graceMs`. */
  stop(): Promise<void>;
  /** Ends it at once and does not wait for that. */
  kill(): void;
};

export type ChildOptions = {
  command: string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** Null: its output goes to our own. */
  logFile: string | null;
  user?: { uid: number; gid: number } | undefined;
  stopSignal?: NodeJS.Signals;
  /** Ends it when this process is killed: at once, so that the next start finds its ports and files free. */
  orphanSignal?: NodeJS.Signals;
  graceMs: number;
};

export async function startChild(options: ChildOptions): Promise<Child> {
  const { stopSignal = 'SIGTERM', graceMs, logFile } = options;
  const child = spawnDetached(options);
  const { pid } = child;
  if (pid === undefined) {
    const [error] = await once(child, 'error');
    throw new Error(`${options.command[0]} cannot be started: ${error}`);
  }
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  return {
    pid,
    exited,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    log: () => (logFile === null ? '' : (readIfThere(logFile)?.trim() ?? '')),
    stop: async () => {
      child.kill(stopSignal);
      await Promise.race([exited, sleep(graceMs, undefined, { ref: false })]);
      child.kill('SIGKILL');
      await exited;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

/** What it writes is for its owner alone, whoever starts it: Temporal's database would be readable by everybody. */
const PRIVATELY = ['/bin/sh', '-c', 'umask 077; exec "$@"', 'sh'];

/** In a session of its own, so that Ctrl-C reaches only the one who decides in which order things stop. */
function spawnDetached({ command, env, cwd, user, logFile, orphanSignal }: ChildOptions): ChildProcess {
  const log = logFile === null ? null : openLog(logFile);
  const child = spawnGuarded([...PRIVATELY, ...command], {
    env,
    cwd,
    orphanSignal,
    uid: user?.uid,
    gid: user?.gid,
    detached: true,
    stdio: ['ignore', log ?? 'inherit', log ?? 'inherit'],
  });
  if (log !== null) closeSync(log);
  return child;
}

/** An empty log; the last one stays beside it. */
function openLog(path: string): number {
  if (existsSync(path)) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}
