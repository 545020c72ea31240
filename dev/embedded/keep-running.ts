import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';

const RESTART_DELAY_MS = 1_000;

export type Kept<T> = Pick<Child, 'stop' | 'kill'> & {
  latest(): T;
  crashes(): number;
};

type Keeping<T> = {
  name: string;
  /** `former` is null at first; later its address is to be taken again. */
  start: (former: T | null) => Promise<T>;
  print: (line: string) => void;
  /** From then on nothing is started again. */
  stopping: AbortSignal;
};

/** Starts something and, whenever it ends by itself, starts it again. */
export async function keepRunning<T extends Child>({ name, start, print, stopping }: Keeping<T>): Promise<Kept<T>> {
  let starting = start(null);
  let latest = await starting;
  let crashes = 0;
  const watch = async () => {
    for (let how = await latest.exited; !stopping.aborted; ) {
      crashes += 1;
      print(`${name} ended by itself (${how}); starting it again in ${RESTART_DELAY_MS / 1000} s.`);
      await sleep(RESTART_DELAY_MS, undefined, { signal: stopping }).catch(() => {});
      if (stopping.aborted) return;
      starting = start(latest);
      try {
        latest = await starting;
        how = await latest.exited;
      } catch (error) {
        how = error instanceof Error ? error.message : String(error);
      }
    }
  };
  void watch();
  return {
    latest: () => latest,
    crashes: () => crashes,
    stop: async () => (await starting.catch(() => latest)).stop(),
    kill: () => latest.kill(),
  };
}
