import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { HeldDeliveries, type HeldDeps } from '../events/held.ts';
import { realTimeMs, SECOND_MS, type Timestamp } from '../kernel/time.ts';
import { settleHeld } from '../payments/cases.ts';
import { advanceReturns } from '../payments/returns.ts';
import { performDue } from '../subscriptions/billing/due.ts';
import { performStep } from '../subscriptions/collection/step.ts';
import { finishAdvance } from './finish.ts';
import { type DueItem, firstDue, type Source } from './sources.ts';

/** Real time after which a slice tells how far it came. Milliseconds. */
const SLICE_MS = 5 * SECOND_MS;

/** How far an advance came. */
export interface AdvanceStanding {
  readonly done: boolean;
  readonly now: Timestamp;
  /** Null: the clock is not being advanced. */
  readonly target: Timestamp | null;
  /** Things that fell due in this slice, attempts at webhooks among them. */
  readonly performed: number;
}

export interface AdvanceOptions {
  readonly accountId: string;
  readonly isStopping: () => boolean;
  readonly sliceMs?: number;
}

interface HeldClock {
  heldAt: Timestamp | null;
  target: Timestamp | null;
}

const readHeld = statement(
  'read_held_clock',
  `SELECT clock_held_at AS "heldAt", clock_target AS target FROM account WHERE id = $1`,
);

/** Only forwards: another one at the same work may have moved it already. */
const moveHeld = statement(
  'move_held_clock',
  `UPDATE account SET clock_held_at = greatest(clock_held_at, $2::bigint), clock_moved_at = now()
   WHERE id = $1 AND clock_target >= $2::bigint`,
);

/**
 * Replays time for an account whose clock is being advanced, for a slice of real time: the first thing that falls due, at its
 * own instant, by the use case that does it in real time too; then the next (design, rule 11). Any number of times: what was
 * done is not due any more.
 */
export async function advanceSlice(deps: Deps, tools: HeldDeps, options: AdvanceOptions): Promise<AdvanceStanding> {
  const { accountId, isStopping, sliceMs = SLICE_MS } = options;
  const deliveries = deliveriesOf(tools, accountId);
  const notBefore = new Map<string, Timestamp>();
  const endsAtMs = realTimeMs() + sliceMs;
  let performed = 0;
  for (;;) {
    const { heldAt, target } = await readClock(deps, accountId);
    if (heldAt === null || target === null) return { done: true, now: deps.clock.real(), target: null, performed };
    if (isStopping() || realTimeMs() > endsAtMs) return { done: false, now: heldAt, target, performed };
    const item = await firstDue(deps, { accountId, upTo: target, notBefore });
    if (item !== null && item.at <= heldAt) {
      const again = await perform(deps, item);
      if (again !== null) notBefore.set(item.id, heldAt + again);
      performed += 1;
      continue;
    }
    // Attempts are the last of an instant: the clock moves on when they are made.
    performed += await deliveries.send(heldAt);
    const next = Math.min(item?.at ?? target, (await deliveries.nextAt()) ?? target, target);
    if (next > heldAt) await run(deps.pool, moveHeld, [accountId, next]);
    else if (next === target && item === null) {
      await finishAdvance(deps, accountId);
      advances.delete(accountId);
    }
  }
}

async function readClock(deps: Deps, accountId: string): Promise<HeldClock> {
  const [clock] = await run<HeldClock & Record<string, unknown>>(deps.pool, readHeld, [accountId]);
  return clock ?? { heldAt: null, target: null };
}

/** Advances under way in this process: who timed out is remembered over their slices. */
const advances = new Map<string, HeldDeliveries>();
const ADVANCES_MAX = 10_000;

function deliveriesOf(tools: HeldDeps, accountId: string): HeldDeliveries {
  const known = advances.get(accountId) ?? new HeldDeliveries(tools, accountId);
  if (advances.size >= ADVANCES_MAX) advances.clear();
  advances.set(accountId, known);
  return known;
}

/** Does one thing; answers after how many seconds of the account's clock it is looked at again, where its row does not say. */
const performers: Readonly<Record<Source, (deps: Deps, id: string) => Promise<number | null>>> = {
  return: async (deps, id) => {
    const standing = await advanceReturns(deps, id);
    return standing.kind === 'over' ? null : Math.max(1, standing.lookInSeconds);
  },
  pix: settleHeld,
  step: async (deps, id) => {
    await performStep(deps, id, { by: 'test_clock' });
    return null;
  },
  cycle: async (deps, id) => {
    await performDue(deps, id, { by: 'test_clock' });
    return null;
  },
};

const perform = (deps: Deps, { source, id }: DueItem): Promise<number | null> => performers[source](deps, id);
