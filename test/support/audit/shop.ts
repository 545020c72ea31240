import type pg from 'pg';
import { anchorLogs } from '../../../server/audit-log/anchor.ts';
import { writeAttempts } from '../../../server/events/deliveries/results.ts';
import { exportFileStep } from '../../../server/exports/write.ts';
import { idDay } from '../../../server/kernel/ids.ts';
import { refundSettlementStep } from '../../../server/payments/refunds/settlement.ts';
import type { Merchant, TestApi } from '../api.ts';
import { CPF, newCustomer, newInvoice, newPrice } from '../factories.ts';
import { remindOf } from '../mails.ts';
import { type CardShop, returnPixInEveryWay, sellByCard } from './card-shop.ts';
import { openSessions, type SessionShop } from './session-shop.ts';
import { type SubscriptionShop, subscribeInEveryWay } from './subscription-shop.ts';

const DAY = 86_400;

interface Sale {
  readonly invoice: string;
  readonly intent: string;
  readonly txid: string;
}

/** What faults are planted into; all of it came about through the service. */
export interface Shop extends CardShop, SubscriptionShop, SessionShop {
  readonly pool: pg.Pool;
  readonly accountId: string;
  /** On the account's clock. */
  readonly now: number;
  readonly sold: Sale;
  /** Its QR code is open. */
  readonly waiting: Sale;
  /** Sold with two discounts. */
  readonly discounted: Sale;
  /** Its payment is confirmed and not settled. */
  readonly confirmed: Sale;
  /** The intent of a payment too many, returned. */
  readonly surplus: string;
  /** The intent of a PIX: of 5000, 1000 returned, 1099 refused and 500 on their way. */
  readonly pixReturning: string;
  /** A PIX of 6000 of which the bank took 1000 and gave them back, and took 2000; and the disputes of both. */
  readonly disputed: Sale & { readonly won: string; readonly lost: string };
  /** Invoices whose buyers were written to; the second one was anonymized since. */
  readonly reminded: string;
  readonly forgotten: string;
  /** An export with its file, and one that nobody has begun to write. */
  readonly exported: string;
  readonly exporting: string;
  readonly endpoint: string;
  readonly stranger: { readonly accountId: string; readonly endpoint: string; readonly customer: string };
}

type Scenario = 'paid' | 'paid_twice' | 'paid_late' | 'confirmed_not_settled';

/** Sales, refusals and returns of every kind, as the API and the worker leave them. */
export async function openShop(api: TestApi): Promise<Shop> {
  const merchant = await api.newMerchant();
  const other = await api.newMerchant();
  const endpoint = await subscribe(api, merchant);
  const stranger = {
    accountId: other.accountId,
    endpoint: await subscribe(api, other),
    customer: (await newCustomer(other)).id,
  };
  // Months go by with them: before the sales whose QR codes are to stay open.
  const subscriptions = await subscribeInEveryWay(api, merchant);
  const sales = await sellInEveryWay(api, merchant);
  const cardSales = await sellByCard(api, merchant);
  const sessions = await openSessions(api, merchant);
  const surplus = await returnWhatIsTooMuch(api, merchant);
  const refunded = await checkOut(api, merchant, await newInvoice(merchant, { amount: 5000 }));
  await pay(merchant, refunded, 'paid');
  const pixReturning = await returnPixInEveryWay(api, merchant, refunded.intent);
  const disputed = await takeBack(api, merchant);
  await changeThings(api, merchant);
  const mails = await writeToBuyers(api, merchant);
  await attemptDeliveries(api, endpoint);
  const { pool } = api.composition.deps;
  const confirmed = await checkOut(api, merchant, await newInvoice(merchant));
  await pay(merchant, confirmed, 'confirmed_not_settled');
  const exports = await exportLists(api, merchant);
  await anchorLogs(pool);
  return {
    pool,
    accountId: merchant.accountId,
    now: api.clock.now(),
    ...sales,
    ...cardSales,
    ...sessions,
    ...subscriptions,
    confirmed,
    ...mails,
    ...exports,
    surplus,
    pixReturning,
    disputed,
    endpoint,
    stranger,
  };
}

async function subscribe({ composition }: TestApi, { fatura }: Merchant): Promise<string> {
  const event_types = ['invoice.*', 'payment_intent.*'] as const;
  const { id } = await fatura.webhookEndpoints.create({
    url: 'http://127.0.0.1:9/hook',
    event_types: [...event_types],
  });
  // As if it had subscribed long before, so that no event falls into the margin around a filter's change.
  const subscribed = `UPDATE webhook_endpoint SET subscribed_at = now() - interval '1 hour' WHERE id = $1`;
  await composition.deps.pool.query(subscribed, [id]);
  return id;
}

