import type { Invoice } from '../invoices/entity.ts';
import type { PaymentMade } from '../invoices/life.ts';
import { netOfBill } from '../invoices/lines.ts';
import type { Cents } from '../kernel/money.ts';
import { HOUR } from '../kernel/time.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { agree } from './agree.ts';
import { scheduleAgain } from './collection/charge.ts';
import { periodOfCycle } from './decide.ts';
import type { Subscription } from './entity.ts';
import { askOf, openMandateOf } from './mandates/rows.ts';
import { countTerm } from './penalty.ts';
import { promiseNoAttempt, renewBy } from './renewed-by.ts';
import { type Contracted, lockSubscription } from './rows.ts';
import { cyclePeriod, nextSubscriptionStatus, type Period } from './rules.ts';
import { viewSubscription } from './view.ts';

/** The cycle that is paid for begins now: it is the anchor of those to come (docs/product/subscriptions.md#first-payment). */
export function beginCycle(tx: Tx, contracted: Contracted, { cycle, net }: { cycle: number; net: Cents }): Period {
  const {
    subscription,
    items: [{ price }],
  } = contracted;
  subscription.cycle = cycle;
  subscription.anchorCycle = cycle;
  subscription.billedCycle = cycle;
  subscription.periodNet = net;
  subscription.aheadNet = null;
  subscription.periodApart = 0;
  subscription.aheadApart = 0;
  const period = cyclePeriod(tx.now, price, 0);
  countTerm(contracted, period);
  return period;
}

/** Begins the cycle after the current one, whether it is paid or not. */
export function beginPeriod(contracted: Contracted): void {
  const { subscription } = contracted;
  const period = periodOfCycle(contracted, subscription.cycle + 1);
  subscription.cycle += 1;
  subscription.billedCycle = Math.max(subscription.billedCycle, subscription.cycle);
  subscription.currentPeriodStart = period.start;
  subscription.currentPeriodEnd = period.end;
  subscription.periodDays = null;
  subscription.periodNet = subscription.aheadNet ?? null;
  subscription.aheadNet = null;
  subscription.periodApart = subscription.aheadApart;
  subscription.aheadApart = 0;
  countTerm(contracted, period);
}

/** The first payment, or the one after a suspension; a bill of 0 is paid without a method. */
export function activate(
  tx: Tx,
  contracted: Contracted,
  { invoice, payment }: { invoice: Invoice; payment: PaymentMade | null },
): void {
  const { subscription } = contracted;
  if (subscription.status === 'suspended') {
    subscription.status = nextSubscriptionStatus(subscription, 'reactivate');
    subscription.reactivatedAt = tx.now;
    tx.record('subscription.reactivated', viewSubscription(tx, contracted));
  }
  subscription.status = nextSubscriptionStatus(subscription, 'activate');
  subscription.pendingUntil = null;
  subscription.activatedAt = tx.now;
  agree(tx, subscription);
  if (payment?.initiator === 'customer') renewBy(subscription, payment);
  subscription.billingCycleAnchor = tx.now;
  subscription.currentPeriodStart = invoice.periodStart;
  subscription.currentPeriodEnd = invoice.periodEnd;
  subscription.periodDays = null;
  if (subscription.cancelAtPeriodEnd) subscription.cancelAt = invoice.periodEnd;
  // The cycle's own invoice, though a younger one may have been voided when the subscription was suspended.
  const begun = viewSubscription(tx, {
    ...contracted,
    subscription: { ...subscription, latestInvoiceId: invoice.id },
  });
  tx.record('subscription.activated', begun);
  tx.record('subscription.period_started', begun);
}

/** The cycle after all that were billed: an invoice that was made ahead and voided with the suspension keeps its number. */
const nextCycle = ({ cycle, billedCycle }: Subscription): number => (cycle === 0 ? 1 : billedCycle + 1);

/**
 * The subscription that a payment is of; null where it changes none: the subscription has ended, or goes on as it is, for a
 * stored card was charged by schedule. That chooses no method: the customer may have stored another card while the charge
 * was at the acquirer.
 */
async function lockPaid(tx: Tx, invoice: Invoice, payment: PaymentMade): Promise<Contracted | null> {
  const id = invoice.subscriptionId ?? null;
  const isAsked = invoice.collection === 'awaited' && invoice.billingReason !== 'subscription_change';
  if (id === null || (payment.initiator === 'merchant' && !isAsked)) return null;
  const contracted = await lockSubscription(tx, id);
  return contracted.subscription.status === 'inactive' ? null : contracted;
}

/** An invoice that was marked uncollectible was forgiven: its payment is not the one that is waited for. */
const isAwaited = ({ subscription }: Contracted, invoice: Invoice): boolean =>
  (subscription.status === 'pending' || subscription.status === 'suspended') && invoice.markedUncollectibleAt == null;

/** What an invoice is paid for begins with its payment (docs/product/subscriptions.md#moves); the other open renewals follow its method. */
export async function completePaid(tx: Tx, invoice: Invoice, payment: PaymentMade): Promise<void> {
  const contracted = await lockPaid(tx, invoice, payment);
  if (contracted === null) return;
  const { subscription } = contracted;
  if (isAwaited(contracted, invoice)) {
    const period = beginCycle(tx, contracted, { cycle: nextCycle(subscription), net: netOfBill(invoice) });
    invoice.cycle = subscription.cycle;
    invoice.periodStart = period.start;
    invoice.periodEnd = period.end;
  } else if (payment.type === 'card') await scheduleAgain(tx, subscription.id, { besides: invoice.id });
  else tx.write(promiseNoAttempt, { id: subscription.id, besides: invoice.id });
}

/** A bill was paid that brings a mandate: the bank of the buyer tells soon whether it was authorised by that. */
const AUTHORISED_WITHIN = HOUR;

async function hastenMandate(tx: Tx, contracted: Contracted): Promise<void> {
  const mandate = await openMandateOf(tx, contracted);
  if (mandate?.status !== 'pending' || mandate.journey !== 'first_payment') return;
  mandate.expiresAt = Math.min(mandate.expiresAt, tx.now + AUTHORISED_WITHIN);
  askOf(tx, mandate);
}

/** What the payment of an invoice makes of its subscription. */
export async function followPaid(tx: Tx, invoice: Invoice, payment: PaymentMade): Promise<void> {
  const contracted = await lockPaid(tx, invoice, payment);
  if (contracted === null) return;
  await hastenMandate(tx, contracted);
  if (isAwaited(contracted, invoice)) activate(tx, contracted, { invoice, payment });
  else if (payment.initiator === 'customer') renewBy(contracted.subscription, payment);
}
