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
