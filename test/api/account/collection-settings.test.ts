import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { roles } from '../../../contract/roles.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { refusalOf, send } from '../requests.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const DEFAULTS = {
  object: 'collection_settings',
  overdue_days: 1,
  suspend_days: 10,
  cancel_days: 30,
  retry_days: [1, 3, 7],
  reminder_days: [-3, 0, 1, 3, 7],
  penalty_on_unpaid: false,
  late_fees: null,
  portal: { cancel: 'period_end', pause: false, change_prices: [] },
};

const patch = (key: string, settings: unknown) =>
  send(api, { method: 'PATCH', path: '/collection_settings', key, body: { collection_settings: settings } });

const aPrice = async (type: 'one_time' | 'recurring') => {
  const shop = await api.newMerchant();
  const product = await shop.fatura.products.create({ name: 'Plano Ouro' });
  const recurring = { recurring: { interval: 'month' as const, interval_count: 1 } };
  const price = await shop.fatura.prices.create({
    ...{ product_id: product.id, unit_amount: 9990 },
    ...(type === 'recurring' ? { type, ...recurring } : { type }),
  });
  return { shop, price };
};

describe('the settings of collection', () => {
  test('are the defaults until they are changed, field by field, and stand for each mode apart', async () => {
    const { fatura, live } = await api.newMerchant();
    expect(await fatura.collectionSettings.retrieve()).toEqual({ ...DEFAULTS, live_mode: false });
    const changed = { ...DEFAULTS, overdue_days: 2, retry_days: [2, 5], reminder_days: [-7, 30] };
    expect(
      await fatura.collectionSettings.update({ overdue_days: 2, retry_days: [2, 5], reminder_days: [-7, 30] }),
    ).toEqual({
      ...changed,
      live_mode: false,
    });
    const portal = { cancel: 'none', pause: false, change_prices: [] } as const;
    expect(await fatura.collectionSettings.update({ portal: { cancel: 'none' } })).toMatchObject({
      ...changed,
      portal,
    });
    expect(await fatura.collectionSettings.retrieve()).toMatchObject({ ...changed, portal });
    expect(await live.collectionSettings.retrieve()).toEqual({ ...DEFAULTS, live_mode: true });
  });

  test('hold for the requests that come after', async () => {
    const { fatura, sandboxKey: key } = await api.newMerchant();
    await fatura.collectionSettings.update({ overdue_days: 4, suspend_days: 8, cancel_days: 12, retry_days: [] });
    await expect
      .poll(async () => (await send(api, { method: 'GET', path: '/collection', key })).body)
      .toMatchObject({ overdue_day: 4, suspend_day: 8, cancel_day: 12, charge_days: [] });
  });

  test.each([
    [{ suspend_days: 30 }, 'collection days must be whole days from 1 to 365 with overdue <= suspend < cancel'],
    [{ overdue_days: 11 }, 'got overdue 11, suspend 10, cancel 30'],
    [{ retry_days: [3, 1] }, 'rising from 1 up to the 10 of the suspension, got 3,1'],
    [{ retry_days: [11] }, 'got 11'],
    [{ reminder_days: [0, -3] }, 'rising from -7 to 30, got 0,-3'],
    [{ reminder_days: [1, 1] }, 'rising from -7 to 30, got 1,1'],
    [{ reminder_days: [-8] }, 'reminder_days'],
    [{ reminder_days: [31] }, 'reminder_days'],
    [{ reminder_days: [0.5] }, 'reminder_days'],
    [{ reminder_days: [0, 1, 2, 3, 4, 5, 6, 7, 8] }, 'reminder_days'],
    [{ overdue_days: 0 }, 'overdue_days'],
    [{ cancel_days: 366 }, 'cancel_days'],
    [{ portal: { cancel: 'now' } }, 'portal.cancel'],
  ])('are refused where %j comes to no order, and stay as they were', async (changes, message) => {
    const { fatura, sandboxKey: key } = await api.newMerchant();
    const refused = refusalOf(await patch(key, changes));
    expect(refused).toMatchObject({
      status: 400,
      code: 'PARAMETER_INVALID',
      message: expect.stringContaining(message),
    });
    expect(await fatura.collectionSettings.retrieve()).toEqual({ ...DEFAULTS, live_mode: false });
  });

  test('two changes at once lose nothing of each other', async () => {
    const { fatura } = await api.newMerchant();
    await Promise.all([
      fatura.collectionSettings.update({ overdue_days: 3 }),
      fatura.collectionSettings.update({ cancel_days: 40 }),
      fatura.collectionSettings.update({ portal: { pause: true } }),
    ]);
    const portal = { ...DEFAULTS.portal, pause: true };
    expect(await fatura.collectionSettings.retrieve()).toMatchObject({ overdue_days: 3, cancel_days: 40, portal });
  });

  test('name recurring prices of the account alone as what buyers may change to', async () => {
    const { shop, price } = await aPrice('recurring');
    const portal = { change_prices: [price.id, price.id] };
    const set = await shop.fatura.collectionSettings.update({ portal });
    expect(set.portal.change_prices).toEqual([price.id]);
    const other = await aPrice('one_time');
    const param = 'collection_settings.portal.change_prices[0]';
    const once = await patch(other.shop.sandboxKey, { portal: { change_prices: [other.price.id] } });
    expect(refusalOf(once)).toMatchObject({ code: 'PRICE_TYPE_MISMATCH', param });
    const foreign = await patch(other.shop.sandboxKey, { portal: { change_prices: [price.id] } });
    expect(refusalOf(foreign)).toMatchObject({ code: 'RESOURCE_MISSING', param });
  });

  test('are in the log of what was done to the account, where something changed', async () => {
    const { fatura } = await api.newMerchant();
    await fatura.collectionSettings.update({ overdue_days: 1 });
    await fatura.collectionSettings.update({ overdue_days: 2 });
    const { data } = await fatura.auditLog.list({ action: 'collection_settings.updated' }).page();
    expect(data).toMatchObject([{ before: { overdue_days: 1 }, after: { overdue_days: 2 }, live_mode: false }]);
    expect(data).toHaveLength(1);
  });

  test('are changed by an owner, and read by everybody', () => {
    expect(roles['collectionSettings.update']).toEqual(['owner']);
    expect(roles['collectionSettings.retrieve']).toHaveLength(5);
  });
});
