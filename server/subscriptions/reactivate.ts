import type { Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { lockSubscription, updateSubscription } from './rows.ts';
import { nextSubscriptionStatus, PENDING_SECONDS } from './rules.ts';
import { viewSubscription } from './view.ts';

/** Lets a suspended subscription wait for the payment of its open invoice again, 7 days (decisions §3, Subscription). */
export function reactivateSubscription(deps: Deps, scope: Scope, id: string): Promise<SubscriptionView> {
  return deps.transaction(scope, async (tx) => {
    const { subscription, price } = await lockSubscription(tx, id);
    subscription.status = nextSubscriptionStatus(subscription, 'reactivate');
    subscription.reactivatedAt = tx.now;
    subscription.pendingUntil = tx.now + PENDING_SECONDS;
    const answer = viewSubscription(subscription, price);
    tx.record('subscription.reactivated', answer);
    updateSubscription(tx, subscription);
    return tx.answer(answer);
  });
}
