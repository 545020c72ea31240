import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
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
  for (const answer of [many, long]) {
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body).length).toBeLessThan(5_000);
  }
  expect(refusalOf(long)).toMatchObject({ code: 'PARAMETER_UNKNOWN', param: `product.${'k'.repeat(80)}…` });
});
