import { statement } from '../db/statement.ts';
import type { PaymentMade } from '../invoices/life.ts';
import type { Subscription } from './entity.ts';

/** What a customer pays with, or chooses to, becomes what renewals are paid by. */
export function renewBy(
  subscription: Subscription,
  { type, paymentMethodId, installments }: Pick<PaymentMade, 'type' | 'paymentMethodId' | 'installments'>,
): void {
  // While a mandate is active, a payment by other means pays its bill and changes nothing else.
  if (subscription.paymentMethodType === 'pix_automatico' && type !== 'pix_automatico') return;
  subscription.paymentMethodType = type;
  subscription.paymentMethodId = paymentMethodId;
  subscription.installments = installments;
}

/** No card is charged for the other renewals any more; the step that was to charge it gives up in its time. */
export const promiseNoAttempt = statement(
  'promise_no_attempt',
  // The ids in an array: no month is chosen by a row (docs/design/sql.md#partitions).
  `UPDATE payment_intent p SET next_attempt = NULL WHERE p.status = 'failed' AND p.invoice_id = ANY (ARRAY(
     SELECT i.id FROM invoice i WHERE i.subscription_id = :id AND i.status = 'open' AND i.id IS DISTINCT FROM :besides))`,
);
