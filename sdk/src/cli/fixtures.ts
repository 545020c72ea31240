import type { CheckoutByCard } from '../index.ts';
import {
  type Customer,
  type Fatura,
  FaturaError,
  type Invoice,
  type Price,
  type Subscription,
  type SubscriptionCreate,
} from '../index.ts';
import { changePlan, letChangeLapse } from './change-fixtures.ts';
import { CliFailure } from './failure.ts';
import { mandateFixtures } from './mandate-fixtures.ts';
import { fillIn } from './session-fixtures.ts';

/** What makes the objects of an event. */
export interface Stage {
  readonly fatura: Fatura;
  readonly baseUrl: string;
}

type Fixture = (stage: Stage) => Promise<unknown>;

const AMOUNT = 9_990;
const TAX_ID = '52998224725';
const APPROVED = '4242 4242 4242 4242';
const DECLINED = '4000 0000 0000 9995';
const RENEWALS_DECLINED = '4000 0000 0000 0341';
const DAY = 86_400;
/** A renewal falls due within it, and is overdue or suspends its subscription so many days later. */
const MONTH_DAYS = 31;
const ANOTHER_COLOR = '#6b21a8';
const OVERDUE_DAYS = 2;
const SUSPENDED_DAYS = 11;
const EXPORT_LOOK_MS = 250;
const EXPORT_LOOKS_MAX = 120;

const newBuyer = () => ({ name: 'Maria da Silva', identifier: TAX_ID, email: 'maria@example.com' });

const byCard = (number: string = APPROVED): CheckoutByCard => ({
  payment_method_type: 'card',
  card: { number, exp_month: 12, exp_year: 2099, cvc: '123' },
  billing_details: { name: 'MARIA DA SILVA', document: TAX_ID },
});

const newCustomer = ({ fatura }: Stage): Promise<Customer> => fatura.customers.create(newBuyer());

const newProduct = ({ fatura }: Stage) => fatura.products.create({ name: 'fatura trigger' });

async function newPrice(stage: Stage): Promise<Price> {
  const { id } = await newProduct(stage);
  return stage.fatura.prices.create({ product_id: id, unit_amount: AMOUNT, type: 'one_time' });
}

const newCoupon = ({ fatura }: Stage) =>
  fatura.coupons.create({ name: 'fatura trigger', type: 'percentage', percentage: 10 });

async function newPromotionCode(stage: Stage) {
  const { id } = await newCoupon(stage);
  // Its own text: the codes of an account differ.
  return stage.fatura.promotionCodes.create({ coupon_id: id, code: id.replace('_', '-') });
}

async function newInvoice(stage: Stage, draft = false): Promise<Invoice> {
  const line = { price_id: (await newPrice(stage)).id, quantity: 1 };
  return stage.fatura.invoices.create({ customer: newBuyer(), line_items: [line], draft });
}

async function newInvoiceItem({ fatura }: Stage) {
  const { id } = await fatura.customers.create(newBuyer());
  const waiting = { type: 'charge', amount: 15_000, description: 'fatura trigger' } as const;
  return fatura.invoiceItems.create({ customer_id: id, ...waiting });
}

/** An invoice with a coupon. */
async function newDiscounted(stage: Stage): Promise<Invoice> {
  const line = { price_id: (await newPrice(stage)).id, quantity: 1 };
  const { id } = await newCoupon(stage);
  return stage.fatura.invoices.create({ customer: newBuyer(), line_items: [line], coupon_id: id });
}

async function paidByCard(stage: Stage): Promise<Invoice> {
  return stage.fatura.invoices.checkout((await newInvoice(stage)).id, byCard());
}

async function withQrCode(stage: Stage): Promise<Invoice> {
  return stage.fatura.invoices.checkout((await newInvoice(stage)).id, { payment_method_type: 'pix' });
}

async function paidByPix(stage: Stage): Promise<string> {
  const { payment_intent: intent } = await withQrCode(stage);
  await stage.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
  return intent ?? '';
}

async function disputed(stage: Stage): Promise<string> {
  const intent = await paidByPix(stage);
  await stage.fatura.testHelpers.paymentIntents.dispute(intent, { scenario: 'fraud' });
  return intent;
}

async function reinstated(stage: Stage): Promise<void> {
  await stage.fatura.testHelpers.paymentIntents.dispute(await disputed(stage), { scenario: 'reversed' });
}

async function declined(stage: Stage): Promise<void> {
  const { id } = await newInvoice(stage);
  await stage.fatura.invoices.checkout(id, byCard(DECLINED)).catch((error: unknown) => {
    if (!(error instanceof FaturaError) || error.code !== 'CARD_DECLINED') throw error;
  });
}

async function refunded(stage: Stage): Promise<void> {
  const { payment_intent: intent } = await paidByCard(stage);
  await stage.fatura.refunds.create({ payment_intent: intent ?? '' });
}

