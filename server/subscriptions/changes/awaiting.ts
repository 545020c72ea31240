import type { Invoice } from '../../invoices/entity.ts';
import { cents } from '../../kernel/money.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import type { Items } from '../decide.ts';
import type { Subscription, SubscriptionChange } from '../entity.ts';
import { renewsOtherwise } from '../recurrence.ts';
import { type Contracted, changeItems, changes, lockSubscription } from '../rows.ts';
import { viewSubscription } from '../view.ts';
import { beginAnew } from './anew.ts';
import { itemsOfWaiting } from './scheduled.ts';

/** Whether an invoice is of a change that waits for its payment. */
export const isOfChange = ({ billingReason }: Invoice): boolean => billingReason === 'subscription_change';

/** The change that waited for its payment waits no more; null: none did. */
export async function endAwaiting(
  tx: Tx,
  { subscription, scheduled }: Contracted,
  status: 'applied' | 'lapsed' | 'canceled',
): Promise<SubscriptionChange | null> {
  if (scheduled.awaiting === null) return null;
  const change = await tx.lock(changes, scheduled.awaiting.change.id);
  change.status = status;
  subscription.changeLapsesAt = null;
  scheduled.awaiting = null;
  return change;
}

/** What is charged for both periods once the change is paid for. */
function chargeAnew(subscription: Subscription, { periodNet, aheadNet }: SubscriptionChange): void {
  if (periodNet != null) {
    subscription.periodApart += periodNet - (subscription.periodNet ?? 0);
    subscription.periodNet = cents(periodNet);
  }
  if (aheadNet != null) {
    subscription.aheadApart += aheadNet - (subscription.aheadNet ?? 0);
    subscription.aheadNet = cents(aheadNet);
  }
}

/** The change that an invoice is of, with its subscription and the items as it makes them; null: it is of none. */
async function lockOfInvoice(
  tx: Tx,
  invoice: Invoice,
): Promise<{ contracted: Contracted; change: SubscriptionChange; items: Items } | null> {
  if (invoice.subscriptionId == null || !isOfChange(invoice)) return null;
  const contracted = await lockSubscription(tx, invoice.subscriptionId);
  const { awaiting } = contracted.scheduled;
  const items = awaiting === null ? null : itemsOfWaiting(contracted.items, awaiting, contracted.subscription);
  if (awaiting === null || items === null)
    throw new Error(`no change of ${invoice.subscriptionId} waits for ${invoice.id}`);
  return { contracted, items, change: await tx.lock(changes, awaiting.change.id) };
}

/** The invoice of a change of the interval bills the period that begins with its payment. */
export async function beginPaid(tx: Tx, invoice: Invoice): Promise<void> {
  const found = await lockOfInvoice(tx, invoice);
  if (found === null) return;
  const { contracted, change, items } = found;
  const { subscription } = contracted;
  if (!renewsOtherwise(contracted.items[0].price, items[0].price)) return chargeAnew(subscription, change);
  const period = beginAnew(contracted, { items, at: change.effectiveAt, net: change.periodNet ?? 0 });
  invoice.cycle = subscription.cycle;
  invoice.billNumber = subscription.bills;
  invoice.periodStart = period.start;
  invoice.periodEnd = period.end;
}

/** The terms of a change hold once its invoice is paid, from the instant at which it was asked for (docs/product/subscriptions.md#changes). */
export async function holdPaid(tx: Tx, invoice: Invoice): Promise<void> {
  const found = await lockOfInvoice(tx, invoice);
  if (found === null) return;
  const { contracted, change, items } = found;
  await endAwaiting(tx, contracted, 'applied');
  const changed = viewSubscription(tx, await changeItems(tx, contracted, { items, effectiveAt: change.effectiveAt }));
  tx.record('subscription.changed', changed);
  if (invoice.cycle != null) tx.record('subscription.period_started', changed);
}
