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
