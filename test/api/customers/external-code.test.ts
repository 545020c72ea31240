import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../support/api.ts';
import { newPrice } from '../../support/factories.ts';
import { factsOf, outcomesOf } from '../requests.ts';
import { maria } from './examples.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});

afterAll(() => api.stop());

describe('the external_code of a customer', () => {
  test('is unique in account and mode; the refusal names its holder', async () => {
    const shop = await api.newMerchant();
    const holder = await shop.fatura.customers.create(maria({ external_code: 'A-1' }));
    const taken = {
      status: 409,
      code: 'EXTERNAL_CODE_TAKEN',
      wireParam: 'customer.external_code',
      message: `customer.external_code "A-1" is taken by ${holder.id}`,
    };
    await expect(shop.fatura.customers.create(maria({ external_code: ' A-1 ' }))).rejects.toMatchObject(taken);
    const other = await shop.fatura.customers.create(maria({ external_code: 'a-1' }));
    await expect(shop.fatura.customers.update(other.id, { external_code: 'A-1' })).rejects.toMatchObject(taken);
    expect(await shop.fatura.customers.retrieve(other.id)).toEqual({ ...other, credit_balance: 0, trials: [] });
    expect(await shop.fatura.customers.update(holder.id, { external_code: 'A-1' })).toEqual(holder);
    expect(await shop.live.customers.create(maria({ external_code: 'A-1' }))).toMatchObject({ live_mode: true });
    expect(await (await api.newMerchant()).fatura.customers.create(maria({ external_code: 'A-1' }))).toMatchObject({
      external_code: 'A-1',
    });
    expect((await factsOf(shop)).map(({ type }) => type)).toEqual(['customer.created', 'customer.created']);
  });

  test('is free again once cleared', async () => {
    const shop = await api.newMerchant();
    const first = await shop.fatura.customers.create(maria({ external_code: 'B-1' }));
    await shop.fatura.customers.update(first.id, { external_code: null });
    expect(await shop.fatura.customers.create(maria({ external_code: 'B-1' }))).toMatchObject({ external_code: 'B-1' });
  });

  test('goes to one of 50 at once, and the others learn which', async () => {
    const shop = await api.newMerchant();
    const { done, refused } = await outcomesOf(
      Array.from({ length: 50 }, (_, i) =>
        shop.fatura.customers.create(maria({ name: `Maria ${i}`, external_code: 'C-1' })),
      ),
    );
    expect(done).toHaveLength(1);
    expect(refused).toHaveLength(49);
    const message = `customer.external_code "C-1" is taken by ${done[0]?.id}`;
    for (const refusal of refused) expect(refusal).toMatchObject({ status: 409, code: 'EXTERNAL_CODE_TAKEN', message });
    expect(await factsOf(shop)).toEqual([{ type: 'customer.created', object: done[0] }]);
  });

  test('goes to one of 50 changes at once', async () => {
    const shop = await api.newMerchant();
    const customers = await Promise.all(Array.from({ length: 50 }, () => shop.fatura.customers.create(maria())));
    const { done, refused } = await outcomesOf(
      customers.map(({ id }) => shop.fatura.customers.update(id, { external_code: 'D-1' })),
    );
    expect(done).toHaveLength(1);
    const message = `customer.external_code "D-1" is taken by ${done[0]?.id}`;
    expect(refused).toHaveLength(49);
    for (const refusal of refused) expect(refusal).toMatchObject({ status: 409, code: 'EXTERNAL_CODE_TAKEN', message });
  });

  test('is told with its place when it stands inside an invoice', async () => {
    const shop = await api.newMerchant();
    const holder = await shop.fatura.customers.create(maria({ external_code: 'E-1' }));
    const line_items = [{ price_id: (await newPrice(shop)).id, quantity: 1 }];
    const before = await factsOf(shop);
    await expect(
      shop.fatura.invoices.create({ customer: maria({ external_code: 'E-1' }), line_items }),
    ).rejects.toMatchObject({
      status: 409,
      code: 'EXTERNAL_CODE_TAKEN',
      wireParam: 'invoice.customer.external_code',
      message: `invoice.customer.external_code "E-1" is taken by ${holder.id}`,
    });
    expect(await factsOf(shop)).toEqual(before);
  });
});
