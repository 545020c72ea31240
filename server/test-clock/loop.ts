import { setTimeout as sleep } from 'node:timers/promises';
import { findMovingClock } from '../accounts/clock.ts';
import { performExpiry } from '../checkout/expire.ts';
import { run, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { HeldDeliveries, type HeldTools, hasAttemptsInFlight } from '../events/deliveries/held.ts';
import { performHealth } from '../events/health.ts';
import { raiseAlarm } from '../kernel/alarms.ts';
import { DAY, HOUR, REAL_CLOCK, realTimeMs, SECOND_MS, type Timestamp } from '../kernel/time.ts';
import { chargeReconciliationStep } from '../payments/card/reconciliation.ts';
import { settleHeld } from '../payments/pix/settlement.ts';
import { advanceReturns } from '../payments/refunds/settlement.ts';
import { CHARGE_MARGIN } from '../payments/rules.ts';
import { performDue } from '../subscriptions/billing/due.ts';
import { performStep } from '../subscriptions/collection/step.ts';
import { lapseHeld } from '../subscriptions/mandates/case.ts';
import type { Source } from '../waiting.ts';
import { finishAdvance } from './asleep.ts';
import { type DueItem, firstDue, restEnds } from './sources.ts';

/** Real time after which a slice tells how far it came. Milliseconds. */
const SLICE_MS = 5 * SECOND_MS;

/** Between two looks at what was begun before the clock was held. */
const AWAITED_LOOK_MS = 500;

/** How far an advance came. */
export interface AdvanceStatus {
  readonly done: boolean;
  readonly now: Timestamp;
  /** Null: the clock is not being advanced. */
  readonly target: Timestamp | null;
  /** Things that fell due in this slice, attempts at webhooks among them. */
  readonly performed: number;
  /** Real seconds until there is something to do again; absent: none. */
  readonly waitsSeconds?: number;
}

export interface AdvanceOptions {
  readonly accountId: string;
  readonly isStopping: () => boolean;
  readonly sliceMs?: number;
}

/** Only forwards: another one at the same work may have moved it already. */
const moveHeld = statement(
  'move_held_clock',
  `UPDATE account SET clock_held_at = greatest(clock_held_at, :next::bigint), clock_moved_at = now()
   WHERE id = :accountId AND clock_target >= :next::bigint`,
);

/**
 * Replays time for an account whose clock is being advanced, for a slice of real time: the first thing that falls due, at
 * its own instant, by the use case that does it in real time too; then the next (docs/design/time.md#advancing-a-clock). Any
 * number of times: what was done is not due any more.
 */
export async function advanceSlice(deps: Deps, tools: HeldTools, options: AdvanceOptions): Promise<AdvanceStatus> {
  const { accountId, isStopping, sliceMs = SLICE_MS } = options;
  const endsAtMs = realTimeMs() + sliceMs;
  const slice = { accountId, performed: 0, isOver: () => isStopping() || realTimeMs() > endsAtMs };
  const isAwaited = async () =>
    !(await settleOrphans(deps, accountId)) || (await hasAttemptsInFlight(tools, accountId));
  while (!slice.isOver() && (await isAwaited())) await sleep(AWAITED_LOOK_MS);
  for (;;) {
    const standing = await goOn(deps, tools, slice);
    if (standing !== null) return { ...standing, performed: slice.performed };
  }
}

/** A slice that runs. */
interface Slice {
  readonly accountId: string;
  readonly isOver: () => boolean;
  performed: number;
}

/** Does the first thing that is due at the instant of the clock, or all attempts of it, or moves on to the next; null: there is more to do. */
async function goOn(deps: Deps, tools: HeldTools, slice: Slice): Promise<Omit<AdvanceStatus, 'performed'> | null> {
  const { accountId } = slice;
  // An account that is gone has no clock to move.
  const clock = (await findMovingClock(deps.pool, { accountId })) ?? { ...REAL_CLOCK, target: null };
  const { heldAt, target } = clock;
  if (heldAt === null || target === null) {
    advances.delete(accountId);
    return { done: true, now: deps.clock.now({ clock }), target: null };
  }
  const unfinished = { done: false, now: heldAt, target };
  if (slice.isOver()) return unfinished;
  const advance = advanceOf(tools, { accountId, target });
  const item = await firstDue(deps, { accountId, heldAt, upTo: target, notBefore: advance.notBefore });
  if (item !== null && item.at <= heldAt) {
    await perform(deps, advance, { item, heldAt });
    slice.performed += 1;
    return null;
  }
  // Attempts are the last of an instant: the clock moves on when they are made.
  const { sent, waits } = await advance.deliveries.send(heldAt);
  slice.performed += sent;
  // Other clocks have their turns meanwhile.
  if (waits !== null) return { ...unfinished, waitsSeconds: waits };
  const attemptAt = (await advance.deliveries.nextAt()) ?? target;
  const next = Math.min(item?.at ?? target, attemptAt, restEnds(advance.notBefore, heldAt) ?? target, target);
  if (next > heldAt) await run(deps.pool, moveHeld, { accountId, next });
  else if (next === target && item === null) await finishAdvance(deps, accountId);
  return null;
}

/** After the deadline with its margin an answer proves something; one that does not come by then is left to its case. */
const PATIENCE_SECONDS = 2 * CHARGE_MARGIN;

/** Whoever is left without an answer says so; who died, or has waited since before the clock was held, did not. */
const findOrphans = statement(
  'find_orphaned_charges',
  `SELECT c.intent_id AS "intentId" FROM charge_attempt c
   WHERE c.account_id = :accountId AND NOT c.live_mode AND c.status = 'sent' AND c.unknown_at IS NULL
     AND c.deadline_at + interval '${PATIENCE_SECONDS} seconds' > now()`,
);

/**
 * Finds out what became of charges that somebody else awaited, in a process that died or in a request of before the advance:
 * they are booked where the clock stands, before it moves on. False: an answer is still to come.
 */
async function settleOrphans(deps: Deps, accountId: string): Promise<boolean> {
  let areSettled = true;
  for (const { intentId } of await run<{ intentId: string }>(deps.pool, findOrphans, { accountId })) {
    const { done } = await chargeReconciliationStep(deps, intentId);
    if (!done) areSettled = false;
  }
  return areSettled;
}

/** What one advance remembers over its slices; nothing is lost with it. */
interface Advance {
  /** Another process may have ended the advance before this one. */
  readonly target: Timestamp;
  readonly deliveries: HeldDeliveries;
  /** What is looked at again no sooner. */
  readonly notBefore: Map<string, Timestamp>;
  readonly failures: Map<string, number>;
}

const advances = new Map<string, Advance>();
const ADVANCES_MAX = 10_000;

function advanceOf(tools: HeldTools, { accountId, target }: { accountId: string; target: Timestamp }): Advance {
  const known = advances.get(accountId);
  if (known?.target === target) return known;
  if (advances.size >= ADVANCES_MAX) advances.clear();
  const deliveries = new HeldDeliveries(tools, accountId);
  const begun = { target, deliveries, notBefore: new Map(), failures: new Map() };
  advances.set(accountId, begun);
  return begun;
}

/** A fault of one thing is met again some times, as of a database that is away; then the clock goes on without it for a day. */
const FAILURES_MAX = 5;

async function perform(
  deps: Deps,
  { notBefore, failures }: Advance,
  { item: { source, id }, heldAt }: { item: DueItem; heldAt: Timestamp },
): Promise<void> {
  try {
    const again = await performers[source](deps, id);
    if (again !== null) notBefore.set(id, heldAt + again);
    failures.delete(id);
  } catch (error) {
    const failed = (failures.get(id) ?? 0) + 1;
    failures.set(id, failed);
    if (failed < FAILURES_MAX) throw error;
    failures.delete(id);
    notBefore.set(id, heldAt + DAY);
    const message = 'what is due could not be done, and the test clock goes on without it';
    raiseAlarm(deps, 'billing_failed', { err: error, id, message });
  }
}

/** What was due and was not done is not asked for over and over. */
const pauseAfter = (outcome: string): number | null => (outcome === 'not_due' ? HOUR : null);

/** Each does one thing, and answers after how many seconds of the account's clock it is looked at again where its row does not say. */
const performers: Readonly<Record<Source, (deps: Deps, id: string) => Promise<number | null>>> = {
  return: async (deps, id) => {
    const step = await advanceReturns(deps, id);
    return step.done ? null : Math.max(1, step.dueInSeconds);
  },
  confirmed: settleHeld,
  mandate: lapseHeld,
  step: async (deps, id) => pauseAfter(await performStep(deps, id, { by: 'test_clock' })),
  cycle: async (deps, id) => pauseAfter(await performDue(deps, id, { by: 'test_clock' })),
  health: async (deps, id) => pauseAfter(await performHealth(deps, id)),
  session: async (deps, id) => pauseAfter(await performExpiry(deps, id, { by: 'test_clock' })),
};
