import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Teardown } from './teardown.ts';
import { type Cores, measureCores, type Pids } from './usage.ts';

/** What a task tells while it runs: the bounds of its measured window, then its result. */
type Told<Result> =
  | { told: 'begin' }
  | { told: 'end' }
  | { told: 'result'; result: Result }
  | { told: 'failed'; why: string };

/** What `work` may tell its parent. */
export interface TaskReport {
  onBegin(): void;
  onEnd(): void;
}

/** Serves one task in a process of its own; ends with it, or with its parent. */
export function serveTask<Input, Result>(work: (input: Input, report: TaskReport) => Promise<Result>): void {
  const tell = (told: Told<Result>): void => {
    process.send?.(told);
  };
  process.on('SIGINT', () => {}); // the parent decides in which order things stop
  process.once('disconnect', () => process.exit(1));
  process.once('message', (input) => {
    const report = { onBegin: () => tell({ told: 'begin' }), onEnd: () => tell({ told: 'end' }) };
    // The parent, of the same program, sends what this task's type says.
    work(input as Input, report)
      .then(
        (result) => tell({ told: 'result', result }),
        (error) =>
          tell({ told: 'failed', why: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      )
      .finally(() => process.disconnect?.());
  });
}

export interface TaskRun<Input> {
  readonly file: string;
  readonly input: Input;
  /** The task is ended when it takes longer. */
  readonly timeoutMs: number;
  /** Whose CPU time to take in the measured window; the task's own is added as `driver`. */
  readonly watched: Pids;
}

/** Runs a task file in a process of its own; resolves to its result and what the machine did meanwhile. */
export async function runTask<Input extends object, Result>(
  teardown: Teardown,
  run: TaskRun<Input>,
): Promise<{ result: Result; cores: Cores }> {
  const child = fork(join(import.meta.dirname, run.file), {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  teardown.add(async () => void child.kill('SIGKILL'));
  const timer = setTimeout(() => child.kill('SIGKILL'), run.timeoutMs);
  let finish: (() => Cores) | null = null;
  let cores: Cores = {};
  let last: Told<Result> | null = null;
  child.on('message', (message) => {
    // Only serveTask speaks on this channel.
    const told = message as Told<Result>;
    if (told.told === 'begin') finish = measureCores({ ...run.watched, driver: child.pid ?? 0 });
    else if (told.told === 'end') cores = finish?.() ?? {};
    else last = told;
  });
  child.send(run.input);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(timer);
  return { result: resultOf(last, `${run.file} ended with ${signal ?? `exit code ${code}`}`), cores };
}

function resultOf<Result>(last: Told<Result> | null, otherwise: string): Result {
  if (last?.told === 'result') return last.result;
  throw new Error(last?.told === 'failed' ? last.why : otherwise);
}
