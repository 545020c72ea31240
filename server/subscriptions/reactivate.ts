import type { Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { lockSubscription } from './rows.ts';
import { nextSubscriptionStatus, PENDING_SECONDS } from './rules.ts';
import { viewSubscription } from './view.ts';

/** Nothing is done with its open invoice by itself any more: the subscription ends if that is not paid in time. */
const awaitInvoice = statement(
  'await_invoice_of_subscription',
  `UPDATE invoice SET collection = 'awaited', next_charge_at = NULL, step = NULL, step_at = NULL, wake_at = NULL
   WHERE subscription_id = :id AND status = 'open'`,
);

/** Lets a suspended subscription wait for the payment of its open invoice again, 7 days (docs/product/subscriptions.md#reactivation). */
export function reactivateSubscription(deps: Deps, scope: Scope, id: string): Promise<SubscriptionView> {
  return deps.transaction(scope, async (tx) => {
    const { subscription, price } = await lockSubscription(tx, id);
    subscription.status = nextSubscriptionStatus(subscription, 'reactivate');
    subscription.reactivatedAt = tx.now;
    subscription.pendingUntil = tx.now + PENDING_SECONDS;
    const answer = viewSubscription(subscription, price);
    tx.record('subscription.reactivated', answer);
    tx.write(awaitInvoice, { id });
    tx.enqueue({ kind: 'collection', key: id });
    return tx.answer(answer);
  });
}
