import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The unit of /proc's times on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

type CpuSeconds = number;

const readOrNull = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

/** The fields of /proc/<pid>/stat after the name, which may hold spaces: state, parent, … */
const statFields = (pid: number): string[] | null => {
  const stat = readOrNull(`/proc/${pid}/stat`);
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

const ticks = (fields: readonly (string | undefined)[]): CpuSeconds =>
  fields.reduce((sum, field) => sum + Number(field ?? 0), 0) / TICKS_PER_SECOND;

/** A process with its children, the ended ones too: PostgreSQL's work is done by them. */
function cpuOfFamily(pid: number): CpuSeconds | null {
  const own = statFields(pid);
  if (own === null) return null;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statFields(Number(name)))
    .filter((fields) => fields !== null && fields[1] === String(pid));
  // Own user and system time, that of ended children, and that of the living ones.
  return children.reduce((sum, fields) => sum + ticks(fields?.slice(11, 13) ?? []), ticks(own.slice(11, 15)));
}

/** What the whole machine was busy with, virtual neighbours (steal) included. */
function cpuOfMachine(): CpuSeconds | null {
  const line = readOrNull('/proc/stat')?.split('\n')[0];
  if (line === undefined) return null;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

/** Process ids by the names they are shown under. */
export type Pids = Readonly<Record<string, number>>;

/** Cores each named process kept busy in a window, and `others`: what everything else on the machine took. */
export type Cores = Readonly<Record<string, number>>;

/** Begins a window; the function it returns ends it. */
export function measureCores(pids: Pids): () => Cores {
  const startedMs = performance.now();
  const machine = cpuOfMachine();
  const before = Object.entries(pids).map(([name, pid]) => ({ name, pid, cpu: cpuOfFamily(pid) }));
  return () => {
    const seconds = (performance.now() - startedMs) / 1_000;
    const cores: Record<string, number> = {};
    for (const { name, pid, cpu } of before) {
      const now = cpuOfFamily(pid);
      if (cpu !== null && now !== null) cores[name] = (now - cpu) / seconds;
    }
    const busy = cpuOfMachine();
    if (machine !== null && busy !== null) {
      const ours = Object.values(cores).reduce((sum, share) => sum + share, 0);
      cores.others = Math.max(0, Math.min(availableParallelism(), (busy - machine) / seconds) - ours);
    }
    return cores;
  };
}

/** Resident memory of a process now and at its highest, in MiB. */
export function memoryOf(pid: number): { nowMiB: number | null; peakMiB: number | null } {
  const status = readOrNull(`/proc/${pid}/status`) ?? '';
  const read = (field: string): number | null => {
    const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
    return kib === undefined ? null : Math.round(Number(kib) / 1_024);
  };
  return { nowMiB: read('VmRSS'), peakMiB: read('VmHWM') };
}

/** Memory of a process and its children, shared pages counted once, in MiB; null where the system does not tell. */
export function familyMemoryMiB(pid: number): number | null {
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && statFields(Number(name))?.[1] === String(pid),
  );
  const shares = [String(pid), ...children].map((member) => {
    const kib = /^Pss:\s+(\d+) kB/m.exec(readOrNull(`/proc/${member}/smaps_rollup`) ?? '')?.[1];
    return kib === undefined ? null : Number(kib);
  });
  const told = shares.filter((share) => share !== null);
  return told.length === 0 ? null : Math.round(told.reduce((sum, share) => sum + share, 0) / 1_024);
}

/** Has a process of Node tell of its heaps in a folder, each time it gets the signal. */
export const reportsInto = (folder: string): string[] => [
  '--report-on-signal',
  '--report-compact',
  '--report-exclude-env',
  `--report-directory=${folder}`,
];

/** As Node's diagnostic report has it, of a thread. */
interface HeapReport {
  readonly javascriptHeap: {
    readonly totalMemory: number;
    readonly usedMemory: number;
    readonly externalMemory: number;
  };
  readonly workers?: readonly HeapReport[];
}

interface Heap {
  readonly thread: string;
  readonly totalMiB: number;
  readonly usedMiB: number;
  readonly externalMiB: number;
}

const REPORT_WAIT_MS = 10_000;
const REPORT_POLL_MS = 100;

/** The heaps of the threads of a process that reports into a folder, its main thread first. */
export async function heapsOf(folder: string, pid: number): Promise<Heap[]> {
  const isOwn = (name: string) => name.startsWith('report.') && name.split('.')[3] === String(pid);
  process.kill(pid, 'SIGUSR2');
  for (let waitedMs = 0; waitedMs < REPORT_WAIT_MS; waitedMs += REPORT_POLL_MS) {
    await sleep(REPORT_POLL_MS);
    const name = readdirSync(folder).filter(isOwn).sort().at(-1);
    const report = name === undefined ? null : parsed(readOrNull(join(folder, name)) ?? '');
    if (report === null) continue;
    const mib = (bytes: number): number => Math.round(bytes / 1_048_576);
    return [report, ...(report.workers ?? [])].map(({ javascriptHeap: heap }, nth) => ({
      thread: nth === 0 ? 'main' : `workflows ${nth}`,
      totalMiB: mib(heap.totalMemory),
      usedMiB: mib(heap.usedMemory),
      externalMiB: mib(heap.externalMemory),
    }));
  }
  throw new Error(`process ${pid} told nothing of its heaps`);
}

/** Null while the report is not written to its end. */
function parsed(text: string): HeapReport | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
