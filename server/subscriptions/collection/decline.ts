import type { Tx } from '../../db/tx.ts';
import { schedule } from '../../invoices/life.ts';
import { nextCharge } from '../../invoices/rules.ts';
import type { CollectionDays } from '../../kernel/collection-days.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { ChargeRecord } from '../../payments/card/attempts.ts';
import { fillCalendar, lockSubscription } from '../rows.ts';

/**
 * What a declined charge changes of the schedule of its invoice, before it is recorded. After a
 * reversible decline of a scheduled charge the next one is scheduled, and the subscription gets its case; a buyer's decline
 * leaves the schedule as it is. What waited for the outcome is scheduled again.
 */
export async function followDecline(tx: Tx, { invoice, intent, attempt }: ChargeRecord): Promise<void> {
  const { subscriptionId } = invoice;
  if (subscriptionId != null) await awaitAgain(tx, subscriptionId);
  if (invoice.collection === 'awaited') {
    // A card that was stored before this decline is charged no more.
    invoice.nextChargeAt = null;
    schedule(invoice, tx.scope.account);
    return;
  }
  const isScheduled = attempt.initiator === 'merchant' && subscriptionId != null;
  const isParked = invoice.status === 'open' && invoice.step == null;
  if (!isScheduled && !isParked) return;
  const { account: days } = tx.scope;
  if (isScheduled) {
    invoice.nextChargeAt = await nextChargeAfter(tx, { invoice, attempt }, { subscriptionId, days });
    intent.nextAttempt = invoice.nextChargeAt;
    invoice.inCase = true;
    tx.enqueue({ kind: 'collection', key: subscriptionId });
  }
  schedule(invoice, days);
}

/** A card that its issuer has refused for good is not charged again; one that was stored meanwhile is. */
async function nextChargeAfter(
  tx: Tx,
  { invoice, attempt }: Pick<ChargeRecord, 'invoice' | 'attempt'>,
  { subscriptionId, days }: { subscriptionId: string; days: CollectionDays },
): Promise<Timestamp | null> {
  if (invoice.collection !== 'renewal') return null;
  const { subscription } = await lockSubscription(tx, subscriptionId);
  const { paymentMethodId } = subscription;
  const isReplaced = paymentMethodId != null && paymentMethodId !== attempt.paymentMethodId;
  return attempt.isReversible === true || isReplaced ? nextCharge(invoice, days, tx.now) : null;
}

/** The end of a pending one that the charge held up is due again. */
async function awaitAgain(tx: Tx, subscriptionId: string): Promise<void> {
  const { subscription } = await lockSubscription(tx, subscriptionId);
  if (subscription.status === 'pending' && subscription.due == null) fillCalendar(subscription);
}
