import { LRUCache } from 'lru-cache';

const HOLDERS_MAX = 10_000;
const SECOND_MS = 1_000;

const waitFor = (filled: number, perSecond: number): number =>
  filled >= 1 ? 0 : ((1 - filled) * SECOND_MS) / perSecond;

/** What each holder may begin at once; it fills again evenly. */
export class Paces {
  readonly #atOnce: number;
  readonly #left = new LRUCache<string, { count: number; atMs: number }>({ max: HOLDERS_MAX });

  /** So many begin without a pause before a holder is held to its pace. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Takes one, or answers after how many milliseconds there is one. */
  take(holder: string, perSecond: number): number {
    const filled = this.#filled(holder, perSecond);
    const waitMs = waitFor(filled, perSecond);
    this.#left.set(holder, { count: waitMs === 0 ? filled - 1 : filled, atMs: performance.now() });
    return waitMs;
  }

  /** Takes one, or so many, whether they are there or not, and answers after how many milliseconds there is one again. */
  spend(holder: string, perSecond: number, amount = 1): number {
    const count = this.#filled(holder, perSecond) - amount;
    this.#left.set(holder, { count, atMs: performance.now() });
    return waitFor(count, perSecond);
  }

  /** How many whole ones there are now. */
  left(holder: string, perSecond: number): number {
    return Math.max(0, Math.floor(this.#filled(holder, perSecond)));
  }

  /** The same for each holder that has less than all. */
  lefts(perSecond: number): Map<string, number> {
    const lefts = new Map<string, number>();
    for (const holder of [...this.#left.keys()]) {
      const filled = this.#filled(holder, perSecond);
      if (filled < this.#atOnce) lefts.set(holder, this.left(holder, perSecond));
      else this.#left.delete(holder);
    }
    return lefts;
  }

  #filled(holder: string, perSecond: number): number {
    const known = this.#left.peek(holder);
    if (known === undefined) return this.#atOnce;
    const { count, atMs } = known;
    return Math.min(this.#atOnce, count + ((performance.now() - atMs) * perSecond) / SECOND_MS);
  }
}
