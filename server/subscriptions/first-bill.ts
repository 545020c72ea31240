import { reserveFor } from '../coupons/redemption.ts';
import type { InvoiceItem } from '../invoice-items/entity.ts';
import { givenBack } from '../invoice-items/pending.ts';
import type { Invoice } from '../invoices/entity.ts';
import { type Announce, type Bill, discountOpen, issue } from '../invoices/life.ts';
import { NO_REMINDERS } from '../invoices/rules.ts';
import { civilDaysLater } from '../kernel/brazil.ts';
import type { Timestamp } from '../kernel/time.ts';
import { writeToBuyer } from '../mail/bill-letters.ts';
import type { OpenedCharge } from '../payments/card/attempts.ts';
import { DEBIT_DAYS_AHEAD } from '../payments/pix/debit-days.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { activate, beginCycle, beginPeriod } from './activation.ts';
import { billOfCycle, billOfRenewal, chargeAtOnce, pendingOf } from './billing/renew.ts';
import { discountBill, discountOfBill, type SubscriptionDiscount } from './discounts.ts';
import { debitOrAsk } from './mandates/debit.ts';
import type { Contracted } from './rows.ts';
import { nextSubscriptionStatus, PENDING_SECONDS } from './rules.ts';
import { billedTo, lockRenewal, type RenewalTerms } from './terms.ts';
import { viewSubscription } from './view.ts';

type FirstBill = ReturnType<typeof billOfCycle>;

/** The first bill of a subscription whose payment begins its first cycle. */
export const firstBill = (
  tx: Tx,
  contracted: Contracted,
  { buyer, pending }: { buyer: Bill['buyer']; pending: readonly InvoiceItem[] },
): FirstBill => {
  const bill = billOfCycle(contracted, {
    number: 1,
    billingReason: 'subscription_create',
    buyer,
    dueAt: tx.now + PENDING_SECONDS,
    period: null,
    collection: 'awaited',
    pending,
  });
  reserveFor(tx, contracted.subscription.discounts, { invoiceId: bill.id });
  return bill;
};

/** Opens it; one that comes to 0 is paid, and the subscription active. */
export function issueFirst(
  tx: Tx,
  contracted: Contracted,
  { bill, payableUntil, announce }: { bill: FirstBill; payableUntil?: Timestamp | undefined; announce?: Announce },
): Invoice {
  // A bill of nothing is paid at once, and its cycle begins.
  const period = bill.total === 0 ? beginCycle(tx, contracted, { cycle: 1, net: bill.net }) : null;
  const invoice = issue(tx, { ...bill, payableUntil, cycle: { ...bill.cycle, period } }, announce);
  if (invoice.status === 'paid') activate(tx, contracted, { invoice, payment: null });
  return invoice;
}

/**
 * Puts the discount of a coupon before the others of a subscription that was never paid, and so on its first bill where that was made
 * and nobody was charged for it: a bill of what a session showed, which uses no credits.
 */
export function discountUnpaid(
  tx: Tx,
  contracted: Contracted,
  { discount, invoice }: { discount: SubscriptionDiscount; invoice: Invoice | null },
): void {
  const { subscription, items } = contracted;
  subscription.discounts = [discount, ...subscription.discounts];
  reserveFor(tx, subscription.discounts, { subscriptionId: subscription.id });
  tx.record('subscription.updated', viewSubscription(tx, contracted));
  if (invoice === null) return;
  const { discounts } = subscription;
  const { applied, net, total } = discountBill(invoice.lineItems, { items, discounts, bill: 1 });
  subscription.aheadNet = net;
  // A bill of nothing is paid at once, and its cycle begins.
  const period = total === 0 ? beginCycle(tx, contracted, { cycle: 1, net }) : null;
  if (period !== null) Object.assign(invoice, { periodStart: period.start, periodEnd: period.end });
  discountOpen(tx, invoice, { discounts: applied.map(discountOfBill), total });
  if (period !== null) activate(tx, contracted, { invoice, payment: null });
}

/** The first bill once more, for what is to be billed has changed since it was made: its deadline stays. */
export async function firstBillAnew(tx: Tx, contracted: Contracted, former: Invoice): Promise<FirstBill> {
  const { subscription } = contracted;
  const { terms } = await lockRenewal(tx, subscription.id);
  const others = await pendingOf(tx, { contracted, terms });
  const place = ({ kind, id }: InvoiceItem): string => `${kind === 'setup' ? 0 : 1}${id}`;
  const pending = [...givenBack(tx, former), ...others].toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
  const buyer = billedTo(subscription, terms);
  return { ...firstBill(tx, contracted, { buyer, pending }), dueAt: former.dueAt };
}

