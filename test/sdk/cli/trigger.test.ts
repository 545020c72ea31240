import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fixtureOf, triggers } from '../../../sdk/src/cli/fixtures.ts';
import { allTypes } from '../../../sdk/src/cli/types.ts';
import { exportFileStep } from '../../../server/exports/write.ts';
import { type Merchant, type RealTimeApi, startRealTimeApi } from '../../support/api.ts';
import { newUser, runCli } from './run-cli.ts';

let api: RealTimeApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startRealTimeApi();
  shop = await api.newMerchant();
});

afterAll(() => api.stop());

const typesSince = async (cursor: string): Promise<string[]> =>
  (await shop.fatura.events.feed({ cursor })).data.map(({ type }) => type);

/** Without a worker nobody writes its file. */
const BY_WORKER = 'export.completed';

const atOnce = triggers.filter((type) => fixtureOf(type)?.movesClock === false && type !== BY_WORKER);

test.each(atOnce)('%s is led to', async (type) => {
  const { cursor } = await shop.fatura.events.feed();
  await fixtureOf(type)?.run({ fatura: shop.fatura, baseUrl: api.baseUrl });
  expect(await typesSince(cursor)).toContain(type);
});

test('an export is completed once the worker has written its file', async () => {
  const { cursor } = await shop.fatura.events.feed();
  const led = fixtureOf(BY_WORKER)?.run({ fatura: shop.fatura, baseUrl: api.baseUrl });
  const [{ id = '' } = {}] = await vi.waitUntil(async () => {
    const { data } = await shop.fatura.exports.list().page();
    return data.length > 0 && data;
  });
  await exportFileStep(api.composition.deps, id);
  await led;
  expect(await typesSince(cursor)).toContain(BY_WORKER);
});

test('every type is led to but what a bank decides later', () => {
  expect(allTypes.filter((type) => fixtureOf(type) === null)).toEqual(['payment_intent.refund_failed']);
});

test('the program makes the objects, and says so', async () => {
  const user = await newUser({ FATURA_API_KEY: shop.sandboxKey, FATURA_BASE_URL: api.baseUrl });
  const { cursor } = await shop.fatura.events.feed();
  expect(await runCli(user, ['trigger', 'invoice.paid'])).toEqual({
    code: 0,
    stdout: 'invoice.paid has happened.\n',
    stderr: '',
  });
  expect(await typesSince(cursor)).toEqual([
    'product.created',
    'price.created',
    'customer.created',
    'invoice.created',
    'payment_intent.created',
    'payment_intent.processing',
    'payment_intent.paid',
    'invoice.paid',
  ]);
});