async function idOf({ composition }: TestApi, sql: string, value: string): Promise<string> {
  const { rows } = await composition.deps.pool.query<{ id: string }>(sql, [value]);
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`${rows.length} rows: ${sql}`);
  return row.id;
}

async function checkOut(api: TestApi, { fatura }: Merchant, invoice: { id: string }): Promise<Sale> {
  const { payment_intent: intent } = await fatura.invoices.checkout(invoice.id, { payment_method_type: 'pix' });
  const txid = await idOf(api, 'SELECT id FROM pix_charge WHERE intent_id = $1', intent ?? '');
  return { invoice: invoice.id, intent: intent ?? '', txid };
}

async function pay({ fatura }: Merchant, { intent }: Sale, scenario: Scenario): Promise<void> {
  await fatura.testHelpers.paymentIntents.payPix(intent, { scenario });
}

async function sellInEveryWay(
  api: TestApi,
  merchant: Merchant,
): Promise<Pick<Shop, 'sold' | 'waiting' | 'discounted'>> {
  const { invoices } = merchant.fatura;
  const sold = await checkOut(api, merchant, await newInvoice(merchant, { amount: 1000 }));
  await pay(merchant, sold, 'paid');
  const discounts = [
    { type: 'percentage' as const, percentage: 33.33 },
    { type: 'fixed' as const, amount_cents: 150 },
  ];
  const discounted = await checkOut(api, merchant, await newInvoice(merchant, { amount: 9990, discounts }));
  await pay(merchant, discounted, 'paid');
  await newInvoice(merchant, { discounts: [{ type: 'percentage', percentage: 100 }] });
  await newInvoice(merchant, { draft: true, external_code: 'order-1', metadata: [{ status: 'draft' }] });
  await invoices.finalize((await newInvoice(merchant, { draft: true, metadata: [{ status: 'open' }] })).id);
  await invoices.void((await newInvoice(merchant, { draft: true })).id);
  await invoices.void((await checkOut(api, merchant, await newInvoice(merchant))).invoice);
  const givenUp = await newInvoice(merchant);
  await invoices.markUncollectible(givenUp.id);
  await pay(merchant, await checkOut(api, merchant, givenUp), 'paid');
  await invoices.markUncollectible((await newInvoice(merchant)).id);
  await newInvoice({ ...merchant, fatura: merchant.live });
  const waiting = await checkOut(api, merchant, await newInvoice(merchant, { amount: 2000 }));
  return { sold, waiting, discounted };
}

/** Money that nobody asked for: returned, on its way back, and a return that the bank refused the first time. */
async function returnWhatIsTooMuch(api: TestApi, merchant: Merchant): Promise<string> {
  const { deps } = api.composition;
  const surplusOf = ({ invoice }: Sale) =>
    idOf(api, 'SELECT id FROM payment_intent WHERE invoice_id = $1 AND surplus', invoice);
  const twice = await checkOut(api, merchant, await newInvoice(merchant, { amount: 3000 }));
  await pay(merchant, twice, 'paid_twice');
  const surplus = await surplusOf(twice);
  const late = await checkOut(api, merchant, await newInvoice(merchant, { amount: 4000 }));
  await merchant.fatura.invoices.void(late.invoice);
  await pay(merchant, late, 'paid_late');
  await refundSettlementStep(deps, surplus);
  const refused = await checkOut(api, merchant, await newInvoice(merchant, { amount: 5099 }));
  await pay(merchant, refused, 'paid_twice');
  await refundSettlementStep(deps, await surplusOf(refused));
  api.clock.advance(5);
  await refundSettlementStep(deps, surplus);
  return surplus;
}

async function takeBack(api: TestApi, merchant: Merchant): Promise<Shop['disputed']> {
  const { disputes, testHelpers } = merchant.fatura;
  const sale = await checkOut(api, merchant, await newInvoice(merchant, { amount: 6000 }));
  await pay(merchant, sale, 'paid');
  await testHelpers.paymentIntents.dispute(sale.intent, { scenario: 'fraud', amount: 1000 });
  await testHelpers.paymentIntents.dispute(sale.intent, { scenario: 'reversed' });
  await testHelpers.paymentIntents.dispute(sale.intent, { scenario: 'returned_at_bank', amount: 2000 });
  const [lost, won] = (await disputes.list({ payment_intent_id: sale.intent }).page()).data;
  return { ...sale, lost: lost?.id ?? '', won: won?.id ?? '' };
}

