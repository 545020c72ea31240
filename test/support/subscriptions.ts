import type { Invoice, Subscription, SubscriptionCreate } from '@fatura/sdk';
import { lockCustomer } from '../../server/customers/service.ts';
import type { Tx } from '../../server/deps.ts';
import { open, storeInvoice } from '../../server/invoices/create.ts';
import type { Invoice as StoredInvoice } from '../../server/invoices/entity.ts';
import { REAL_CLOCK } from '../../server/kernel/time.ts';
import { lockBook } from '../../server/payments/book.ts';
import { closeIn } from '../../server/payments/close.ts';
import { billCycle } from '../../server/subscriptions/billing/bill.ts';
import { type Contracted, lockSubscription, updateSubscription } from '../../server/subscriptions/rows.ts';
import { cyclePeriod, nextSubscriptionStatus } from '../../server/subscriptions/rules.ts';
import { viewSubscription } from '../../server/subscriptions/view.ts';
import type { Merchant, TestApi } from './api.ts';
import { byCard } from './cards.ts';
import { newCustomer, newPrice } from './factories.ts';

const DAY = 86_400;
/** Days after its due date at which an unpaid renewal suspends its subscription (decisions §3). */
const SUSPENDED_AFTER_DAYS = 10;

export const newMonthly = (merchant: Merchant, overrides: Parameters<typeof newPrice>[1] = {}) =>
  newPrice(merchant, { type: 'recurring', recurring: { interval: 'month' }, ...overrides });

/** A pending subscription; `amount` is the price of its one unit in cents. */
export async function subscribe(
  merchant: Merchant,
  overrides: Partial<SubscriptionCreate> & { amount?: number } = {},
): Promise<Subscription> {
  const { amount, ...rest } = overrides;
  const customerId = rest.customer_id ?? (await newCustomer(merchant)).id;
  const priceId = rest.price_id ?? (await newMonthly(merchant, amount === undefined ? {} : { unit_amount: amount })).id;
  return merchant.fatura.subscriptions.create({ ...rest, customer_id: customerId, price_id: priceId });
}

/** An active one, paid by card. */
export async function subscribeByCard(merchant: Merchant, ...overrides: Parameters<typeof byCard>) {
  const { id } = await subscribe(merchant);
  return merchant.fatura.subscriptions.checkout(id, byCard(...overrides));
}

/** Whose subscription the collection to come works on. */
export interface Collected {
  readonly api: TestApi;
  readonly merchant: Merchant;
  readonly id: string;
}

const inTransaction = <T>({ api, merchant }: Collected, work: (tx: Tx) => Promise<T>): Promise<T> =>
  api.composition.deps.transaction({ accountId: merchant.accountId, liveMode: false, clock: REAL_CLOCK }, work);

/** The invoice of the next cycle, open and not charged. */
async function billNext(tx: Tx, { subscription, price }: Contracted): Promise<StoredInvoice> {
  const cycle = subscription.billedCycle + 1;
  const period = cyclePeriod(subscription.billingCycleAnchor, price, cycle - subscription.anchorCycle);
  return billCycle(
    tx,
    { subscription, price },
    {
      cycle,
      billingReason: 'subscription_cycle',
      buyer: await lockCustomer(tx, subscription.customerId, 'customer_id'),
      dueAt: period.start,
      period,
      collection: 'renewal',
    },
  );
}

/** Bills the next cycle as the collection to come will do it when the cycle begins: the clock moves there. */
export async function renew(collected: Collected): Promise<Invoice> {
  const { api, merchant, id } = collected;
  const { current_period_end: end } = await merchant.fatura.subscriptions.retrieve(id);
  api.clock.advance(Math.max(0, (end ?? 0) - api.clock.now()));
  const invoiceId = await inTransaction(collected, async (tx) => {
    const { subscription, price } = await lockSubscription(tx, id);
    const invoice = await billNext(tx, { subscription, price });
    subscription.cycle = subscription.billedCycle;
    subscription.currentPeriodStart = invoice.periodStart;
    subscription.currentPeriodEnd = invoice.periodEnd;
    subscription.latestInvoiceId = invoice.id;
    tx.record('subscription.period_started', viewSubscription(subscription, price));
    open(tx, invoice, 'invoice.created');
    storeInvoice(tx, invoice);
    updateSubscription(tx, subscription);
    return invoice.id;
  });
  return merchant.fatura.invoices.retrieve(invoiceId);
}

/** Bills the next cycle ahead, as one that is paid by PIX. */
export async function billAhead(collected: Collected): Promise<Invoice> {
  const invoiceId = await inTransaction(collected, async (tx) => {
    const { subscription, price } = await lockSubscription(tx, collected.id);
    const invoice = await billNext(tx, { subscription, price });
    subscription.latestInvoiceId = invoice.id;
    open(tx, invoice, 'invoice.created');
    storeInvoice(tx, invoice);
    updateSubscription(tx, subscription);
    return invoice.id;
  });
  return collected.merchant.fatura.invoices.retrieve(invoiceId);
}

const openInvoices = {
  name: 'test_open_invoices',
  text: `SELECT id FROM invoice WHERE subscription_id = $1 AND status = 'open' ORDER BY id`,
};

/** Suspends an active one over its oldest open invoice, days later; the younger ones are voided. */
export async function suspend(collected: Collected): Promise<void> {
  collected.api.clock.advance(SUSPENDED_AFTER_DAYS * DAY);
  await inTransaction(collected, async (tx) => {
    const { subscription, price } = await lockSubscription(tx, collected.id);
    subscription.status = nextSubscriptionStatus(subscription, 'suspend');
    subscription.suspendedAt = tx.now;
    tx.record('subscription.suspended', viewSubscription(subscription, price));
    const [, ...younger] = await tx.query<{ id: string }>(openInvoices, [subscription.id]);
    for (const { id } of younger) closeIn(tx, await lockBook(tx, id), { closing: 'void', endedTxid: null });
    updateSubscription(tx, subscription);
  });
}

/** Renews an active one and leaves it unpaid until it is suspended; answers the invoice that it waits for. */
export async function leaveUnpaid(collected: Collected): Promise<Invoice> {
  const invoice = await renew(collected);
  await suspend(collected);
  return invoice;
}
