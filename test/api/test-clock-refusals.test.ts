import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { newCustomer } from '../support/factories.ts';
import { exampleOf, routes } from './access/routes.ts';
import { type RawRequest, refusalOf, send } from './requests.ts';

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const ID = /\b(cus|prod|price|in|pi|sub|we|cs|evt|key)_[0-9a-z]{26}\b/g;
const UNKNOWN = '0'.repeat(26);
const withoutObjects = (text: string): string => text.replace(ID, (_, prefix: string) => `${prefix}_${UNKNOWN}`);

/** As an advance leaves the clock on its way. */
async function hold(): Promise<void> {
  await api.composition.deps.pool.query(
    'UPDATE account SET clock_held_at = $2, clock_target = $3, clock_moved_at = now() WHERE id = $1',
    [shop.accountId, api.clock.now(), api.clock.now() + 86_400],
  );
}

const changes = routes.filter(([, { method }]) => method !== 'GET').map(([id]) => id);

test.each(changes)('regression-39-%s tells what does not exist before the clock that is advanced', async (id) => {
  shop = await api.newMerchant();
  const request = await exampleOf(id, shop, api);
  await hold();
  const refusal = async (change: Partial<RawRequest>) => refusalOf(await send(api, { ...request, ...change }));
  const moving = { status: 409, code: 'INVALID_STATE', message: expect.stringContaining('test clock') };
  expect(await refusal({})).toMatchObject(moving);
  const missing = { status: 404, code: 'RESOURCE_MISSING', message: expect.stringContaining(UNKNOWN) };
  const path = withoutObjects(request.path);
  if (path !== request.path) expect(await refusal({ path })).toMatchObject({ ...missing, param: null });
  const body = withoutObjects(JSON.stringify(request.body ?? {}));
  if (body !== JSON.stringify(request.body ?? {})) {
    expect(await refusal({ body })).toMatchObject({
      ...missing,
      param: expect.stringMatching(/_id$|\.payment_intent$/),
    });
  }
});

test('the object of another mode or account does not exist there either', async () => {
  shop = await api.newMerchant();
  const others = [await newCustomer(await api.newMerchant()), await newCustomer({ ...shop, fatura: shop.live })];
  await hold();
  for (const { id } of others) {
    const request = { method: 'POST', path: `/customers/${id}/anonymize`, key: shop.sandboxKey };
    expect(refusalOf(await send(api, request))).toMatchObject({ status: 404, code: 'RESOURCE_MISSING' });
  }
});

test('metadata that look like an id name nothing', async () => {
  shop = await api.newMerchant();
  const request = await exampleOf('invoices.update', shop, api);
  await hold();
  const body = { invoice: { metadata: [{ customer_id: `cus_${UNKNOWN}` }] } };
  expect(refusalOf(await send(api, { ...request, body }))).toMatchObject({ status: 409, code: 'INVALID_STATE' });
});
