import type { Subscription } from '@fatura/sdk';
import type { Merchant, TestApi } from '../api.ts';
import { byCard, cards } from '../cards.ts';
import { newCustomer, newPrice } from '../factories.ts';
import {
  leaveUnpaid,
  pass,
  passUntil,
  payByPix,
  renew,
  subscribe,
  subscribeByCard,
  subscribeByMandate,
  subscribeByPix,
  subscribeUnfunded,
  suspend,
} from '../subscriptions.ts';

const DAY = 86_400;

interface Subscribed {
  readonly id: string;
  /** Its newest invoice. */
  readonly invoice: string;
  /** The first of its invoices. */
  readonly first: string;
}

/** Subscriptions in each of their states, as the API and the calendar leave them. */
export interface SubscriptionShop {
  /** Without a charge. */
  readonly pending: Subscribed;
  /** Paid by card for three cycles. */
  readonly active: Subscribed;
  readonly suspended: Subscribed;
  /** Suspended, and waiting for its payment anew. */
  readonly reactivated: Subscribed;
  /** Suspended, and paid by PIX. */
  readonly resumed: Subscribed;
  /** Active by the week, with two overdue invoices, which are still charged. */
  readonly collected: Subscribed;
  /** Active, with an invoice that is charged again. */
  readonly retried: Subscribed;
  /** Paused within its second period, which was resumed once before. */
  readonly paused: Subscribed;
  /** Active, in a minimum term. */
  readonly bound: Subscribed;
  /** Ended before its minimum term: its newest invoice is the penalty. */
  readonly fined: Subscribed;
  /** On a trial for long. */
  readonly trialing: string;
  /** Active, paid by mandate: its newest invoice is debited next. */
  readonly debited: Debited;
  /** Cancelled before it was paid. */
  readonly inactive: Subscribed;
  /** The card that `active` was paid with first. */
  readonly stored: string;
}

interface Debited extends Subscribed {
  readonly mandate: string;
  /** Of its newest invoice. */
  readonly debit: string;
}

interface Counter {
  readonly api: TestApi;
  readonly merchant: Merchant;
}

export async function subscribeInEveryWay(api: TestApi, merchant: Merchant): Promise<SubscriptionShop> {
  const counter = { api, merchant };
  await subscribe(merchant, { discounts: [{ type: 'percentage', percentage: 100, cycles: 1 }] });
  const { active, stored } = await payThreeCycles(counter);
  await cancelRenewed(counter);
  await changeByInvoice(counter);
  await redeemInEveryWay(counter);
  return {
    active,
    stored,
    suspended: await suspendOne(counter),
    reactivated: await reactivateOne(counter),
    resumed: await resumeOne(counter),
    paused: await pauseTwice(counter),
    bound: await bind(counter),
    fined: await endBound(counter),
    inactive: await cancelUnpaid(counter),
    debited: await debitInEveryWay(counter),
    collected: await collectTwo(counter),
    retried: await collectOne(counter),
    trialing: await tryInEveryWay(counter),
    pending: await standing(counter, await subscribe(merchant, { quantity: 2 })),
  };
}

async function standing({ merchant }: Counter, { id }: Pick<Subscription, 'id'>): Promise<Subscribed> {
  const invoices = await merchant.fatura.invoices.list({ subscription_id: id }).all({ max: 100 });
  return { id, invoice: invoices.at(0)?.id ?? '', first: invoices.at(-1)?.id ?? '' };
}

/** A coupon that is redeemed by a payment, reserved in a trial, and given back with an end. */
async function redeemInEveryWay({ merchant }: Counter): Promise<void> {
  const { coupons, promotionCodes, subscriptions } = merchant.fatura;
  const { product } = await newPrice(merchant);
  const coupon = await coupons.create({ name: 'Assine', type: 'percentage', percentage: 10 });
  const { id: customer_id } = await newCustomer(merchant);
  await promotionCodes.create({ coupon_id: coupon.id, code: 'ASSINE', customer_id });
  const { id } = await subscribe(merchant, { customer_id, promotion_code: 'ASSINE' });
  await subscriptions.checkout(id, byCard());
  const price = await newPrice(merchant, { type: 'recurring', recurring: { interval: 'month' }, product_id: product });
  const scoped = await coupons.create({
    ...{ name: 'Produto', type: 'fixed', amount_cents: 500 },
    applies_to: { product_ids: [product] },
  });
  await subscribe(merchant, {
    price_id: price.id,
    coupon_id: scoped.id,
    trial: { days: 700, requires_payment_method: false },
  });
  await subscriptions.cancel((await subscribe(merchant, { coupon_id: coupon.id })).id);
}

