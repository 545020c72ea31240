import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 25;

/** What tells a process from a later one with the same id, and what it was started as. */
export type ProcessDescription = { startedAt: string; command: string };

/** One signal and how long it may take to work; a ladder ends with one that cannot be refused. */
export type StopStep = { signal: NodeJS.Signals; waitMs: number };

/** Null when there is no such process, or only its remains (a zombie that nobody collected). */
export function describeProcess(pid: number): ProcessDescription | null {
  try {
    return process.platform === 'linux' ? describeFromProc(pid) : describeFromPs(pid);
  } catch {
    return null;
  }
}

function describeFromProc(pid: number): ProcessDescription | null {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may itself hold spaces and parentheses; the fields follow the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticksSinceBoot] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X') return null;
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  return { startedAt: `${boot}/${ticksSinceBoot}`, command };
}

function describeFromPs(pid: number): ProcessDescription | null {
  const ps = (field: string) =>
    execFileSync('ps', ['-ww', '-o', `${field}=`, '-p', String(pid)], {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, // lstart is a date in the reader's language
    }).trim();
  if (ps('state').startsWith('Z')) return null;
  return { startedAt: ps('lstart'), command: ps('command') };
}

/** Whether a signal would reach something under this id, be it ours or not. */
export function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Ends a process that is not our child. Throws when it outlives the whole ladder. */
export async function stopForeignProcess(pid: number, ladder: StopStep[]): Promise<void> {
  const startedAt = describeProcess(pid)?.startedAt;
  const isGone = () => startedAt === undefined || describeProcess(pid)?.startedAt !== startedAt;
  for (const { signal, waitMs } of ladder) {
    if (isGone()) return;
    signalIfThere(pid, signal);
    for (let waited = 0; waited < waitMs && !isGone(); waited += POLL_MS) await sleep(POLL_MS);
  }
  if (!isGone()) throw new Error(`Process ${pid}, left by a former start, does not end; stop it by hand.`);
}

export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
