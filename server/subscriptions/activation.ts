import { statement } from '../db/statement.ts';
import type { Tx } from '../deps.ts';
import type { Invoice } from '../invoices/entity.ts';
import type { PaymentMade } from '../invoices/payment.ts';
import { scheduleAgain } from './collection/schedule-again.ts';
import type { Subscription } from './entity.ts';
import { type Contracted, lockSubscription, updateSubscription } from './rows.ts';
import { cyclePeriod, nextSubscriptionStatus } from './rules.ts';
import { viewSubscription } from './view.ts';

/** The cycle that an invoice pays for begins now: it is the anchor of those to come (decisions §3, Subscription). */
export function beginCycle(
  tx: Tx,
  { subscription, price }: Contracted,
  { invoice, cycle }: { invoice: Invoice; cycle: number },
): void {
  const period = cyclePeriod(tx.now, { interval: price.interval, intervalCount: price.intervalCount }, 0);
  subscription.cycle = cycle;
  subscription.anchorCycle = cycle;
  subscription.billedCycle = cycle;
  invoice.cycle = cycle;
  invoice.periodStart = period.start;
  invoice.periodEnd = period.end;
}

/** The first payment, or the one after a suspension; a bill of 0 is paid without a method. */
export function activate(
  tx: Tx,
  { subscription, price }: Contracted,
  { invoice, payment }: { invoice: Invoice; payment: PaymentMade | null },
): void {
  if (subscription.status === 'suspended') {
    subscription.status = nextSubscriptionStatus(subscription, 'reactivate');
    subscription.reactivatedAt = tx.now;
    tx.record('subscription.reactivated', viewSubscription(subscription, price));
  }
  subscription.status = nextSubscriptionStatus(subscription, 'activate');
  subscription.pendingUntil = null;
  subscription.activatedAt = tx.now;
  if (payment !== null) renewBy(subscription, payment);
  tx.record('subscription.activated', viewSubscription(subscription, price));
  subscription.billingCycleAnchor = tx.now;
  subscription.currentPeriodStart = invoice.periodStart;
  subscription.currentPeriodEnd = invoice.periodEnd;
  tx.record('subscription.period_started', viewSubscription(subscription, price));
}

/** The cycle after all that were billed: an invoice that was made ahead and voided with the suspension keeps its number. */
const nextCycle = ({ cycle, billedCycle }: Subscription): number => (cycle === 0 ? 1 : billedCycle + 1);

/** The method of a customer's payment becomes the one that renewals are paid by. */
function renewBy(subscription: Subscription, { type, paymentMethodId, installments }: PaymentMade): void {
  subscription.paymentMethodType = type;
  subscription.paymentMethodId = paymentMethodId;
  subscription.installments = installments;
}

const nothing = (): void => {};

/** No card is charged for the other renewals any more; the step that was to charge it gives up in its time. */
const promiseNoAttempt = statement(
  'promise_no_attempt',
  `UPDATE payment_intent p SET next_attempt = NULL FROM invoice i
   WHERE i.subscription_id = $1 AND i.status = 'open' AND i.id <> $2 AND p.invoice_id = i.id AND p.status = 'failed'`,
);

/** What the payment of an invoice makes of its subscription; one that ended stays so (decisions §3). */
export async function followPayment(tx: Tx, invoice: Invoice, payment: PaymentMade): Promise<() => void> {
  const id = invoice.subscriptionId ?? null;
  // A scheduled charge chooses no method: the customer may have stored another card while it was at the acquirer.
  if (id === null || payment.initiator === 'merchant') return nothing;
  const contracted = await lockSubscription(tx, id);
  const { subscription } = contracted;
  if (subscription.status === 'inactive') return nothing;
  // One that was marked uncollectible was forgiven: its payment is not the one that is waited for.
  const begins = subscription.status !== 'active' && invoice.status === 'open';
  if (begins) beginCycle(tx, contracted, { invoice, cycle: nextCycle(subscription) });
  else if (payment.type === 'card') await scheduleAgain(tx, id, { besides: invoice.id });
  else tx.write(promiseNoAttempt, [id, invoice.id]);
  return () => {
    if (begins) activate(tx, contracted, { invoice, payment });
    else renewBy(subscription, payment);
    updateSubscription(tx, subscription);
  };
}
