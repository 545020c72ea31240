import type { SubscriptionUpdate, Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { answerChange } from '../unit-of-work/facts.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import type { Subscription } from './entity.ts';
import { lockSubscription } from './rows.ts';
import { viewSubscription } from './view.ts';

/** Changes the code at once and the quantity from the next cycle. */
export function updateSubscription(
  deps: Deps,
  scope: Scope,
  id: string,
  changes: SubscriptionUpdate,
): Promise<SubscriptionView> {
  return deps.transaction(scope, async (tx) => {
    const { subscription, price } = await lockSubscription(tx, id);
    if (subscription.status === 'inactive')
      throw new BillingError('INVALID_STATE', { message: `${id} is inactive: it is not changed any more` });
    const view = (changed: Subscription): SubscriptionView => viewSubscription(tx, changed, price);
    return answerChange(tx, subscription, { type: 'subscription.updated', view, apply, changes });
  });
}

function apply(subscription: Subscription, { external_code: externalCode, quantity }: SubscriptionUpdate): void {
  if (externalCode !== undefined) subscription.externalCode = externalCode;
  if (quantity !== undefined) subscription.quantity = quantity;
}