/** One that ended with its mandate before the debit of its renewal; another was debited, not at once, and is debited next. */
async function debitInEveryWay(counter: Counter): Promise<Debited> {
  const { merchant } = counter;
  const { subscriptions, testHelpers, invoices } = merchant.fatura;
  const ended = await scheduleDebit(counter, (await subscribeByMandate(merchant)).id);
  await subscriptions.cancel(ended.id);
  const { id, mandate } = await subscribeByMandate(merchant);
  const { debit } = await scheduleDebit(counter, id);
  await testHelpers.paymentIntents.debit(debit, { outcome: 'insufficient' });
  const { invoice } = await standing(counter, { id });
  await pass({ ...counter, id }, async () => (await invoices.retrieve(invoice)).status === 'paid');
  return { ...(await scheduleDebit(counter, id)), mandate: mandate ?? '' };
}

async function scheduleDebit(counter: Counter, id: string): Promise<Omit<Debited, 'mandate'>> {
  const { paymentIntents } = counter.merchant.fatura;
  const { payment_intent: debit } = await renew({ ...counter, id });
  await pass({ ...counter, id }, async () => (await paymentIntents.retrieve(debit ?? '')).status === 'scheduled');
  return { ...(await standing(counter, { id })), debit: debit ?? '' };
}

async function payThreeCycles(counter: Counter): Promise<Pick<SubscriptionShop, 'active' | 'stored'>> {
  const made = await subscribeByCard(counter.merchant);
  const collected = { ...counter, id: made.id };
  await renew(collected);
  await renew(collected);
  const { rows } = await counter.api.composition.deps.pool.query<{ id: string }>(
    'SELECT payment_method_id AS id FROM subscription WHERE id = $1',
    [made.id],
  );
  return { active: await standing(counter, made), stored: rows[0]?.id ?? '' };
}

async function suspendOne(counter: Counter): Promise<Subscribed> {
  const made = await subscribeUnfunded(counter.merchant);
  await leaveUnpaid({ ...counter, id: made.id });
  return standing(counter, made);
}

/** Suspension comes 16 days after an invoice is due here, so that two are overdue at once. */
async function collectTwo(counter: Counter): Promise<Subscribed> {
  const { api, merchant } = counter;
  const days = (suspend: number) =>
    api.composition.deps.pool.query('UPDATE collection_settings SET suspend_days = $2 WHERE account_id = $1', [
      merchant.accountId,
      suspend,
    ]);
  await days(16);
  const made = await subscribeUnfunded(merchant, { interval: 'week', interval_count: 1 });
  const collected = { ...counter, id: made.id };
  await renew(collected);
  const { due_at: due } = await renew(collected);
  await passUntil(collected, (due ?? 0) + 7 * DAY - 1);
  await days(10);
  return standing(counter, made);
}

async function bind(counter: Counter): Promise<Subscribed> {
  const { merchant } = counter;
  const made = await subscribe(merchant, {
    minimum_term: { cycles: 12, penalty_type: 'declining_amount', penalty_value: 24_000 },
  });
  await merchant.fatura.subscriptions.checkout(made.id, byCard());
  const invoice = made.latest_invoice ?? '';
  return { id: made.id, invoice, first: invoice };
}

async function endBound(counter: Counter): Promise<Subscribed> {
  const made = await bind(counter);
  const { subscriptions } = counter.merchant.fatura;
  const { latest_invoice: penalty } = await subscriptions.cancelAt(made.id, { at: 'now', unused: 'credit' });
  return { ...made, invoice: penalty ?? '' };
}

async function pauseTwice(counter: Counter): Promise<Subscribed> {
  const { api, merchant } = counter;
  const { subscriptions } = merchant.fatura;
  const made = await subscribeByCard(merchant);
  await renew({ ...counter, id: made.id });
  await subscriptions.pause(made.id);
  api.clock.advance(3 * DAY);
  await subscriptions.resume(made.id);
  api.clock.advance(DAY);
  await subscriptions.pause(made.id, { at: 'now', resumes_at: api.clock.now() + 300 * DAY });
  return standing(counter, made);
}

async function collectOne(counter: Counter): Promise<Subscribed> {
  const made = await subscribeUnfunded(counter.merchant);
  await renew({ ...counter, id: made.id });
  return standing(counter, made);
}

