import { realTimeMs, SECOND_MS } from '../kernel/time.ts';

/** A bucket holds what comes in this time, and one token at least: a timer that is late must cost no token. Milliseconds. */
const DEPTH_MS = 50;

interface BucketTime {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

const REAL: BucketTime = {
  nowMs: realTimeMs,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** A token bucket in memory. Its rate is asked for each time, so that it may change while somebody waits. */
export class TokenBucket {
  readonly #perSecond: () => number;
  readonly #time: BucketTime;
  #tokens = 1;
  #filledAtMs: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(perSecond: () => number, time: BucketTime = REAL) {
    this.#perSecond = perSecond;
    this.#time = time;
    this.#filledAtMs = time.nowMs();
  }

  /** Does one work after the other, in the order they came: who waits for a token and takes it later must not be overtaken. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Waits until a token is there, and leaves it; false: there was none until then. */
  async hasTokenBy(untilMs: number): Promise<boolean> {
    for (;;) {
      const nowMs = this.#time.nowMs();
      if (nowMs >= untilMs) return false;
      const missing = 1 - this.#fill(nowMs);
      if (missing <= 0) return true;
      const waitMs = Math.ceil((missing * SECOND_MS) / this.#perSecond());
      await this.#time.sleep(Math.min(waitMs, untilMs - nowMs));
    }
  }

  /** Takes a token, there or not: the next ones come so much later. */
  take(): void {
    this.#tokens = this.#fill(this.#time.nowMs()) - 1;
  }

  #fill(nowMs: number): number {
    const perSecond = this.#perSecond();
    const most = Math.max(1, (perSecond * DEPTH_MS) / SECOND_MS);
    const came = (Math.max(0, nowMs - this.#filledAtMs) * perSecond) / SECOND_MS;
    this.#tokens = Math.min(most, this.#tokens + came);
    this.#filledAtMs = nowMs;
    return this.#tokens;
  }
}
