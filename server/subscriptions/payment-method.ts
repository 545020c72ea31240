import type { CardHolding } from '../../contract/payment-methods.ts';
import type { SubscriptionStatus, Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import { lockCustomer } from '../customers/customers.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { missing } from '../kernel/errors.ts';
import type { ChargedCard } from '../payments/card/attempts.ts';
import { keepCard, takeVerifiedCard } from '../payments/card/intake.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { promiseNoAttempt, renewBy } from './activation.ts';
import { scheduleAgain } from './collection/charge.ts';
import { lockSubscription } from './rows.ts';
import { refuseUnlessRenewing } from './rules.ts';
import { viewSubscription } from './view.ts';

interface CardChangeLook {
  id: string;
  customerId: string;
  status: SubscriptionStatus;
  cycle: number;
}

const lookAtCardChange = statement<CardChangeLook>(
  'look_at_payment_method_change',
  `SELECT s.id, s.customer_id AS "customerId", s.status, s.cycle FROM subscription s
   WHERE s.id = :id AND ${mine('s')}`,
);

/**
 * Stores another card, which renewals are charged to from then on (docs/product/subscriptions.md#another-card). The acquirer is asked
 * with no transaction open, and only of a subscription that may have it; the state is looked at again under the lock.
 */
export async function changePaymentMethod(
  deps: Deps,
  scope: Scope,
  { id, holding }: { id: string; holding: CardHolding },
): Promise<SubscriptionView> {
  const [look] = await readIn(deps.pool, scope, lookAtCardChange, { id });
  if (look === undefined) throw missing('subscription', id);
  refuseUnlessRenewing(look);
  const card = await takeVerifiedCard(deps, scope, { holding, subscriptionId: id });
  return deps.transaction(scope, async (tx) => tx.answer(await storeCard(tx, look, card)));
}

async function storeCard(tx: Tx, { id, customerId }: CardChangeLook, card: ChargedCard): Promise<SubscriptionView> {
  // The customer first, as an anonymization does: it erases every card that it finds.
  const [, contracted] = await Promise.all([lockCustomer(tx, customerId, 'customer'), lockSubscription(tx, id)]);
  const { subscription } = contracted;
  refuseUnlessRenewing(subscription);
  keepCard(tx, customerId, card);
  subscription.paymentMethodType = 'card';
  subscription.paymentMethodId = card.paymentMethodId;
  // The installments stay those of the last payment, which by PIX are one; each charge holds them to the price's rules.
  const view = viewSubscription(tx, contracted);
  tx.record('subscription.updated', view);
  await scheduleAgain(tx, id);
  return view;
}

/**
 * Has renewals be paid by PIX from then on, as a payment by PIX does (docs/product/subscriptions.md#turning-to-pix): no stored
 * card is charged any more, for open bills either.
 */
export const turnToPix = (deps: Deps, scope: Scope, id: string): Promise<SubscriptionView> =>
  deps.transaction(scope, async (tx) => {
    const contracted = await lockSubscription(tx, id);
    const { subscription } = contracted;
    refuseUnlessRenewing(subscription);
    if (subscription.paymentMethodType !== 'pix') {
      renewBy(subscription, { type: 'pix', paymentMethodId: null, installments: 1 });
      tx.write(promiseNoAttempt, { id, besides: null });
      tx.record('subscription.updated', viewSubscription(tx, contracted));
    }
    return tx.answer(viewSubscription(tx, contracted));
  });
