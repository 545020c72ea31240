import type { Customer, Invoice, Search } from '@fatura/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, sdkFor, startApi, type TestApi } from '../../support/api.ts';
import { cards, payByCard } from '../../support/cards.ts';
import { newCustomer, newInvoice, newPrice } from '../../support/factories.ts';
import { rollKey } from '../../support/keys.ts';
import { subscribeByPix } from '../../support/subscriptions.ts';
import { refusalOf, send } from '../requests.ts';

const NOTHING = { customers: [], invoices: [], payment_intents: [], subscriptions: [], checkout_sessions: [] };

let api: TestApi;
let shop: Merchant;
let maria: Customer;
/** Of Maria: paid by PIX, then one that no card paid, then one of a subscription. */
let byPix: Invoice;
let unpaid: Invoice;
let subscription: string;
let session: string;
/** Of somebody else: paid by card. */
let byCard: Invoice;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  const { fatura } = shop;
  maria = await newCustomer(shop, { name: 'Maria Antônia', external_code: 'client-77', email: 'maria@padaria.com.br' });
  byPix = await newInvoice(shop, { amount: 123_456, customer_id: maria.id, external_code: 'order-1042' });
  const { payment_intent: intent } = await fatura.invoices.checkout(byPix.id, { payment_method_type: 'pix' });
  await fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
  unpaid = await newInvoice(shop, { amount: 9_990, customer_id: maria.id });
  await payByCard(shop, unpaid.id, { number: cards.insufficient_funds }).catch(() => {});
  subscription = (await subscribeByPix(shop, { customer_id: maria.id, external_code: 'plan-7', amount: 500 })).id;
  const joao = await newCustomer(shop, { name: 'João', email: 'joao@example.com', identifier: '12.ABC.345/01DE-35' });
  byCard = await newInvoice(shop, { amount: 7_700, customer_id: joao.id });
  await payByCard(shop, byCard.id, { number: cards.mastercard });
  session = (
    await fatura.checkoutSessions.create({
      mode: 'payment',
      line_items: [{ price_id: (await newPrice(shop)).id, quantity: 1 }],
      success_url: 'https://loja.test/obrigado',
      return_url: 'https://loja.test/carrinho',
      external_code: 'cart-9',
      customer_id: maria.id,
    })
  ).id;
});
afterAll(() => api.stop());

const search = (query: string, { limit, fatura = shop.fatura }: { limit?: number; fatura?: typeof shop.fatura } = {}) =>
  fatura.search.retrieve({ query, ...(limit !== undefined && { limit }) });

const idsOf = ({ object: _, query: _of, ...groups }: Search): Record<string, string[]> =>
  Object.fromEntries(Object.entries(groups).map(([group, found]) => [group, found.map(({ id }) => id)]));

const intentsOf = async (customer: string): Promise<string[]> =>
  (await shop.fatura.paymentIntents.list({ customer_id: customer }).all({ max: 10 })).map(({ id }) => id);
const invoicesOf = async (customer: string): Promise<string[]> =>
  (await shop.fatura.invoices.list({ customer_id: customer }).all({ max: 10 })).map(({ id }) => id);

/** An invoice as it stands, and its charges. */
const billed = async ({ id }: Invoice) => ({
  invoices: [id],
  payment_intents: (await shop.fatura.paymentIntents.list({ invoice_id: id }).all({ max: 10 })).map((one) => one.id),
});

test('a customer brings its newest invoices, charges, subscriptions and sessions, each whole', async () => {
  const { fatura } = shop;
  const found = await search('antonia mar');
  expect(found).toEqual({
    object: 'search',
    query: 'antonia mar',
    customers: await fatura.customers.list({ external_code: maria.external_code ?? '' }).all({ max: 1 }),
    invoices: await fatura.invoices.list({ customer_id: maria.id }).all({ max: 5 }),
    payment_intents: await fatura.paymentIntents.list({ customer_id: maria.id }).all({ max: 5 }),
    subscriptions: [await fatura.subscriptions.retrieve(subscription)],
    checkout_sessions: [await fatura.checkoutSessions.retrieve(session)],
  });
  expect(found.payment_intents).toContainEqual(
    expect.objectContaining({ invoice: unpaid.id, decline_reason: 'insufficient_funds' }),
  );
});

describe('the same customer is found', () => {
  test.each([
    'maria',
    'MARIA ANTÔNIA',
    'padaria',
    'maria@padaria.com.br',
    'Maria@PADARIA.com.br',
    'client-77',
    '529.982',
    '529.982.247-25',
  ])('by %s', async (query) => {
    expect(idsOf(await search(query))).toMatchObject({ customers: [maria.id], subscriptions: [subscription] });
  });

  test('by its id', async () => {
    expect(idsOf(await search(maria.id))).toEqual({
      customers: [maria.id],
      invoices: await invoicesOf(maria.id),
      payment_intents: await intentsOf(maria.id),
      subscriptions: [subscription],
      checkout_sessions: [session],
    });
  });
});

describe('an invoice is found with its charges', () => {
  test.each(['R$ 1.234,56', '1234,56', '1.234,56', '1234.56', 'order-1042'])('by %s', async (query) => {
    expect(idsOf(await search(query))).toEqual({ ...NOTHING, ...(await billed(byPix)) });
  });

  test('by its id', async () => {
    expect(idsOf(await search(byCard.id))).toEqual({ ...NOTHING, ...(await billed(byCard)) });
  });
});

