import { Places } from '../db/places.ts';
import type { Deps } from '../deps.ts';
import type { Party } from '../http/party.ts';
import { amountOf } from '../kernel/budgets.ts';
import { laneOf, type PerLane, perLane } from '../kernel/lane.ts';

/** Of all accounts of a mode, on all kinds of pages: together fewer than the connections that a process holds. */
const ALL_MAX: PerLane<number> = { live: 2_000, sandbox: 1_000 };

/** How many streams a process has open, by mode and account. */
export class StreamPlaces {
  readonly #places = perLane(
    (lane) => new Places({ accountMax: amountOf('streams', { liveMode: lane === 'live' }), allMax: ALL_MAX[lane] }),
  );
  readonly #refuse: Deps['metrics']['budgets']['refuse'];

  constructor({ metrics }: Pick<Deps, 'metrics'>) {
    this.#refuse = metrics.budgets.refuse;
  }

  /** Whether one more of an account may begin; one that may not is counted as refused. */
  admits(of: Party): boolean {
    const isAdmitted = this.#places[laneOf(of.liveMode)].hasRoom(of.accountId);
    if (!isAdmitted) this.#refuse('streams', of);
    return isAdmitted;
  }

  /** Takes a place, which was admitted just before; what is returned gives it back, once. */
  take({ accountId, liveMode }: Party): () => void {
    const leave = this.#places[laneOf(liveMode)].enter(accountId);
    if (leave === null) throw new Error('a stream that was not admitted begins');
    return leave;
  }
}