async function writeToBuyers(api: TestApi, merchant: Merchant): Promise<Pick<Shop, 'reminded' | 'forgotten'>> {
  const { id: reminded } = await newInvoice(merchant);
  await remindOf(api, merchant, { id: reminded, step: 0 });
  const { id: forgotten, customer } = await newInvoice(merchant);
  await remindOf(api, merchant, { id: forgotten, step: 7 });
  await merchant.fatura.invoices.markUncollectible(forgotten);
  await merchant.fatura.customers.anonymize(customer);
  await askTypedAddress(api, merchant);
  return { reminded, forgotten };
}

/** A buyer typed an address on the page of a session, and whoever reads it is asked to confirm it. */
async function askTypedAddress(api: TestApi, merchant: Merchant): Promise<void> {
  const { checkoutSessions } = merchant.fatura;
  const pages = { success_url: 'https://loja.test/obrigado', return_url: 'https://loja.test/carrinho' };
  const { id: price } = await newPrice(merchant);
  const { id, url } = await checkoutSessions.create({
    ...pages,
    mode: 'payment',
    line_items: [{ price_id: price, quantity: 1 }],
  });
  await fetch(`${api.baseUrl}${new URL(url).pathname}/buyer`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
    body: JSON.stringify({ name: 'Ana Souza', identifier: CPF, email: 'ana@outra.test', phone: '(11) 98765-4321' }),
  });
  const { invoice } = await checkoutSessions.retrieve(id);
  await remindOf(api, merchant, { id: invoice ?? '', step: 0 });
}

async function changeThings(api: TestApi, merchant: Merchant): Promise<void> {
  const { fatura } = merchant;
  const replaced = await newInvoice(merchant);
  await checkOut(api, merchant, replaced);
  api.clock.advance(DAY);
  await pay(merchant, await checkOut(api, merchant, replaced), 'paid');
  const customer = await newCustomer(merchant);
  await fatura.customers.createNote(customer.id, { text: 'Ligou hoje.' });
  await fatura.customers.createPortalLink(customer.id);
  const coupon = await fatura.coupons.create({ name: 'Volte', type: 'fixed', amount_cents: 500 });
  await fatura.promotionCodes.create({ coupon_id: coupon.id, code: 'VOLTE', customer_id: customer.id });
  const discounted = await newInvoice(merchant, { customer_id: customer.id, promotion_code: 'VOLTE' });
  await pay(merchant, await checkOut(api, merchant, discounted), 'paid');
  await fatura.invoices.void((await newInvoice(merchant, { customer_id: customer.id, coupon_id: coupon.id })).id);
  await fatura.customers.update(customer.id, { name: 'Maria Souza' });
  await fatura.customers.anonymize(customer.id);
  await fatura.prices.update((await newPrice(merchant)).id, { active: false });
}

async function exportLists({ composition }: TestApi, { fatura }: Merchant) {
  const { id: exported } = await fatura.exports.create({ type: 'invoices' });
  await exportFileStep(composition.deps, exported);
  const { id: exporting } = await fatura.exports.create({ type: 'customers' });
  return { exported, exporting };
}

/** What the worker records: one delivery accepted, one refused and to be tried again. */
async function attemptDeliveries({ composition, clock }: TestApi, endpointId: string): Promise<void> {
  const { pool } = composition.deps;
  const fresh = 'SELECT event_id AS id FROM delivery WHERE endpoint_id = $1 ORDER BY event_id LIMIT 2';
  const { rows } = await pool.query<{ id: string }>(fresh, [endpointId]);
  const at = clock.now();
  const first = (id: string) => ({
    day: idDay(id) ?? '',
    eventId: id,
    endpointId,
    url: 'http://127.0.0.1:9/',
    ladder: 1,
    attempt: 1,
    at,
    answer: null,
    durationMs: 9,
  });
  const [accepted = '', refused = ''] = rows.map(({ id }) => id);
  await writeAttempts(pool, [
    { ...first(accepted), outcome: 'delivered', statusCode: 204, failure: null, detail: null, nextAttemptAt: null },
    {
      ...first(refused),
      outcome: 'failed',
      statusCode: 500,
      failure: 'http_status',
      detail: 'no',
      nextAttemptAt: at + 60,
    },
  ]);
}