async function newSubscription(stage: Stage, more: Partial<SubscriptionCreate> = {}): Promise<Subscription> {
  const { id: product } = await newProduct(stage);
  const recurring = { interval: 'month' } as const;
  const price = await stage.fatura.prices.create({
    product_id: product,
    unit_amount: AMOUNT,
    type: 'recurring',
    recurring,
  });
  const { id: customer } = await newCustomer(stage);
  return stage.fatura.subscriptions.create({ customer_id: customer, price_id: price.id, ...more });
}

/** So short that its end is told at once. */
const newTrial: Fixture = (stage) => newSubscription(stage, { trial: { days: 2, requires_payment_method: false } });

async function subscribed(stage: Stage, card: string = APPROVED): Promise<Subscription> {
  return stage.fatura.subscriptions.checkout((await newSubscription(stage)).id, byCard(card));
}

async function newSession(stage: Stage, customer: object = {}) {
  const line = { price_id: (await newPrice(stage)).id, quantity: 1 };
  return stage.fatura.checkoutSessions.create({
    mode: 'payment',
    line_items: [line],
    success_url: 'https://example.com/thanks',
    return_url: 'https://example.com/cart',
    ...customer,
  });
}

const newPaymentLink = ({ fatura }: Stage) =>
  fatura.paymentLinks.create({ amount: AMOUNT, description: 'fatura trigger' });

async function paidSession(stage: Stage): Promise<void> {
  const { invoice } = await newSession(stage, { customer: newBuyer() });
  await stage.fatura.invoices.checkout(invoice ?? '', byCard());
}

const filledSession: Fixture = async (stage) => fillIn(stage.baseUrl, await newSession(stage), newBuyer());

/** A renewal whose card is declined, left alone for so many days. */
const unpaidFor =
  (days: number): Fixture =>
  async (stage) => {
    const { id } = await subscribed(stage, RENEWALS_DECLINED);
    const { now } = await stage.fatura.testClock.retrieve();
    await stage.fatura.testClock.advance({ to: now + (MONTH_DAYS + days) * DAY });
    return id;
  };

async function reactivated(stage: Stage): Promise<void> {
  const id = String(await unpaidFor(SUSPENDED_DAYS)(stage));
  await stage.fatura.subscriptions.checkout(id, byCard());
}

/** Another color, and the former one again. */
async function recolored({ fatura }: Stage): Promise<void> {
  const { color } = await fatura.account.retrieve();
  await fatura.account.update({ color: color === ANOTHER_COLOR ? null : ANOTHER_COLOR });
  await fatura.account.update({ color });
}

/** The worker writes its file, soon after it is asked for. */
async function exported({ fatura }: Stage): Promise<void> {
  const { id } = await fatura.exports.create({ type: 'customers' });
  for (let looks = 0; looks < EXPORT_LOOKS_MAX; looks += 1) {
    if ((await fatura.exports.retrieve(id)).status === 'completed') return;
    await new Promise((resolve) => setTimeout(resolve, EXPORT_LOOK_MS));
  }
  throw new CliFailure(`The export ${id} is not completed yet: it is told once the service has written it`);
}

const byMandate = mandateFixtures(newSubscription);