describe('a charge is found with its invoice', () => {
  test.each(['4444', '•4444', '•••• 4444', '**** **** **** 4444'])('by %s of its card', async (query) => {
    expect(idsOf(await search(query))).toEqual({ ...NOTHING, ...(await billed(byCard)) });
  });

  test('by the last digits of a card that was declined', async () => {
    expect(idsOf(await search('9995'))).toEqual({ ...NOTHING, ...(await billed(unpaid)) });
  });

  test('by its id, its txid and its end-to-end id', async () => {
    const { rows } = await api.composition.deps.pool.query<{ id: string; txid: string }>(
      'SELECT r.id, r.txid FROM pix_receipt r WHERE r.invoice_id = $1',
      [byPix.id],
    );
    const { payment_intents: intents } = await billed(byPix);
    for (const query of [intents[0] ?? '', rows[0]?.txid ?? '', rows[0]?.id ?? ''])
      expect(idsOf(await search(query)), query).toEqual({ ...NOTHING, ...(await billed(byPix)) });
  });

  test('by a dispute of it', async () => {
    const [intent = ''] = (await billed(byPix)).payment_intents;
    await shop.fatura.testHelpers.paymentIntents.dispute(intent, { scenario: 'fraud', amount: 100 });
    const [dispute] = (await shop.fatura.disputes.list().page()).data;
    expect(idsOf(await search(dispute?.id ?? ''))).toEqual({ ...NOTHING, ...(await billed(byPix)) });
  });
});

test('a subscription and a session are found by their ids and codes', async () => {
  const { item } = await shop.fatura.subscriptions.retrieve(subscription);
  for (const query of [subscription, item.id, 'plan-7'])
    expect(idsOf(await search(query)), query).toEqual({ ...NOTHING, subscriptions: [subscription] });
  for (const query of [session, 'cart-9'])
    expect(idsOf(await search(query)), query).toEqual({ ...NOTHING, checkout_sessions: [session] });
});

test.each(['zuleica', '0,01', '0001', '999.999', 'in_00000000000000000000000000', '🦜🦜🦜', "' OR 1=1 --", '%%%'])(
  '%s finds nothing',
  async (query) => {
    expect(await search(query)).toEqual({ object: 'search', query, ...NOTHING });
  },
);

describe('a group', () => {
  test('has what the query names itself first, then the newest of the customers, five unless said otherwise', async () => {
    const other = await api.newMerchant();
    const named = await newCustomer(other, { name: 'Ana', external_code: 'bruna' });
    const later = [];
    for (let made = 0; made < 6; made += 1) later.unshift(await newCustomer(other, { name: `Bruna ${made}` }));
    const { fatura } = other;
    const expected = [named.id, ...later.map(({ id }) => id)];
    expect(idsOf(await search('bruna', { fatura })).customers).toEqual(expected.slice(0, 5));
    expect(idsOf(await search('bruna', { fatura, limit: 2 })).customers).toEqual(expected.slice(0, 2));
    expect(idsOf(await search('bruna', { fatura, limit: 10 })).customers).toEqual(expected);
  });

  test('has an object once, however many ways lead to it', async () => {
    const { invoices, payment_intents: intents } = idsOf(await search(byPix.external_code ?? ''));
    expect(new Set(invoices).size).toBe(invoices?.length);
    const again = idsOf(await search('maria@padaria.com.br'));
    expect(again.customers).toEqual([maria.id]);
    expect(new Set(again.payment_intents).size).toBe(again.payment_intents?.length);
    expect(intents).toHaveLength(1);
  });
});

test('finds nothing of another account or of the other mode', async () => {
  const { fatura } = await api.newMerchant();
  for (const query of ['maria', maria.id, byPix.id, 'order-1042', '4444', '1.234,56', 'maria@padaria.com.br'])
    for (const stranger of [fatura, shop.live])
      expect(await search(query, { fatura: stranger }), query).toMatchObject(NOTHING);
});

test('an anonymized customer is found by its id alone, and its card by nothing', async () => {
  const other = await api.newMerchant();
  const { id, customer } = await newInvoice(other, {});
  await payByCard(other, id, { number: cards.elo });
  expect(idsOf(await search('8311', { fatura: other.fatura })).invoices).toEqual([id]);
  await other.fatura.customers.anonymize(customer);
  for (const query of ['maria', '529982', '8311', 'Anonimizado'])
    expect(await search(query, { fatura: other.fatura }), query).toMatchObject(NOTHING);
  expect(idsOf(await search(customer, { fatura: other.fatura }))).toMatchObject({ customers: [customer] });
});

test('a key that may only read finds the same, without links that act', async () => {
  const key = { accountId: shop.accountId, liveMode: false, scope: 'read', hours: 1 } as const;
  const fatura = sdkFor(api.baseUrl, await rollKey(api.operator, key));
  const [whole, read] = [await search('maria'), await search('maria', { fatura })];
  expect(whole.invoices.every(({ payment_url }) => payment_url !== null)).toBe(true);
  expect(read).toEqual({
    ...whole,
    invoices: whole.invoices.map((one) => ({ ...one, payment_url: null })),
    subscriptions: whole.subscriptions.map((one) => ({ ...one, update_payment_url: null })),
    checkout_sessions: whole.checkout_sessions.map((one) => ({ ...one, url: null })),
  });
});

test.each<[string, string]>([
  ['query=ma', 'query'],
  [`query=${'x'.repeat(201)}`, 'query'],
  ['', 'query'],
  ['query=4242424242424242', 'query'],
  ['query=maria&limit=0', 'limit'],
  ['query=maria&limit=11', 'limit'],
  ['query=maria&limit=all', 'limit'],
  ['query=maria&page=2', 'page'],
])('refuses ?%s, and names it', async (query, param) => {
  const answer = await send(api, { method: 'GET', path: `/search?${query}`, key: shop.sandboxKey });
  expect(refusalOf(answer)).toMatchObject({ status: 400, param });
});
