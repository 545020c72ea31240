import { setTimeout as sleep } from 'node:timers/promises';

/** More samples than any run makes; what comes beyond is counted and not kept. */
const SAMPLES_MAX = 2_000_000;

/** Connections stay open so long after the end, for the parent to read the CPU times of the processes behind them. */
const READ_OFF_MS = 200;

export interface Summary {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Durations of what was completed inside a measured window. */
export class Latencies {
  #samples: number[] = [];
  #count = 0;

  add(ms: number): void {
    this.#count += 1;
    if (this.#samples.length < SAMPLES_MAX) this.#samples.push(ms);
  }

  summary(seconds: number): Summary {
    const sorted = Float64Array.from(this.#samples).sort();
    const percentile = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return { count: this.#count, perSecond: this.#count / seconds, p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
  }
}

const once = (tell: () => void): (() => void) => {
  let isTold = false;
  return () => {
    if (!isTold) tell();
    isTold = true;
  };
};

/** Runs `step` over and over in each lane until the window ends, and keeps the durations of those that succeed inside it. */
export async function driveLanes(
  lanes: number,
  times: { warmupSeconds: number; seconds: number; onBegin: () => void; onEnd: () => void },
  step: (lane: number) => Promise<boolean>,
): Promise<Summary> {
  const latencies = new Latencies();
  const beginsInMs = times.warmupSeconds * 1_000;
  const endsInMs = beginsInMs + times.seconds * 1_000;
  const nowMs = performance.now();
  const window = { beginsAtMs: nowMs + beginsInMs, endsAtMs: nowMs + endsInMs };
  const begin = once(times.onBegin);
  const end = once(times.onEnd);
  const timers = [setTimeout(begin, beginsInMs), setTimeout(end, endsInMs)];
  const lane = async (index: number): Promise<void> => {
    for (let startedMs = performance.now(); startedMs < window.endsAtMs; startedMs = performance.now()) {
      const isSuccess = await step(index);
      const endedMs = performance.now();
      if (isSuccess && endedMs >= window.beginsAtMs && endedMs <= window.endsAtMs) latencies.add(endedMs - startedMs);
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
    end(); // the last lane may see the end of the window before the timer does
    await sleep(READ_OFF_MS);
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
  return latencies.summary(times.seconds);
}
