import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { subscribe } from '../support/subscriptions.ts';
import { type RawAnswer, refusalOf, send } from './requests.ts';

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  send(api, { method: 'POST', path, key: shop.sandboxKey, body, headers });

const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

test('regression-33-a recurrence whose unit or count is an object is a refusal, and the process goes on', async () => {
  const unit = await post('/prices', '{"price":{"recurring":{"interval":{"toString":0}}}}');
  expect(refusalOf(unit)).toMatchObject({ status: 400, code: 'PARAMETER_MISSING' });
  const count = await post('/prices', '{"price":{"recurring":{"interval":"day","interval_count":{"valueOf":0}}}}');
  expect(refusalOf(count).errors).toContainEqual({
    param: 'price.recurring.interval_count',
    code: 'PARAMETER_INVALID',
    message: 'price.recurring.interval_count must be of type number, got an object',
  });
  expect((await send(api, { method: 'GET', path: '/prices', key: shop.sandboxKey })).status).toBe(200);
});

test.each([33, 3_000, 7_000, 40_000])('regression-34-a body of %i levels is malformed JSON', async (levels) => {
  const invoice = `{"invoice":{"metadata":[${nested(levels - 3)}]}}`;
  const expected = { status: 400, code: 'MALFORMED_JSON', message: 'The body has more than 32 levels' };
  expect(refusalOf(await post('/invoices', invoice))).toMatchObject(expected);
  expect(refusalOf(await post('/invoices', invoice, { 'Idempotency-Key': `deep-${levels}` }))).toMatchObject(expected);
  const list = `${'['.repeat(levels)}${']'.repeat(levels)}`;
  expect(refusalOf(await post('/products', list))).toMatchObject(expected);
});

test('a body of 32 levels is looked at', async () => {
  const answer = await post('/invoices', `{"invoice":{"line_items":[],"metadata":[${nested(29)}]}}`);
  expect(refusalOf(answer)).toMatchObject({ status: 400, param: 'invoice.line_items' });
  expect(refusalOf(answer).errors?.map(({ param }) => param)).not.toContain('invoice.metadata');
});

test('regression-35-of many violations 20 are listed, and the message says how many there are', async () => {
  const product = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`key_${index}`, 0]));
  const { errors = [], ...refusal } = refusalOf(await post('/products', JSON.stringify({ product })));
  expect(refusal.message).toBe('product.name is required; it is one of 26 violations, the first 20 are listed');
  expect(errors).toHaveLength(20);
  expect(errors[0]).toEqual({ param: 'product.name', code: 'PARAMETER_MISSING', message: 'product.name is required' });
});

test('the answer to a body of nothing but unknown keys is small', async () => {
  const keys = Array.from({ length: 25_000 }, (_, index) => [index.toString(36), 0]);
  const many = await post('/products', JSON.stringify({ product: Object.fromEntries(keys) }));
  const long = await post('/products', JSON.stringify({ product: { name: 'Plano', ['k'.repeat(250_000)]: 0 } }));
  expect([many.status, long.status]).toEqual([413, 400]);
  for (const answer of [many, long]) {
    expect(JSON.stringify(answer.body).length).toBeLessThan(5_000);
  }
  expect(refusalOf(long)).toMatchObject({ code: 'PARAMETER_UNKNOWN', param: `product.${'k'.repeat(80)}…` });
});

const spellings = ['/products/', '/Products', '/PRODUCTS', '//products', '/product%73'];

test.each(spellings)('regression-36-%s is no other spelling of a path, and no second effect of a key', async (path) => {
  const headers = { 'Idempotency-Key': `spelling of ${path}` };
  const body = JSON.stringify({ product: { name: `spelt ${path}` } });
  expect((await post('/products', body, headers)).status).toBe(201);
  for (const method of ['POST', 'GET', 'DELETE']) {
    const answer = await send(api, {
      method,
      path,
      key: shop.sandboxKey,
      headers,
      ...(method === 'GET' ? {} : { body }),
    });
    expect(refusalOf(answer)).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND' });
    expect(answer.headers.get('allow')).toBeNull();
  }
  const products = await shop.fatura.products.list({ limit: 100 }).all({ max: 1_000 });
  expect(products.filter(({ name }) => name === `spelt ${path}`)).toHaveLength(1);
});

test('regression-36-another spelling of an id in the path is the same request under its key', async () => {
  const { id } = await shop.fatura.customers.create({
    name: 'Maria',
    identifier: '52998224725',
    email: 'maria@example.com',
  });
  const headers = { 'Idempotency-Key': 'anonymize' };
  const escaped = `%63${id.slice(1)}`;
  const first = await post(`/customers/${id}/anonymize`, '{}', headers);
  const repeated = await post(`/customers/${escaped}/anonymize`, '{}', headers);
  expect([first.status, repeated.status]).toEqual([200, 200]);
  expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
});

test.each(['/docs/', '/Docs', '/HEALTHZ', '/metrics/', '/api/v1/customers/'])('%s is no page', async (path) => {
  const headers = { Authorization: `ApiKey ${shop.sandboxKey}` };
  const response = await fetch(`${api.baseUrl}${path}`, { headers });
  expect(await response.json()).toMatchObject({ error: { code: 'ROUTE_NOT_FOUND' } });
});

describe('a route without parameters in its body', () => {
  const unknown = { status: 400, code: 'PARAMETER_UNKNOWN', param: 'invoice' };
  const malformed = { status: 400, code: 'MALFORMED_JSON' };
  const refused: [string, object][] = [
    ['{"invoice":{}}', unknown],
    ['{"invoice"', malformed],
    [nested(33), malformed],
  ];

  test.each(refused)('regression-38-a deletion with the body %s deletes nothing', async (body, refusal) => {
    const subscription = await subscribe(shop);
    const { id } = await shop.fatura.webhookEndpoints.create({ url: 'http://127.0.0.1:9/x', event_types: [] });
    for (const path of [`/subscriptions/${subscription.id}`, `/webhook_endpoints/${id}`]) {
      const answer = await send(api, { method: 'DELETE', path, key: shop.sandboxKey, body });
      expect(refusalOf(answer)).toMatchObject(refusal);
      expect((await send(api, { method: 'GET', path, key: shop.sandboxKey })).status).toBe(200);
    }
    expect((await shop.fatura.subscriptions.retrieve(subscription.id)).status).toBe('pending');
    await shop.fatura.webhookEndpoints.delete(id);
  });

  test.each([undefined, '', '{}'])('takes an empty one: %s', async (body) => {
    const { id } = await subscribe(shop);
    const request = { method: 'DELETE', path: `/subscriptions/${id}`, key: shop.sandboxKey };
    const answer = await send(api, { ...request, ...(body === undefined ? {} : { body }) });
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ status: 'inactive' })]);
  });
});