/** What leads to each event. */
const atOnce: Readonly<Record<string, Fixture>> = {
  'account.updated': recolored,
  'customer.created': newCustomer,
  'customer.updated': async (stage) => stage.fatura.customers.update((await newCustomer(stage)).id, { name: 'Ana Sá' }),
  'customer.anonymized': async (stage) => stage.fatura.customers.anonymize((await newCustomer(stage)).id),
  'product.created': newProduct,
  'product.updated': async (stage) => stage.fatura.products.update((await newProduct(stage)).id, { active: false }),
  'price.created': newPrice,
  'price.updated': async (stage) => stage.fatura.prices.update((await newPrice(stage)).id, { active: false }),
  'coupon.created': newCoupon,
  'coupon.updated': async (stage) => stage.fatura.coupons.update((await newCoupon(stage)).id, { active: false }),
  'invoice_item.created': newInvoiceItem,
  'invoice_item.deleted': async (stage) => stage.fatura.invoiceItems.delete((await newInvoiceItem(stage)).id),
  'promotion_code.created': newPromotionCode,
  'promotion_code.updated': async (stage) =>
    stage.fatura.promotionCodes.update((await newPromotionCode(stage)).id, { active: false }),
  'discount.redeemed': async (stage) => stage.fatura.invoices.checkout((await newDiscounted(stage)).id, byCard()),
  'discount.released': async (stage) => stage.fatura.invoices.void((await newDiscounted(stage)).id),
  'invoice.created': (stage) => newInvoice(stage),
  'invoice.updated': async (stage) => {
    const { id, due_at } = await newInvoice(stage);
    return stage.fatura.invoices.extend(id, { due_at: due_at + 86_400 });
  },
  'invoice.finalized': async (stage) => stage.fatura.invoices.finalize((await newInvoice(stage, true)).id),
  'invoice.paid': paidByCard,
  'invoice.payment_failed': declined,
  'invoice.refunded': refunded,
  'invoice.voided': async (stage) => stage.fatura.invoices.void((await newInvoice(stage)).id),
  'invoice.marked_uncollectible': async (stage) =>
    stage.fatura.invoices.markUncollectible((await newInvoice(stage)).id),
  'payment_intent.created': withQrCode,
  'payment_intent.processing': paidByCard,
  'payment_intent.paid': paidByPix,
  'payment_intent.failed': declined,
  'payment_intent.refunding': async (stage) => stage.fatura.refunds.create({ payment_intent: await paidByPix(stage) }),
  'payment_intent.refunded': refunded,
  'payment_intent.discarded': async (stage) => stage.fatura.invoices.void((await withQrCode(stage)).id),
  'checkout_session.created': (stage) => newSession(stage),
  'checkout_session.customer_attached': filledSession,
  'checkout_session.completed': paidSession,
  'checkout_session.expired': async (stage) => stage.fatura.checkoutSessions.expire((await newSession(stage)).id),
  'payment_link.created': newPaymentLink,
  'payment_link.updated': async (stage) =>
    stage.fatura.paymentLinks.update((await newPaymentLink(stage)).id, { active: false }),
  'subscription.created': (stage) => newSubscription(stage),
  'subscription.activated': (stage) => subscribed(stage),
  'subscription.trial_started': newTrial,
  'subscription.trial_will_end': newTrial,
  'subscription.period_started': (stage) => subscribed(stage),
  'subscription.updated': async (stage) =>
    stage.fatura.subscriptions.update((await subscribed(stage)).id, { quantity: 2 }),
  'subscription.change_scheduled': async (stage) => changePlan(stage.fatura, await subscribed(stage), 'period_end'),
  'subscription.changed': async (stage) => changePlan(stage.fatura, await subscribed(stage), 'now'),
  'subscription.paused': async (stage) => stage.fatura.subscriptions.pause((await subscribed(stage)).id),
  'subscription.resumed': async (stage) => {
    const { id } = await subscribed(stage);
    await stage.fatura.subscriptions.pause(id);
    await stage.fatura.subscriptions.resume(id);
  },
  'subscription.cancel_scheduled': async (stage) =>
    stage.fatura.subscriptions.cancelAt((await subscribed(stage)).id, { at: 'period_end' }),
  'subscription.cancel_unscheduled': async (stage) => {
    const { id } = await subscribed(stage);
    await stage.fatura.subscriptions.cancelAt(id, { at: 'period_end' });
    await stage.fatura.subscriptions.uncancel(id);
  },
  'subscription.canceled': async (stage) => stage.fatura.subscriptions.cancel((await subscribed(stage)).id),
  'refund.created': refunded,
  'refund.updated': refunded,
  'export.completed': exported,
  ...byMandate.atOnce,
  'payment_method.attached': (stage) => subscribed(stage),
  'payment_method.updated': async (stage) =>
    stage.fatura.paymentMethods.setDefault((await subscribed(stage)).default_payment_method ?? ''),
  'payment_method.detached': async (stage) => {
    const { id, default_payment_method: card } = await subscribed(stage);
    await stage.fatura.subscriptions.cancel(id);
    await stage.fatura.paymentMethods.delete(card ?? '');
  },
  'dispute.created': disputed,
  'dispute.updated': reinstated,
  'dispute.closed': disputed,
  'dispute.funds_withdrawn': disputed,
  'dispute.funds_reinstated': reinstated,
};

/** The same of what time alone brings. */
const byTime: Readonly<Record<string, Fixture>> = {
  'invoice.overdue': unpaidFor(OVERDUE_DAYS),
  'subscription.overdue': unpaidFor(OVERDUE_DAYS),
  'subscription.change_lapsed': async (stage) => letChangeLapse(stage.fatura, await subscribed(stage)),
  'subscription.suspended': unpaidFor(SUSPENDED_DAYS),
  'subscription.reactivated': reactivated,
  ...byMandate.byTime,
};

/** The types that can be led to. */
export const triggers: readonly string[] = [...Object.keys(atOnce), ...Object.keys(byTime)].sort();

/** How an event comes to be, and whether the sandbox's clock is advanced for it; null: nobody knows. */
export function fixtureOf(type: string): { readonly run: Fixture; readonly movesClock: boolean } | null {
  const run = Object.hasOwn(atOnce, type) ? atOnce[type] : Object.hasOwn(byTime, type) ? byTime[type] : undefined;
  return run === undefined ? null : { run, movesClock: Object.hasOwn(byTime, type) };
}
