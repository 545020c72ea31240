import type { MetricValue } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOverdueMeasure } from '../../../server/invoices/overdue-amount.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { cards, payByCard } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';

const DAY = 86_400;

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

/** The series of a metric that are not 0, by the values of their labels. */
async function counted(name: string): Promise<Record<string, number>> {
  const metric = await api.composition.deps.metrics.registry.getSingleMetric(name)?.get();
  const values: MetricValue<string>[] = metric?.values ?? [];
  return Object.fromEntries(
    values
      .filter(({ value }) => value !== 0)
      .map(({ labels, value }) => [
        Object.keys(labels)
          .toSorted()
          .map((label) => labels[label])
          .join(' '),
        value,
      ]),
  );
}

async function qrCodeOf(amount: number): Promise<{ invoice: string; intent: string }> {
  const { id } = await newInvoice(shop, { amount });
  const { payment_intent: intent } = await shop.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
  // Asked for again it is the same QR code.
  await shop.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
  return { invoice: id, intent: intent ?? '' };
}

test('sales, declines and QR codes are counted once, as they were committed, without what goes back', async () => {
  const pay = shop.fatura.testHelpers.paymentIntents;
  await qrCodeOf(500);
  await pay.payPix((await qrCodeOf(1_000)).intent, { scenario: 'paid' });
  await pay.payPix((await qrCodeOf(2_000)).intent, { scenario: 'paid_twice' });
  await payByCard(shop, (await newInvoice(shop, { amount: 4_000 })).id);
  for (const number of [cards.issuer_declined, cards.insufficient_funds, cards.insufficient_funds])
    await payByCard(shop, (await newInvoice(shop, { amount: 8_000 })).id, { number }).catch(() => {});
  expect(await counted('fatura_sales_centavos_total')).toEqual({ 'pix sandbox': 3_000, 'card sandbox': 4_000 });
  expect(await counted('fatura_charges_total')).toEqual({
    'pix sandbox paid': 2,
    'card sandbox paid': 1,
    'card sandbox issuer_declined': 1,
    'card sandbox insufficient_funds': 2,
  });
  expect(await counted('fatura_pix_codes_total')).toEqual({ 'sandbox made': 3, 'sandbox paid': 2, 'sandbox late': 1 });
});

test('no label names an account, and every series is there from the start', async () => {
  const text = await api.composition.deps.metrics.registry.metrics();
  const series = text
    .split('\n')
    .filter((line) => /^fatura_(?:charges|sales|pix|mails|webhook_lag|overdue)/.test(line))
    .map((line) => line.split(' ')[0]);
  await api.newMerchant().then((other) => newInvoice(other));
  await payByCard(shop, (await newInvoice(shop)).id);
  const after = await api.composition.deps.metrics.registry.metrics();
  expect(text).not.toContain(shop.accountId);
  expect(
    after.split('\n').filter((line) => /^fatura_(?:charges|sales|pix|mails|webhook_lag|overdue)/.test(line)).length,
  ).toBe(series.length);
});

test('what live invoices are overdue by is read from its index, from the day after they were due', async () => {
  const { deps } = api.composition;
  const overdue = async () => {
    await createOverdueMeasure(deps)();
    return counted('fatura_overdue_centavos');
  };
  const live = { ...shop, fatura: shop.live };
  for (const amount of [700, 70]) await newInvoice(live, { amount, due_at: api.clock.now() + 60 });
  await newInvoice(shop, { amount: 7_000, due_at: api.clock.now() + 60 });
  expect(await overdue()).toEqual({});
  api.clock.advance(2 * DAY);
  expect(await overdue()).toEqual({ '': 770 });
});

test('the amount overdue is measured at most each 15 seconds', async () => {
  const { deps } = api.composition;
  let asked = 0;
  const query = (async (...args: Parameters<typeof deps.pool.query>) => {
    asked += 1;
    return deps.pool.query(...args);
  }) as typeof deps.pool.query;
  const pool = new Proxy(deps.pool, { get: (of, name) => (name === 'query' ? query : Reflect.get(of, name, of)) });
  const measure = createOverdueMeasure({ ...deps, pool });
  await measure();
  const first = asked;
  await measure();
  expect([first > 0, asked]).toEqual([true, first]);
});
