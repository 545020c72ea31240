import type { Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import { hangsOn } from '../db/months.ts';
import { statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { schedule } from '../invoices/life.ts';
import { joinCard } from '../payments/card/stored.ts';
import { lockBook } from '../payments/intents/book.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { lockSubscription } from './rows.ts';
import { nextSubscriptionStatus, PENDING_SECONDS } from './rules.ts';
import { viewSubscription } from './view.ts';

/** Read behind the lock of the subscription, which whoever books a charge of its invoices takes as well. */
const findOpen = statement<{ id: string; hasNewCard: boolean }>(
  'find_open_invoices_to_await',
  `SELECT i.id, m.deleted_at IS NULL AND m.sealed_token IS NOT NULL AND NOT EXISTS (SELECT FROM charge_attempt c
     WHERE ${hangsOn('ca_', 'c.invoice_id', 'i.id')} AND c.status IN ('declined', 'never_charged')
       AND (c.payment_method_id = m.id OR c.completed_at > m.created)) AS "hasNewCard"
   FROM invoice i JOIN subscription s ON s.id = i.subscription_id
   ${joinCard('s', 'm')}
   WHERE i.subscription_id = :id AND i.status = 'open' ORDER BY i.id`,
);

/**
 * The subscription ends if its open invoice is not paid in time. A card that was stored after the last decline is charged
 * at once, by the case; nothing else is done by itself any more.
 */
async function awaitPayment(tx: Tx, { id, hasNewCard }: { id: string; hasNewCard: boolean }): Promise<void> {
  const { invoice, intent } = await lockBook(tx, id);
  invoice.collection = 'awaited';
  invoice.nextChargeAt = hasNewCard && intent?.status !== 'processing' ? tx.now : null;
  if (intent?.status === 'failed' && intent.isScheduled) intent.nextAttempt = invoice.nextChargeAt;
  schedule(invoice, tx.now);
}

/** Lets a suspended subscription wait for the payment of its open invoice again, 7 days (docs/product/subscriptions.md#reactivation). */
export function reactivateSubscription(deps: Deps, scope: Scope, id: string): Promise<SubscriptionView> {
  return deps.transaction(scope, async (tx) => {
    const contracted = await lockSubscription(tx, id);
    const { subscription } = contracted;
    subscription.status = nextSubscriptionStatus(subscription, 'reactivate');
    subscription.reactivatedAt = tx.now;
    subscription.pendingUntil = tx.now + PENDING_SECONDS;
    const answer = viewSubscription(tx, contracted);
    tx.record('subscription.reactivated', answer);
    for (const open of await tx.query(findOpen, { id })) await awaitPayment(tx, open);
    tx.enqueue({ kind: 'collection', key: id });
    return tx.answer(answer);
  });
}
