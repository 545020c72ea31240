import { isDeepStrictEqual } from 'node:util';
import type { SubscriptionUpdate, Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { lockSubscription } from './rows.ts';
import { viewSubscription } from './view.ts';

/** Changes the code at once and the quantity from the next cycle; what changes nothing tells nothing. */
export function updateSubscription(
  deps: Deps,
  scope: Scope,
  id: string,
  { external_code: externalCode, quantity }: SubscriptionUpdate,
): Promise<SubscriptionView> {
  return deps.transaction(scope, async (tx) => {
    const { subscription, price } = await lockSubscription(tx, id);
    if (subscription.status === 'inactive')
      throw new BillingError('INVALID_STATE', { message: `${id} is inactive: it is not changed any more` });
    const before = viewSubscription(subscription, price);
    if (externalCode !== undefined) subscription.externalCode = externalCode;
    if (quantity !== undefined) subscription.quantity = quantity;
    const after = viewSubscription(subscription, price);
    if (!isDeepStrictEqual(before, after)) tx.record('subscription.updated', after);
    return tx.answer(after);
  });
}
