import { LRUCache } from 'lru-cache';
import { holderOf, type Party } from './party.ts';

const WINDOW_MS = 1_000;
/** So many of an account are told at once in a second. */
const AT_ONCE_MAX = 20;
/** What a refusal says that it may be repeated after is at least as long. */
const LATER_MS = 1_000;
const PARTIES_MAX = 10_000;

/**
 * How long a refusal of what came too often waits until it is told: a client that repeats at once, whatever it is told, is
 * slowed down by its own connections (docs/design/budgets.md#refusals).
 */
export class SlowRefusals {
  readonly #told = new LRUCache<string, { readonly untilMs: number; count: number }>({ max: PARTIES_MAX });

  /** Tells a refusal of a party's when its time has come. */
  tell(party: Party, tell: () => void): void {
    const waitMs = this.waitMs(party);
    if (waitMs === 0) tell();
    else setTimeout(tell, waitMs);
  }

  waitMs(party: Party): number {
    const nowMs = performance.now();
    const holder = holderOf(party);
    const known = this.#told.get(holder);
    const window = known === undefined || known.untilMs <= nowMs ? { untilMs: nowMs + WINDOW_MS, count: 0 } : known;
    this.#told.set(holder, window);
    window.count += 1;
    return window.count <= AT_ONCE_MAX ? 0 : LATER_MS;
  }
}
