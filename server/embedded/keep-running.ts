import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;
const HEALTHY_AFTER_MS = 60_000;

type Keepable = Pick<Child, 'exited' | 'stop' | 'kill'>;

export type Kept<T> = {
  /** As it was started first; a later start has the same addresses. */
  first: T;
  crashes(): number;
  /** False from the end of one until the next is started. */
  isRunning(): boolean;
  stop(): Promise<void>;
  kill(): void;
};

type Keeping<T> = { name: string; start: () => Promise<T>; report: (line: string) => void };

/** Starts something and, whenever it ends by itself, starts it again after a growing delay. */
export async function keepRunning<T extends Keepable>(keeping: Keeping<T>): Promise<Kept<T>> {
  const stopping = new AbortController();
  const first = await keeping.start();
  const state = { current: first, crashes: 0, isRunning: true };
  const watching = watch({ keeping, state, stopping: stopping.signal });
  return {
    first,
    crashes: () => state.crashes,
    isRunning: () => state.isRunning,
    stop: async () => {
      stopping.abort();
      await state.current.stop();
      await watching;
    },
    kill: () => {
      stopping.abort();
      state.current.kill();
    },
  };
}

type State<T> = { current: T; crashes: number; isRunning: boolean };
type Watch<T> = { keeping: Keeping<T>; state: State<T>; stopping: AbortSignal };

async function watch<T extends Keepable>({ keeping, state, stopping }: Watch<T>): Promise<void> {
  let delayMs = FIRST_DELAY_MS;
  let startedAt = performance.now();
  let ending = state.current.exited;
  while (!stopping.aborted) {
    const how = await ending;
    state.isRunning = false;
    if (stopping.aborted) return;
    if (performance.now() - startedAt > HEALTHY_AFTER_MS) delayMs = FIRST_DELAY_MS;
    state.crashes += 1;
    keeping.report(`${keeping.name} ended by itself (${how}); starting it again in ${delayMs / 1000} s.`);
    await sleep(delayMs, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
    startedAt = performance.now();
    ending = restart({ keeping, state, stopping });
  }
}

/** Resolves when what it started has ended, or to why it could not be started. */
async function restart<T extends Keepable>({ keeping, state, stopping }: Watch<T>): Promise<string> {
  try {
    state.current = await keeping.start();
    state.isRunning = true;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (stopping.aborted) await state.current.stop();
  return state.current.exited;
}
