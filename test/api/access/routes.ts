import type { CheckoutSessionCreate } from '@fatura/sdk';
import type { AppRoute } from '@ts-rest/core';
import { contract } from '../../../contract/index.ts';
import type { RouteMetadata } from '../../../contract/kernel.ts';
import { routesOf } from '../../../contract/router.ts';
import type { Merchant, TestApi } from '../../support/api.ts';
import { byCard, payByCard } from '../../support/cards.ts';
import {
  leaveUnpaid,
  newMonthly,
  pass,
  renew,
  subscribe,
  subscribeByCard,
  subscribeByMandate,
  subscribeUnfunded,
} from '../../support/subscriptions.ts';
import type { RawRequest } from '../requests.ts';

type IdsIn<R, Prefix extends string> = {
  [K in keyof R & string]: R[K] extends AppRoute ? `${Prefix}${K}` : IdsIn<R[K], `${Prefix}${K}.`>;
}[keyof R & string];

/** `customers.create`, and so on: every route of the contract. */
export type RouteId = IdsIn<typeof contract, ''>;

export type Route = AppRoute & { metadata: RouteMetadata };

// The ids are made of the same keys as the type, and every route of the contract is declared with meta().
export const routes = routesOf(contract) as [RouteId, Route][];

/** Methods that the path of a route takes: those of the contract, and HEAD beside GET. */
export const methodsOn = (path: string): string[] =>
  routes
    .filter(([, route]) => new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(path))
    .flatMap(([, { method }]) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

const maria = { name: 'Maria da Silva', identifier: '52998224725', email: 'maria@example.com' };
const REPORTED = { from: '2026-11-01', until: '2026-11-30' };
const receiver = { url: 'http://127.0.0.1:9/webhooks', event_types: [] };

const aProduct = ({ fatura }: Merchant) => fatura.products.create({ name: 'Plano Ouro' });

const aPrice = async (shop: Merchant) =>
  shop.fatura.prices.create({ product_id: (await aProduct(shop)).id, unit_amount: 9990, type: 'one_time' });

const aLink = { amount: 7_500, description: 'Aula avulsa' };

const aCoupon = ({ fatura }: Merchant) =>
  fatura.coupons.create({ name: 'Boas-vindas', type: 'percentage', percentage: 10 });

async function aCode(shop: Merchant) {
  const { id } = await aCoupon(shop);
  return { coupon_id: id, code: id.replace('_', '-') };
}

const anInvoiceItem = async ({ fatura }: Merchant) =>
  ({
    customer_id: (await fatura.customers.create(maria)).id,
    type: 'charge',
    amount: 15_000,
    description: 'Visita técnica',
  }) as const;

const aSession = async (shop: Merchant): Promise<CheckoutSessionCreate> => ({
  mode: 'payment',
  success_url: 'https://loja.test/obrigado',
  return_url: 'https://loja.test/carrinho',
  customer: maria,
  line_items: [{ price_id: (await aPrice(shop)).id, quantity: 1 }],
});
const lineItems = async (shop: Merchant) => [{ price_id: (await aPrice(shop)).id, quantity: 1 }];

const anInvoice = async (shop: Merchant, draft: boolean) =>
  shop.fatura.invoices.create({ customer: maria, line_items: await lineItems(shop), draft });

async function anIntent(shop: Merchant): Promise<string> {
  const { id } = await shop.fatura.invoices.checkout((await anInvoice(shop, false)).id, { payment_method_type: 'pix' });
  const { payment_intent } = await shop.fatura.invoices.retrieve(id);
  if (payment_intent === null) throw new Error('the checkout generated no charge');
  return payment_intent;
}

async function aPaidIntent(shop: Merchant): Promise<string> {
  const { payment_intent } = await payByCard(shop, (await anInvoice(shop, false)).id);
  if (payment_intent === null) throw new Error('the checkout generated no charge');
  return payment_intent;
}

async function aPaidPix(shop: Merchant): Promise<string> {
  const intent = await anIntent(shop);
  await shop.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid' });
  return intent;
}

async function aDispute(shop: Merchant): Promise<string> {
  const intent = await aPaidPix(shop);
  await shop.fatura.testHelpers.paymentIntents.dispute(intent, { scenario: 'fraud' });
  const [dispute] = (await shop.fatura.disputes.list({ payment_intent_id: intent }).page()).data;
  return dispute?.id ?? '';
}

async function aStoredCard(shop: Merchant): Promise<string> {
  const { customer } = await subscribeByCard(shop);
  const [card] = (await shop.fatura.paymentMethods.list(customer).page()).data;
  return card?.id ?? '';
}

async function aMandate(shop: Merchant): Promise<string> {
  const { id } = await subscribeByCard(shop);
  return (await shop.fatura.mandates.create(id, { journey: 'mandate_only' })).id;
}

async function aDebit(shop: Merchant, api: TestApi): Promise<string> {
  const { id } = await subscribeByMandate(shop);
  const collected = { api, merchant: shop, id };
  const { id: invoice } = await renew(collected);
  await pass(collected, async (next) => next?.what !== 'debit' || next.at > api.clock.now());
  return (await shop.fatura.invoices.retrieve(invoice)).payment_intent ?? '';
}

async function anEvent(shop: Merchant, api: TestApi): Promise<string> {
  await aProduct(shop);
  const { rows } = await api.composition.deps.pool.query<{ id: string }>(
    'SELECT id FROM event WHERE account_id = $1 AND NOT live_mode ORDER BY id DESC LIMIT 1',
    [shop.accountId],
  );
  return rows[0]?.id ?? '';
}

async function aSuspendedSubscription(merchant: Merchant, api: TestApi): Promise<string> {
  const { id } = await subscribeUnfunded(merchant);
  await leaveUnpaid({ api, merchant, id });
  return id;
}

const aSubscription = async (shop: Merchant) => ({
  subscription: {
    customer_id: (await shop.fatura.customers.create(maria)).id,
    price_id: (await newMonthly(shop)).id,
  },
});

const aChange = async (shop: Merchant) => ({ items: [{ price_id: (await newMonthly(shop)).id }] });

async function aScheduledChange(shop: Merchant): Promise<string> {
  const { id } = await subscribeByCard(shop);
  const change = { ...(await aChange(shop)), effective: 'period_end' } as const;
  return `${id}/${(await shop.fatura.subscriptionChanges.create(id, change)).id}`;
}

/** Makes the object that a route's path names; the ids of one within another stand behind a slash. */
const makers = {
  scheduledChange: aScheduledChange,
  customer: async (shop: Merchant) => (await shop.fatura.customers.create(maria)).id,
  product: async (shop: Merchant) => (await aProduct(shop)).id,
  price: async (shop: Merchant) => (await aPrice(shop)).id,
  paymentLink: async (shop: Merchant) => (await shop.fatura.paymentLinks.create(aLink)).id,
  coupon: async (shop: Merchant) => (await aCoupon(shop)).id,
  promotionCode: async (shop: Merchant) => (await shop.fatura.promotionCodes.create(await aCode(shop))).id,
  invoiceItem: async (shop: Merchant) => (await shop.fatura.invoiceItems.create(await anInvoiceItem(shop))).id,
  draft: async (shop: Merchant) => (await anInvoice(shop, true)).id,
  openInvoice: async (shop: Merchant) => (await anInvoice(shop, false)).id,
  session: async (shop: Merchant) => (await shop.fatura.checkoutSessions.create(await aSession(shop))).id,
  intent: anIntent,
  refund: async (shop: Merchant) => (await shop.fatura.refunds.create({ payment_intent: await aPaidIntent(shop) })).id,
  paidPix: aPaidPix,
  dispute: aDispute,
  storedCard: aStoredCard,
  mandate: aMandate,
  debit: aDebit,
  freeCard: async (shop: Merchant) => {
    const { id, customer } = await subscribeByCard(shop);
    const [card] = (await shop.fatura.paymentMethods.list(customer).page()).data;
    await shop.fatura.subscriptions.cancel(id);
    return card?.id ?? '';
  },
  subscription: async (shop: Merchant) => (await subscribe(shop)).id,
  active: async (shop: Merchant) => (await subscribeByCard(shop)).id,
  trial: async (shop: Merchant) => (await subscribe(shop, { trial: { days: 14, requires_payment_method: false } })).id,
  suspended: aSuspendedSubscription,
  event: anEvent,
  apiKey: async (shop: Merchant) => (await shop.fatura.apiKeys.create({ name: 'ERP', scope: 'full' })).id,
  export: async (shop: Merchant) => (await shop.fatura.exports.create({ type: 'customers' })).id,
  endpoint: async (shop: Merchant) => (await shop.fatura.webhookEndpoints.create(receiver)).id,
  recovery: async (shop: Merchant, api: TestApi) => {
    const { id } = await shop.fatura.webhookEndpoints.create(receiver);
    await shop.fatura.webhookEndpoints.recover(id, { since: api.clock.now() - 60 });
    return id;
  },
} satisfies Record<string, (shop: Merchant, api: TestApi) => Promise<string>>;

interface Example {
  /** What the id in the path names. */
  on?: keyof typeof makers;
  /** What the route cannot do without in its query. */
  query?: Readonly<Record<string, string>>;
  body?: (shop: Merchant, api: TestApi) => object | Promise<object>;
}

/** The smallest valid request of every route; a route without one does not compile. */
const examples: Record<RouteId, Example> = {
  'account.retrieve': {},
  'collectionSettings.retrieve': {},
  'collectionSettings.update': { body: () => ({ collection_settings: { overdue_days: 2 } }) },
  'account.update': { body: () => ({ account: { support_email: 'ajuda@loja.test' } }) },
  'customers.create': { body: () => ({ customer: maria }) },
  'customers.retrieve': { on: 'customer' },
  'customers.list': {},
  'customers.update': { on: 'customer', body: () => ({ customer: { name: 'Maria Souza' } }) },
  'customers.anonymize': { on: 'customer' },
  'customers.export': { on: 'customer' },
  'customers.createNote': { on: 'customer', body: () => ({ note: { text: 'Ligou hoje.' } }) },
  'customers.listNotes': { on: 'customer' },
  'customers.createPortalLink': { on: 'customer', body: () => ({}) },
  'products.create': { body: () => ({ product: { name: 'Plano Ouro' } }) },
  'products.retrieve': { on: 'product' },
  'products.list': {},
  'products.update': { on: 'product', body: () => ({ product: { active: false } }) },
  'prices.create': {
    body: async (shop) => ({ price: { product_id: (await aProduct(shop)).id, unit_amount: 0, type: 'one_time' } }),
  },
  'prices.retrieve': { on: 'price' },
  'prices.list': {},
  'prices.update': { on: 'price', body: () => ({ price: { active: false } }) },
  'paymentLinks.create': { body: () => ({ payment_link: aLink }) },
  'paymentLinks.retrieve': { on: 'paymentLink' },
  'paymentLinks.list': {},
  'paymentLinks.update': { on: 'paymentLink', body: () => ({ payment_link: { active: false } }) },
  'coupons.create': { body: () => ({ coupon: { name: 'Boas-vindas', type: 'percentage', percentage: 10 } }) },
  'coupons.retrieve': { on: 'coupon' },
  'coupons.list': {},
  'coupons.update': { on: 'coupon', body: () => ({ coupon: { active: false } }) },
  'promotionCodes.create': { body: async (shop) => ({ promotion_code: await aCode(shop) }) },
  'promotionCodes.retrieve': { on: 'promotionCode' },
  'promotionCodes.list': {},
  'promotionCodes.update': { on: 'promotionCode', body: () => ({ promotion_code: { active: false } }) },
  'invoiceItems.create': {
    body: async (shop) => ({ invoice_item: await anInvoiceItem(shop) }),
  },
  'invoiceItems.retrieve': { on: 'invoiceItem' },
  'invoiceItems.list': {},
  'invoiceItems.delete': { on: 'invoiceItem' },
  'invoices.create': { body: async (shop) => ({ invoice: { customer: maria, line_items: await lineItems(shop) } }) },
  'invoices.retrieve': { on: 'openInvoice' },
  'invoices.list': {},
  'invoices.update': { on: 'draft', body: () => ({ invoice: { description: 'Pedido 1042' } }) },
  'invoices.finalize': { on: 'draft' },
  'invoices.extend': {
    on: 'openInvoice',
    body: async (shop) => ({ invoice: { due_at: (await anInvoice(shop, false)).due_at + 86_400 } }),
  },
  'invoices.send': { on: 'openInvoice' },
  'invoices.void': { on: 'openInvoice' },
  'invoices.markUncollectible': { on: 'openInvoice' },
  'invoices.checkout': { on: 'openInvoice', body: () => ({ payment_method_type: 'pix' }) },
  'checkoutSessions.create': { body: async (shop) => ({ session: await aSession(shop) }) },
  'checkoutSessions.retrieve': { on: 'session' },
  'checkoutSessions.list': {},
  'checkoutSessions.expire': { on: 'session' },
  'paymentIntents.retrieve': { on: 'intent' },
  'paymentIntents.list': {},
  'refunds.create': { body: async (shop) => ({ refund: { payment_intent: await aPaidIntent(shop) } }) },
  'refunds.retrieve': { on: 'refund' },
  'refunds.list': {},
  'disputes.retrieve': { on: 'dispute' },
  'disputes.list': {},
  'mandates.create': { on: 'active', body: () => ({ journey: 'mandate_only' }) },
  'mandates.retrieve': { on: 'mandate' },
  'mandates.list': {},
  'mandates.cancel': { on: 'mandate' },
  'paymentMethods.list': { on: 'customer' },
  'paymentMethods.retrieve': { on: 'storedCard' },
  'paymentMethods.setDefault': { on: 'storedCard' },
  'paymentMethods.delete': { on: 'freeCard' },
  'collection.retrieve': {},
  'collection.listInvoices': {},
  'summary.retrieve': {},
  'pixReceipts.list': {},
  'reports.cashFlow': { query: REPORTED },
  'reports.aging': {},
  'reports.subscriptions': { query: REPORTED },
  'exports.create': { body: () => ({ export: { type: 'customers' } }) },
  'exports.retrieve': { on: 'export' },
  'exports.list': {},
  'search.retrieve': { query: { query: 'maria' } },
  'subscriptions.create': { body: aSubscription },
  'subscriptions.preview': { body: aSubscription },
  'subscriptions.retrieve': { on: 'subscription' },
  'subscriptions.list': {},
  'subscriptions.upcomingInvoice': { on: 'active' },
  'subscriptions.update': { on: 'subscription', body: () => ({ subscription: { quantity: 2 } }) },
  'subscriptions.checkout': { on: 'subscription', body: () => ({ payment_method_type: 'pix' }) },
  'subscriptions.updatePaymentMethod': { on: 'active', body: () => byCard() },
  'subscriptions.endTrial': { on: 'trial' },
  'subscriptions.cancelAt': { on: 'active', body: () => ({ at: 'period_end' }) },
  'subscriptions.uncancel': { on: 'active' },
  'subscriptionChanges.create': { on: 'active', body: aChange },
  'subscriptionChanges.preview': { on: 'active', body: aChange },
  'subscriptionChanges.cancel': { on: 'scheduledChange' },
  'subscriptions.pause': { on: 'active', body: () => ({ at: 'now' }) },
  'subscriptions.resume': { on: 'active' },
  'subscriptions.cancel': { on: 'subscription' },
  'subscriptions.reactivate': { on: 'suspended' },
  'events.retrieve': { on: 'event' },
  'events.list': {},
  'events.feed': {},
  'events.deliveries': { on: 'event' },
  'events.resend': { on: 'event' },
  'webhookEndpoints.create': { body: () => ({ webhook_endpoint: receiver }) },
  'webhookEndpoints.retrieve': { on: 'endpoint' },
  'webhookEndpoints.list': {},
  'webhookEndpoints.update': { on: 'endpoint', body: () => ({ webhook_endpoint: { description: 'Produção' } }) },
  'webhookEndpoints.rotateSecret': { on: 'endpoint' },
  'webhookEndpoints.test': { on: 'endpoint' },
  'webhookEndpoints.enable': { on: 'endpoint' },
  'webhookEndpoints.recover': { on: 'endpoint', body: (_, api) => ({ since: api.clock.now() - 60 }) },
  'webhookEndpoints.retrieveRecovery': { on: 'recovery' },
  'webhookEndpoints.deliveries': { on: 'endpoint' },
  'webhookEndpoints.delete': { on: 'endpoint' },
  'apiKeys.create': { body: () => ({ api_key: { name: 'ERP', scope: 'read', networks: ['127.0.0.1', '::1/128'] } }) },
  'apiKeys.retrieve': { on: 'apiKey' },
  'apiKeys.list': {},
  'apiKeys.update': { on: 'apiKey', body: () => ({ api_key: { name: 'Relatórios' } }) },
  'apiKeys.roll': { on: 'apiKey', body: () => ({ hours: 1 }) },
  'apiKeys.revoke': { on: 'apiKey' },
  'auditLog.list': {},
  'mails.list': {},
  'testClock.retrieve': {},
  'testClock.advance': { body: (_, api) => ({ test_clock: { to: api.clock.now() + 86_400 } }) },
  'testClock.reset': {},
  'testHelpers.paymentIntents.payPix': { on: 'intent', body: () => ({ scenario: 'paid' }) },
  'testHelpers.paymentIntents.debit': { on: 'debit', body: () => ({ outcome: 'insufficient' }) },
  'testHelpers.mandates.approve': { on: 'mandate' },
  'testHelpers.mandates.reject': { on: 'mandate' },
  'testHelpers.mandates.cancel': { on: 'mandate', body: () => ({ by: 'payer' }) },
  'testHelpers.paymentMethods.change': { on: 'storedCard', body: () => ({ scenario: 'renewed' }) },
  'testHelpers.paymentIntents.dispute': { on: 'paidPix', body: () => ({ scenario: 'fraud' }) },
};

/** The query that a route cannot do without. */
export const neededQuery = (id: RouteId): Readonly<Record<string, string>> => examples[id].query ?? {};

/** A valid request of a route, on objects made for it in the merchant's sandbox. */
export async function exampleOf(id: RouteId, shop: Merchant, api: TestApi): Promise<RawRequest> {
  const [, route] = routes.find(([other]) => other === id) ?? [];
  if (route === undefined) throw new Error(`no such route: ${id}`);
  const { on, query, body } = examples[id];
  const ids = on === undefined ? [] : (await makers[on](shop, api)).split('/');
  const path = route.path.replace('/api/v1', '').replace(/:\w+/g, () => ids.shift() ?? '');
  return {
    method: route.method,
    path: query === undefined ? path : `${path}?${new URLSearchParams(query)}`,
    key: shop.sandboxKey,
    ...(body === undefined ? {} : { body: await body(shop, api) }),
  };
}