/** Whoever was written to of the former first bill is written to of the one in its place. */
export async function issueAnew(tx: Tx, contracted: Contracted, bill: FirstBill): Promise<void> {
  const { startsAt, trialStartAt } = contracted.subscription;
  const invoice = issueFirst(tx, contracted, { bill });
  const wasWritten = startsAt != null || trialStartAt != null;
  if (wasWritten && invoice.status === 'open') await writeToBuyer(tx, { invoice, occasion: { kind: 'sent' } });
}

/** What the first bill of a subscription is made of when its time is there. */
export interface Beginning {
  readonly contracted: Contracted;
  readonly terms: RenewalTerms;
  readonly pending: readonly InvoiceItem[];
}

/** Its first bill waits for payment seven days, and its buyer is written to (docs/product/subscriptions.md#first-payment). */
export async function askForFirst(tx: Tx, { contracted, terms, pending }: Beginning): Promise<void> {
  const { subscription } = contracted;
  subscription.status = nextSubscriptionStatus(subscription, 'ask');
  subscription.pendingUntil = tx.now + PENDING_SECONDS;
  const buyer = billedTo(subscription, terms);
  const bill = firstBill(tx, contracted, { buyer, pending });
  tx.record('subscription.updated', viewSubscription(tx, contracted));
  const invoice = issueFirst(tx, contracted, { bill });
  if (invoice.status === 'open') await writeToBuyer(tx, { invoice, occasion: { kind: 'sent' } });
}

/** A subscription is active, and its stored card is charged for its first cycle. */
export function activateByCard(tx: Tx, beginning: Beginning, anchor: Timestamp): OpenedCharge | null {
  const { subscription } = beginning.contracted;
  subscription.status = nextSubscriptionStatus(subscription, 'activate');
  return chargeFirst(tx, beginning, anchor);
}

/**
 * The first cycle of an active subscription begins at an instant, and its bill is charged to the stored card as a renewal: declined, the
 * subscription is active and its invoice collected (docs/product/collection.md).
 */
export function chargeFirst(tx: Tx, beginning: Beginning, anchor: Timestamp): OpenedCharge | null {
  const { contracted, terms } = beginning;
  const invoice = billFirst(tx, beginning, { anchor, reminders: NO_REMINDERS });
  return invoice.status === 'open' ? chargeAtOnce(tx, contracted, { invoice, terms }) : null;
}

/**
 * A subscription is active, and its mandate pays the first cycle on the soonest day that its bank can be told of; false: it has
 * none that is authorised.
 */
export async function activateByMandate(tx: Tx, beginning: Beginning, anchor: Timestamp): Promise<boolean> {
  const { subscription } = beginning.contracted;
  if (subscription.paymentMethodType !== 'pix_automatico') return false;
  subscription.status = nextSubscriptionStatus(subscription, 'activate');
  const dueAt = civilDaysLater(tx.now, DEBIT_DAYS_AHEAD, tx.now);
  const invoice = billFirst(tx, beginning, { anchor, dueAt, reminders: 0 });
  if (invoice.status === 'open') await debitOrAsk(tx, beginning.contracted, invoice);
  return true;
}

/** The first cycle of an active subscription begins, and is billed. */
function billFirst(
  tx: Tx,
  { contracted, terms, pending }: Beginning,
  { anchor, dueAt, reminders }: { anchor: Timestamp; dueAt?: Timestamp; reminders: number },
): Invoice {
  const { subscription } = contracted;
  subscription.pendingUntil = null;
  subscription.activatedAt = tx.now;
  subscription.billingCycleAnchor = anchor;
  beginPeriod(contracted);
  const bill = billOfRenewal(contracted, { cycle: 1, terms, pending, reminders });
  reserveFor(tx, subscription.discounts, { invoiceId: bill.id });
  const begun = viewSubscription(tx, contracted);
  tx.record('subscription.activated', begun);
  tx.record('subscription.period_started', begun);
  return issue(tx, { ...bill, dueAt: dueAt ?? bill.dueAt });
}
