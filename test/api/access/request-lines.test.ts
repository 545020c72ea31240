import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { CVC, cards, payByCard } from '../../support/cards.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';

let api: TestApi;
let shop: Merchant;
let key: string;

/** Where charges wait; open unless a test closes it. */
let gate = Promise.withResolvers<void>();
gate.resolve();

beforeAll(async () => {
  api = await startApi({ failpoint: async (name) => (name === 'card.after-attempt' ? gate.promise : undefined) });
  shop = await api.newMerchant();
  const { rows } = await api.composition.deps.pool.query<{ id: string }>(
    'SELECT id FROM api_key WHERE account_id = $1 AND NOT live_mode',
    [shop.accountId],
  );
  key = rows[0]?.id ?? '';
});
afterAll(() => api.stop());

type Line = Record<string, unknown>;

const lines = (): Line[] =>
  api
    .logged()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as Line);

/** What the one line of a request tells of it; its answer may come first. */
async function lineOf(isIt: (line: Line) => boolean): Promise<Line> {
  await expect.poll(() => lines().filter(isIt).length).toBe(1);
  const { level, time, process, msg, ms, bytes, requestId, ...told } = lines().find(isIt) ?? {};
  expect({ level, process, msg }).toEqual({ level: 30, process: 'api', msg: 'request' });
  expect(requestId).toMatch(/^req_[0-9a-z]{26}$/);
  expect([typeof time, typeof ms, typeof bytes]).toEqual(['number', 'number', 'number']);
  return told;
}

const answered =
  ({ headers }: Response) =>
  ({ requestId }: Line): boolean =>
    requestId === headers.get('Request-Id');

const ask = (path: string, init: RequestInit = {}) => fetch(`${api.baseUrl}${path}`, init);
const withKey = () => ({ Authorization: `ApiKey ${shop.sandboxKey}`, 'Content-Type': 'application/json' });

test('a request of the API tells its account, mode and key, and how many bytes it was answered', async () => {
  const answer = await ask('/api/v1/customers?email=maria@example.com', { headers: withKey() });
  const body = await answer.text();
  const common = { method: 'GET', route: '/api/v1/customers', status: 200 };
  expect(await lineOf(answered(answer))).toEqual({ ...common, account: shop.accountId, mode: 'sandbox', key });
  expect(Number(lines().find(answered(answer))?.bytes)).toBeGreaterThan(body.length);
});

test('a refused request tells the code of its refusal', async () => {
  const whose = { account: shop.accountId, mode: 'sandbox', key };
  const invalid = await ask('/api/v1/customers', { method: 'POST', headers: withKey(), body: '{"customer":{}}' });
  const post = { method: 'POST', route: '/api/v1/customers' };
  expect(await lineOf(answered(invalid))).toEqual({ ...post, status: 400, code: 'PARAMETER_MISSING', ...whose });
  const stranger = await ask('/api/v1/customers');
  const get = { method: 'GET', route: '/api/v1/customers' };
  expect(await lineOf(answered(stranger))).toEqual({ ...get, status: 401, code: 'API_KEY_MISSING' });
  const nowhere = await ask('/nowhere/cus_01');
  const none = { method: 'GET', route: 'none', status: 404, code: 'ROUTE_NOT_FOUND' };
  expect(await lineOf(answered(nowhere))).toEqual(none);
  const other = await ask('/api/v1/customers/cus_00000000000000000000000000', { headers: withKey() });
  expect(await lineOf(answered(other))).toEqual({
    ...{ method: 'GET', route: '/api/v1/customers/:customer_id', status: 404, code: 'RESOURCE_MISSING' },
    ...whose,
  });
});

test('a page of a buyer tells whose it is, and neither its invoice nor its signature', async () => {
  const { payment_url: url } = await newInvoice(shop);
  const { pathname } = new URL(url ?? '');
  const page = await ask(pathname);
  const shown = { method: 'GET', route: '/pay/:invoice/:signature', status: 200 };
  expect(await lineOf(answered(page))).toEqual({ ...shown, account: shop.accountId, mode: 'sandbox' });
  const tried = await ask(`${pathname}/card`, { method: 'POST', headers: { 'Content-Type': 'application/json' } });
  expect(await lineOf(answered(tried))).toEqual({
    ...{ method: 'POST', route: '/pay/:invoice/:signature/card', status: 403, code: 'CROSS_SITE' },
    ...{ account: shop.accountId, mode: 'sandbox' },
  });
  const receipt = await ask(`${pathname}/receipt`);
  expect(await lineOf(answered(receipt))).toEqual({
    ...{ method: 'GET', route: '/pay/:invoice/:signature/receipt', status: 404, code: 'RESOURCE_MISSING' },
    ...{ account: shop.accountId, mode: 'sandbox' },
  });
  const guessed = await ask(`${pathname}0`);
  expect(await lineOf(answered(guessed))).toEqual({ ...shown, status: 404, code: 'RESOURCE_MISSING' });
  for (const part of pathname.split('/').slice(2)) expect(JSON.stringify(lines())).not.toContain(part);
});

test('a callback of nobody tells no path', async () => {
  const answer = await ask('/acquirer/notices/a-path-that-is-guessed', { method: 'POST', body: '{}' });
  expect(answer.status).toBe(404);
  const line = await lineOf(answered(answer));
  expect(line).toEqual({ method: 'POST', route: '/acquirer/notices/:token', status: 404, code: 'unknown_path' });
});

test('a client that leaves before its answer has a line', async () => {
  gate = Promise.withResolvers();
  const { id } = await newInvoice(shop);
  const leaving = new AbortController();
  const body = JSON.stringify({
    payment_method_type: 'card',
    card: { number: cards.approved, exp_month: 12, exp_year: 2040, cvc: CVC },
    billing_details: { name: 'MARIA DA SILVA', document: '52998224725' },
  });
  const path = `/api/v1/invoices/${id}/checkout`;
  const asked = ask(path, { method: 'POST', headers: withKey(), body, signal: leaving.signal }).catch(() => 'left');
  const { pool } = api.composition.deps;
  const attempts = async () => (await pool.query('SELECT FROM charge_attempt WHERE invoice_id = $1', [id])).rowCount;
  await expect.poll(attempts).toBe(1);
  leaving.abort();
  expect(await asked).toBe('left');
  expect(await lineOf(({ status }) => status === 499)).toEqual({
    ...{ method: 'POST', route: '/api/v1/invoices/:invoice_id/checkout', status: 499 },
    ...{ account: shop.accountId, mode: 'sandbox', key },
  });
  gate.resolve();
  await expect.poll(async () => (await shop.fatura.invoices.retrieve(id)).status).toBe('paid');
});

test('no line has anything of what was sent or answered', async () => {
  const customer = await newCustomer(shop, { name: 'Joaquina de Souza', email: 'joaquina@example.com' });
  await ask(`/api/v1/customers/${customer.id}?x=joaquina`, { headers: withKey() });
  await ask('/api/v1/events?related_object=joaquina@example.com', { headers: withKey() });
  const { id } = await newInvoice(shop, { customer_id: customer.id });
  await payByCard(shop, id, { key: 'paid-once' });
  // Whose digits are those of a card only by chance.
  const told = JSON.stringify(lines().map(({ time, ms, requestId, ...line }) => line));
  for (const text of [customer.id, id, shop.sandboxKey, 'oaquina', '52998224725', '4242', 'paid-once', '?'])
    expect(told).not.toContain(text);
});
