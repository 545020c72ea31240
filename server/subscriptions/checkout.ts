import type { CheckoutInput } from '../../contract/payment-methods.ts';
import type { SubscriptionStatus, Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import type { TrialEndBehavior } from '../../contract/trials.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { checkoutAs } from './mandates/checkout.ts';
import { changePaymentMethod } from './payment-method.ts';
import { lockSubscription } from './rows.ts';
import { storesCard } from './rules.ts';
import { viewSubscription } from './view.ts';

interface CheckoutLook {
  status: SubscriptionStatus;
  cycle: number;
  trialEndBehavior: TrialEndBehavior | null;
  trialStartAt: Timestamp | null;
  latestId: string | null;
  /** The newest invoice may be one that was voided when the subscription was suspended. */
  openId: string | null;
}

const lookAtCheckout = statement<CheckoutLook>(
  'look_at_subscription_checkout',
  `SELECT s.status, s.cycle, s.trial_end_behavior AS "trialEndBehavior", s.trial_start_at AS "trialStartAt", s.latest_invoice_id AS "latestId",
     (SELECT i.id FROM invoice i WHERE i.subscription_id = s.id AND i.status = 'open' ORDER BY i.id LIMIT 1) AS "openId"
   FROM subscription s WHERE s.id = :id AND ${mine('s')}`,
);

/**
 * Charges the open invoice of a subscription that waits for it, and answers the subscription
 * (docs/product/payments.md#checkout); the payment itself activates it. A repeated request is answered its attempt's
 * outcome, whatever that did.
 */
export async function checkoutSubscription(
  deps: Deps,
  scope: Scope,
  { id, checkout }: { id: string; checkout: CheckoutInput },
): Promise<SubscriptionView> {
  const [look] = await readIn(deps.pool, scope, lookAtCheckout, { id });
  if (look === undefined) throw missing('subscription', id);
  if (storesCard(look)) return storeForTrial(deps, scope, { id, checkout });
  const invoiceId = invoiceToPay(look, isRepeatedCharge(scope, checkout));
  if (invoiceId === null) {
    const message = `${id} is ${look.status}: it does not wait for a payment of its own`;
    throw new BillingError('SUBSCRIPTION_NOT_PENDING', { message });
  }
  return checkoutAs(deps, scope, {
    invoiceId,
    checkout,
    show: async (tx, { payment_method: method }) => {
      const contracted = await lockSubscription(tx, id);
      return { ...viewSubscription(tx, contracted), payment_method: method };
    },
  });
}

/** Nothing is due yet: the card is verified and kept for what comes after the trial (docs/product/subscriptions.md#trials). */
function storeForTrial(
  deps: Deps,
  scope: Scope,
  { id, checkout }: { id: string; checkout: CheckoutInput },
): Promise<SubscriptionView> {
  if (checkout.payment_method_type !== 'card') {
    const message = `${id} has nothing to pay yet: a card is stored for what comes, or a mandate asked for by POST /api/v1/subscriptions/${id}/mandates`;
    throw new BillingError('PAYMENT_METHOD_NEEDED', { message, param: 'payment_method_type' });
  }
  const { payment_method_type: _, installments = 1, ...holding } = checkout;
  return changePaymentMethod(deps, scope, { id, holding, installments });
}

/** A charge by card is answered from its attempt; a QR code is only asked for while it can be paid. */
const isRepeatedCharge = ({ idempotency }: Scope, { payment_method_type: method }: CheckoutInput): boolean =>
  method === 'card' && (idempotency?.formerAttempt ?? null) !== null;

function invoiceToPay({ status, latestId, openId }: CheckoutLook, isRepeated: boolean): string | null {
  if (isRepeated) return latestId;
  return status === 'pending' || status === 'suspended' ? openId : null;
}
