import type { Invoice } from '../../invoices/entity.ts';
import { cents } from '../../kernel/money.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import type { Subscription, SubscriptionChange } from '../entity.ts';
import { type Contracted, changeItems, changes, lockSubscription } from '../rows.ts';
import { viewSubscription } from '../view.ts';
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

/** The terms of a change hold once its invoice is paid, from the instant at which it was asked for (docs/product/subscriptions.md#changes). */
export async function holdPaid(tx: Tx, invoice: Invoice): Promise<void> {
  if (invoice.subscriptionId == null || !isOfChange(invoice)) return;
  const contracted = await lockSubscription(tx, invoice.subscriptionId);
  const { awaiting } = contracted.scheduled;
  const items = awaiting === null ? null : itemsOfWaiting(contracted, awaiting);
  const change = await endAwaiting(tx, contracted, 'applied');
  if (change === null || items === null)
    throw new Error(`no change of ${invoice.subscriptionId} waits for ${invoice.id}`);
  chargeAnew(contracted.subscription, change);
  const changed = await changeItems(tx, contracted, { items, effectiveAt: change.effectiveAt });
  tx.record('subscription.changed', viewSubscription(tx, changed));
}
