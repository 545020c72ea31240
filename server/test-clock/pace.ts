import { Turns } from '../db/turns.ts';
import type { LiveWork } from '../kernel/live-work.ts';

/** What waits for a receiver or an acquirer keeps nobody's core busy. */
const HELD_MAX_MS = 100;
/** Behind its turn it rests so many times as long as it took. */
const REST = 2;
/** Far more than all that may be under way takes; then whoever waits goes on. */
const WAIT_MS = 30_000;

/**
 * Lets the advances of a process leave room for live work: while live accounts change something, one thing is done at a time for
 * all clocks, in turn, and twice as much time is left free as it took (docs/design/budgets.md#beside-live-work).
 */
export class AdvancePace {
  readonly #turns = new Turns({ total: 1, each: 1, spare: 0, waitMs: WAIT_MS });
  readonly #liveWork: LiveWork;

  constructor(liveWork: LiveWork) {
    this.#liveWork = liveWork;
  }

  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    if (!this.#liveWork.isThere) return work();
    const leave = await this.#turns.take(accountId).catch(() => () => {});
    const begunMs = performance.now();
    const held = setTimeout(leave, HELD_MAX_MS);
    try {
      return await work();
    } finally {
      clearTimeout(held);
      const tookMs = Math.min(HELD_MAX_MS, performance.now() - begunMs);
      setTimeout(leave, REST * tookMs);
    }
  }
}