async function reactivateOne(counter: Counter): Promise<Subscribed> {
  const made = await suspendOne(counter);
  await counter.merchant.fatura.subscriptions.reactivate(made.id);
  return made;
}

/** Days are billed ahead one by one: the invoice of the day that the suspension comes on is voided before its cycle begins. */
async function resumeOne(counter: Counter): Promise<Subscribed> {
  const { fatura } = counter.merchant;
  const daily = await newPrice(counter.merchant, { type: 'recurring', recurring: { interval: 'day' } });
  const made = await subscribeByPix(counter.merchant, { price_id: daily.id });
  await suspend({ ...counter, id: made.id });
  counter.api.clock.advance(1);
  const [unpaid] = await fatura.invoices.list({ subscription_id: made.id, status: 'open' }).all({ max: 1 });
  await payByPix(counter.merchant, unpaid?.id ?? '');
  return standing(counter, made);
}

/** With a QR code, which is paid all the same: that is returned. */
async function cancelUnpaid(counter: Counter): Promise<Subscribed> {
  const { fatura } = counter.merchant;
  const made = await subscribe(counter.merchant);
  await fatura.subscriptions.checkout(made.id, { payment_method_type: 'pix' });
  const { payment_intent: intent } = await fatura.invoices.retrieve(made.latest_invoice ?? '');
  await fatura.subscriptions.cancel(made.id);
  await fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid_late' });
  return standing(counter, made);
}

/** Trials in each of their states and after each of their ends, and starts that are to come. */
async function tryInEveryWay({ api, merchant }: Counter): Promise<string> {
  const { subscriptions } = merchant.fatura;
  const free = { days: 2, requires_payment_method: false } as const;
  for (const end_behavior of ['cancel', 'pause', 'invoice'] as const) {
    const { id } = await subscribe(merchant, { trial: { ...free, end_behavior } });
    const { status } = await subscriptions.endTrial(id);
    if (status === 'pending') await subscriptions.checkout(id, byCard());
  }
  const paused = await subscribe(merchant, { trial: { ...free, end_behavior: 'pause' } });
  await subscriptions.endTrial(paused.id);
  await subscriptions.checkout(paused.id, byCard());
  const declined = await subscribe(merchant, { trial: { days: 700 } });
  await subscriptions.checkout(declined.id, byCard(cards.renewals_declined));
  await subscriptions.endTrial(declined.id);
  const start = { start_date: api.clock.now() + 700 * DAY };
  await subscribe(merchant, { ...start, trial: { days: 14 } });
  const canceled = await subscribe(merchant, start);
  await subscriptions.cancel(canceled.id);
  await subscribe(merchant, { trial: { days: 14 } });
  const { id } = await subscribe(merchant, { trial: { days: 700 } });
  const { customer, default_payment_method: card } = await subscriptions.checkout(id, byCard());
  await subscribe(merchant, { customer_id: customer, default_payment_method: card ?? '' });
  return id;
}

/** One change is paid, one lapses or is taken back, and one waits. */
async function changeByInvoice({ merchant }: Counter): Promise<void> {
  const { fatura } = merchant;
  const changeOf = (subscription: Subscription, quantity: number) =>
    fatura.subscriptionChanges.create(subscription.id, {
      items: [{ item: subscription.item.id, quantity }],
      proration: 'invoice_now',
    });
  await changeOf(await subscribeByCard(merchant), 2);
  const byPix = await subscribeByPix(merchant);
  const { id } = await changeOf(byPix, 2);
  await fatura.subscriptionChanges.cancel(byPix.id, id);
  await changeOf(byPix, 3);
}

async function cancelRenewed(counter: Counter): Promise<void> {
  const { fatura } = counter.merchant;
  const { id } = await subscribeUnfunded(counter.merchant);
  const waiting = { subscription_id: id, description: 'Atendimento' };
  await fatura.invoiceItems.create({ ...waiting, type: 'charge', amount: 15_000 });
  await fatura.invoiceItems.create({ ...waiting, type: 'credit', amount: 1_000 });
  await fatura.invoices.markUncollectible((await renew({ ...counter, id })).id);
  await fatura.invoiceItems.create({ ...waiting, type: 'credit', amount: 500 });
  const { item } = await fatura.subscriptions.retrieve(id);
  await fatura.subscriptionChanges.create(id, { items: [{ item: item.id, quantity: 2 }], effective: 'period_end' });
  await renew({ ...counter, id });
  await fatura.subscriptions.cancel(id);
}
