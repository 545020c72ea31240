import type { BilledPrice } from '../../catalog/rules.ts';
import { addInvoiceItem, tellInvoiceItem } from '../../invoice-items/pending.ts';
import { BillingError } from '../../kernel/errors.ts';
import { cents } from '../../kernel/money.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import { type Items, periodOfCycle } from '../decide.ts';
import type { SubscriptionChange } from '../entity.ts';
import { penaltyOfLess, recountTerm } from '../penalty.ts';
import { renewsOtherwise } from '../recurrence.ts';
import { type Contracted, changeItems, changes, type ScheduledChange } from '../rows.ts';
import { viewSubscription } from '../view.ts';
import { changedItems } from './items.ts';
import { penaltyItem } from './pending.ts';

/** What of a change says what it brings, and with which cycle. */
type Asked = Pick<SubscriptionChange, 'effective' | 'cycle' | 'asked' | 'created'>;

export interface WaitingChange {
  readonly change: Asked;
  readonly prices: readonly BilledPrice[];
}

/** A subscription with the changes that wait for their cycles, or that a preview lets wait. */
interface Waited extends Pick<Contracted, 'subscription' | 'items'> {
  readonly scheduled: { readonly later: readonly WaitingChange[] };
}

/** What a subscription bills as of a cycle, and from when its cycles are counted then. */
export interface Terms {
  readonly items: Items;
  readonly subscription: { readonly billingCycleAnchor: Timestamp; readonly anchorCycle: number };
}

const isDueWith = ({ change }: WaitingChange, cycle: number): boolean => (change.cycle ?? cycle) <= cycle;

/**
 * The items as a change that waited makes them of those of then; null: it cannot, for they are gone that it names, or a price that it was to
 * bring later is not sold any more. What was asked for shortly before, or was billed already, is brought all the same.
 */
export function itemsOfWaiting(
  items: Items,
  { change, prices }: WaitingChange,
  { billedCycle }: { readonly billedCycle: number },
): Items | null {
  const isKept = change.effective !== 'cycle' || (change.cycle ?? 0) <= billedCycle;
  const sold = new Map(prices.map((price) => [price.id, isKept ? { ...price, isSold: true } : price]));
  try {
    return changedItems(items, change.asked, { prices: sold, now: change.created });
  } catch (error) {
    if (error instanceof BillingError) return null;
    throw error;
  }
}

/** The first period of other recurrence begins where the last of the former one ends: the cycles are counted from there. */
function anchorOf(
  { subscription }: Waited,
  terms: Terms,
  after: { items: Items; from: number | null },
): Terms['subscription'] {
  if (subscription.currentPeriodEnd == null || !renewsOtherwise(terms.items[0].price, after.items[0].price))
    return terms.subscription;
  // Cycles skip numbers after a suspension.
  const next = subscription.cycle + 1;
  const cycle = Math.max(after.from ?? 0, next);
  const begins = cycle === next ? subscription.currentPeriodEnd : periodOfCycle(terms, cycle).start;
  return { billingCycleAnchor: begins, anchorCycle: cycle };
}

/** What a subscription will bill for a cycle that is still to begin, as it stands now. */
export function termsOf(contracted: Waited, cycle: number): Terms {
  const { billingCycleAnchor, anchorCycle } = contracted.subscription;
  let terms: Terms = { items: contracted.items, subscription: { billingCycleAnchor, anchorCycle } };
  for (const one of contracted.scheduled.later.filter((waiting) => isDueWith(waiting, cycle))) {
    const items = itemsOfWaiting(terms.items, one, contracted.subscription);
    if (items === null) continue;
    const from = one.change.cycle ?? null;
    terms = { items, subscription: anchorOf(contracted, terms, { items, from }) };
  }
  return terms;
}

/** Lets the changes hold that begin to with a cycle, in their order; those that cannot lapse. */
export async function applyScheduled(tx: Tx, former: Contracted, cycle: number): Promise<Contracted> {
  let contracted = former;
  for (const one of former.scheduled.later.filter((waiting) => isDueWith(waiting, cycle)))
    contracted = await applyOne(tx, contracted, one);
  return contracted;
}

async function applyOne(tx: Tx, contracted: Contracted, one: ScheduledChange): Promise<Contracted> {
  const { subscription } = contracted;
  const items = itemsOfWaiting(contracted.items, one, subscription);
  if (items === null) {
    await lapse(tx, contracted, one);
    return contracted;
  }
  const change = await takeOut(tx, contracted, one);
  change.status = 'applied';
  const penalty = change.penalty === 'apply' ? penaltyOfLess(contracted, { after: items, skipped: 0 }) : cents(0);
  const effectiveAt = subscription.currentPeriodEnd ?? tx.now;
  change.effectiveAt = effectiveAt;
  if (renewsOtherwise(contracted.items[0].price, items[0].price))
    recountTerm(contracted, { items, start: effectiveAt });
  Object.assign(subscription, anchorOf(contracted, contracted, { items, from: change.cycle ?? null }));
  const changed = await changeItems(tx, contracted, { items, effectiveAt });
  tx.record('subscription.changed', viewSubscription(tx, changed));
  for (const item of penaltyItem(contracted, { after: items, penalty })) tellInvoiceItem(tx, addInvoiceItem(tx, item));
  return changed;
}

async function lapse(tx: Tx, contracted: Contracted, one: ScheduledChange): Promise<void> {
  const change = await takeOut(tx, contracted, one);
  change.status = 'lapsed';
  tx.record('subscription.change_lapsed', viewSubscription(tx, contracted));
}

/** A bill of a cycle is made ahead: changes that it cannot bill lapse, so that none comes between it and its cycle. */
export async function lapseUnbillable(tx: Tx, contracted: Contracted, cycle: number): Promise<void> {
  let { items } = contracted;
  for (const one of contracted.scheduled.later.filter((waiting) => isDueWith(waiting, cycle))) {
    const after = itemsOfWaiting(items, one, contracted.subscription);
    if (after === null) await lapse(tx, contracted, one);
    else items = after;
  }
}

/** The change waits no more. */
async function takeOut(tx: Tx, { scheduled }: Contracted, one: ScheduledChange): Promise<SubscriptionChange> {
  scheduled.later = scheduled.later.filter((other) => other !== one);
  return tx.lock(changes, one.change.id);
}

/** Takes back changes that wait for their cycles. */
export async function cancelScheduled(
  tx: Tx,
  contracted: Contracted,
  isMeant: (change: SubscriptionChange) => boolean = () => true,
): Promise<void> {
  for (const one of contracted.scheduled.later.filter(({ change }) => isMeant(change)))
    (await takeOut(tx, contracted, one)).status = 'canceled';
}

/** Adds a change that waits for its cycle behind those that wait for the same or an earlier one. */
export function addScheduled({ scheduled }: Contracted, one: ScheduledChange): void {
  const place = ({ change }: ScheduledChange): number => change.cycle ?? 0;
  scheduled.later = [...scheduled.later, one].toSorted((a, b) => place(a) - place(b));
}
