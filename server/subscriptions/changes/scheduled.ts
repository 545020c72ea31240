import type { BilledPrice } from '../../catalog/rules.ts';
import { BillingError } from '../../kernel/errors.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import type { Items } from '../decide.ts';
import type { SubscriptionChange } from '../entity.ts';
import { recountTerm } from '../penalty.ts';
import { renewsOtherwise } from '../recurrence.ts';
import { type Contracted, changeItems, changes } from '../rows.ts';
import { viewSubscription } from '../view.ts';
import { changedItems } from './items.ts';

/** What of a change says what it brings, and with which cycle. */
type Asked = Pick<SubscriptionChange, 'cycle' | 'asked' | 'created'>;

interface Waiting {
  readonly change: Asked;
  readonly prices: readonly BilledPrice[];
}

/** A subscription with the change that waits, or that a preview lets wait. */
interface Waited extends Pick<Contracted, 'subscription' | 'items'> {
  readonly scheduled: { readonly next: Waiting | null };
}

/** What a subscription bills as of a cycle, and from when its cycles are counted then. */
export interface Terms {
  readonly items: Items;
  readonly subscription: { readonly billingCycleAnchor: Timestamp; readonly anchorCycle: number };
}

/** The change that begins to hold with a cycle; null: none does. */
const dueWith = ({ scheduled: { next } }: Waited, cycle: number): Waiting | null =>
  next !== null && (next.change.cycle ?? cycle) <= cycle ? next : null;

/** The items as a change that waited makes them of those of now; null: they are gone that it names. A price that was taken off sale since still counts. */
export function itemsOfWaiting({ items }: Pick<Waited, 'items'>, { change, prices }: Waiting): Items | null {
  const sold = new Map(prices.map((price) => [price.id, { ...price, isSold: true }]));
  try {
    return changedItems(items, change.asked, { prices: sold, now: change.created });
  } catch (error) {
    if (error instanceof BillingError) return null;
    throw error;
  }
}

/** The first period of other recurrence begins where the last of the former one ends: the cycles are counted from there. */
function anchorOf({ subscription, items }: Waited, after: Items, { cycle: from }: Asked): Terms['subscription'] {
  const { currentPeriodEnd: end, billingCycleAnchor, anchorCycle } = subscription;
  // Cycles skip numbers after a suspension.
  const cycle = Math.max(from ?? 0, subscription.cycle + 1);
  return end != null && renewsOtherwise(items[0].price, after[0].price)
    ? { billingCycleAnchor: end, anchorCycle: cycle }
    : { billingCycleAnchor, anchorCycle };
}

/** What a subscription will bill for a cycle that is still to begin, as it stands now. */
export function termsOf(contracted: Waited, cycle: number): Terms {
  const due = dueWith(contracted, cycle);
  const after = due === null ? null : itemsOfWaiting(contracted, due);
  return due === null || after === null
    ? contracted
    : { items: after, subscription: anchorOf(contracted, after, due.change) };
}

/** Lets the change hold that begins to with a cycle; one whose items are gone lapses. */
export async function applyScheduled(tx: Tx, contracted: Contracted, cycle: number): Promise<Contracted> {
  const due = dueWith(contracted, cycle);
  const { subscription, scheduled } = contracted;
  if (due === null || scheduled.next === null) return contracted;
  const change = await tx.lock(changes, scheduled.next.change.id);
  const after = itemsOfWaiting(contracted, due);
  scheduled.next = null;
  change.status = after === null ? 'lapsed' : 'applied';
  if (after === null) {
    tx.record('subscription.change_lapsed', viewSubscription(tx, contracted));
    return contracted;
  }
  const effectiveAt = subscription.currentPeriodEnd ?? tx.now;
  change.effectiveAt = effectiveAt;
  if (renewsOtherwise(contracted.items[0].price, after[0].price))
    recountTerm(contracted, { items: after, start: effectiveAt });
  Object.assign(subscription, anchorOf(contracted, after, change));
  const changed = await changeItems(tx, contracted, { items: after, effectiveAt });
  tx.record('subscription.changed', viewSubscription(tx, changed));
  return changed;
}

/** Takes back the change that waits for its cycle, if one does. */
export async function cancelScheduled(tx: Tx, { scheduled }: Contracted): Promise<void> {
  if (scheduled.next === null) return;
  const change = await tx.lock(changes, scheduled.next.change.id);
  change.status = 'canceled';
  scheduled.next = null;
}
