import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { codeOf } from '../../server/kernel/errors.ts';
import { waitFor } from './wait.ts';

const FORCED_WAIT_MS = 10_000;

/** What the processes of this machine were started as, by process id; one that has only to be collected is gone. */
export function commandLines(): Map<number, string> {
  if (process.platform === 'win32') return new Map();
  if (process.platform === 'linux') {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return new Map(pids.map((pid) => [pid, commandLine(pid)] as const).filter(([, line]) => line !== ''));
  }
  const table = execFileSync('/bin/ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' });
  return new Map([...table.matchAll(/^ *(\d+) (.*)$/gm)].map(([, pid, line = '']) => [Number(pid), line]));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return ''; // it ended meanwhile
  }
}

export type Leftovers = {
  name: string;
  /** What in a command line names our folder and tells the program from all others. */
  mark: string;
  stopSignal?: NodeJS.Signals;
  graceMs: number;
  report?: ((line: string) => void) | undefined;
};

/** Ends what a killed start left running; the caller holds the folder's lock, so nobody uses it. */
export async function stopLeftovers({ name, mark, stopSignal, graceMs, report }: Leftovers): Promise<void> {
  const running = () => [...commandLines()].filter(([, line]) => line.includes(mark)).map(([pid]) => pid);
  const areGone = () => running().length === 0;
  for (const pid of running()) report?.(`Stopping ${name} (process ${pid}), left running by a former start.`);
  for (const pid of running()) signalIfThere(pid, stopSignal ?? 'SIGTERM');
  if (await waitFor(areGone, { limitMs: graceMs })) return;
  for (const pid of running()) signalIfThere(pid, 'SIGKILL');
  if (await waitFor(areGone, { limitMs: FORCED_WAIT_MS })) return;
  throw new Error(`Process ${running()}, left by a former start, does not end; stop it by hand.`);
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
