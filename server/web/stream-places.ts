import type { Deps } from '../deps.ts';
import { holderOf, type Party } from '../http/party.ts';
import { amountOf } from '../kernel/budgets.ts';
import { laneOf, type PerLane, perLane } from '../kernel/lane.ts';

/** Of all accounts of a mode, on all kinds of pages: together fewer than the connections that a process holds. */
const ALL_MAX: PerLane<number> = { live: 2_000, sandbox: 1_000 };

/** How many streams a process has open, by mode and account. */
export class StreamPlaces {
  readonly #held: PerLane<Map<string, number>> = perLane(() => new Map());
  readonly #open: Record<'live' | 'sandbox', number> = { live: 0, sandbox: 0 };
  readonly #refuse: Deps['metrics']['budgets']['refuse'];

  constructor({ metrics }: Pick<Deps, 'metrics'>) {
    this.#refuse = metrics.budgets.refuse;
  }

  /** Whether one more of an account may begin; one that may not is counted as refused. */
  admits(of: Party): boolean {
    const lane = laneOf(of.liveMode);
    const held = this.#held[lane].get(holderOf(of)) ?? 0;
    const isAdmitted = this.#open[lane] < ALL_MAX[lane] && held < amountOf('streams', of);
    if (!isAdmitted) this.#refuse('streams', of);
    return isAdmitted;
  }

  /** Takes a place; what is returned gives it back, once. */
  take(of: Party): () => void {
    const lane = laneOf(of.liveMode);
    const held = this.#held[lane];
    const holder = holderOf(of);
    this.#open[lane] += 1;
    held.set(holder, (held.get(holder) ?? 0) + 1);
    return () => {
      this.#open[lane] -= 1;
      const left = (held.get(holder) ?? 1) - 1;
      if (left === 0) held.delete(holder);
      else held.set(holder, left);
    };
  }
}
