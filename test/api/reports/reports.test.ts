import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { byCard, payByCard } from '../../support/cards.ts';
import { newCustomer, newInvoice, newPrice } from '../../support/factories.ts';
import { subscribe, subscribeByPix } from '../../support/subscriptions.ts';

const at = (text: string): number => Date.parse(text) / 1_000;
const NOTHING = { amount: 0, count: 0 };
const NO_MONEY = { pix: 0, card: 0, total: 0, count: 0 };
const NO_FLOW = {
  received: NO_MONEY,
  refunded: NOTHING,
  disputed: NOTHING,
  reinstated: NOTHING,
  surplus_received: 0,
  surplus_returned: 0,
  net: 0,
};

let api: TestApi;
let shop: Merchant;

const until = (text: string): void => api.clock.advance(at(text) - api.clock.now());
const bill = async (amount: number, due?: string): Promise<string> =>
  (await newInvoice(shop, { amount, ...(due === undefined ? {} : { due_at: at(due) }) })).id;

async function payPix(amount: number, scenario: 'paid' | 'paid_twice' = 'paid'): Promise<string> {
  const { payment_intent } = await shop.fatura.invoices.checkout(await bill(amount), { payment_method_type: 'pix' });
  await shop.fatura.testHelpers.paymentIntents.payPix(payment_intent ?? '', { scenario });
  return payment_intent ?? '';
}

/** Money at the first and the last second of days in Brazil, and of months. */
beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  until('2027-06-30T23:59:59-03:00');
  await payPix(1_000);
  until('2027-07-01T00:00:00-03:00');
  const { payment_intent: byCard } = await shop.fatura.invoices.retrieve((await payByCard(shop, await bill(2_000))).id);
  await payPix(4_000, 'paid_twice');
  until('2027-07-01T23:59:59-03:00');
  await shop.fatura.refunds.create({ payment_intent: byCard ?? '', amount: 500 });
  const contested = await payPix(8_000);
  until('2027-07-02T00:00:00-03:00');
  const { paymentIntents } = shop.fatura.testHelpers;
  await paymentIntents.dispute(contested, { scenario: 'fraud', amount: 3_000 });
  until('2027-07-03T12:00:00-03:00');
  await paymentIntents.dispute(contested, { scenario: 'reversed' });
});
afterAll(() => api.stop());

describe('the cash flow', () => {
  test('has a row for each day, by the instant that money came and went', async () => {
    const { rows, totals, ...rest } = await shop.fatura.reports.cashFlow({ from: '2027-06-30', until: '2027-07-04' });
    expect(rest).toEqual({
      object: 'cash_flow_report',
      from: '2027-06-30',
      until: '2027-07-04',
      by: 'day',
      live_mode: false,
    });
    const day = (date: string) => ({ ...NO_FLOW, from: date, until: date });
    expect(rows).toEqual([
      { ...day('2027-06-30'), received: { pix: 1_000, card: 0, total: 1_000, count: 1 }, net: 1_000 },
      {
        ...day('2027-07-01'),
        received: { pix: 12_000, card: 2_000, total: 14_000, count: 3 },
        refunded: { amount: 500, count: 1 },
        surplus_received: 4_000,
        net: 17_500,
      },
      { ...day('2027-07-02'), disputed: { amount: 3_000, count: 1 }, net: -3_000 },
      { ...day('2027-07-03'), reinstated: { amount: 3_000, count: 1 }, net: 3_000 },
      day('2027-07-04'),
    ]);
    expect(totals).toEqual({
      received: { pix: 13_000, card: 2_000, total: 15_000, count: 4 },
      refunded: { amount: 500, count: 1 },
      disputed: { amount: 3_000, count: 1 },
      reinstated: { amount: 3_000, count: 1 },
      surplus_received: 4_000,
      surplus_returned: 0,
      net: 18_500,
    });
  });

  test('by month has the days of the period alone', async () => {
    const { rows } = await shop.fatura.reports.cashFlow({ from: '2027-05-31', until: '2027-07-01', by: 'month' });
    expect(rows.map((row) => [row.from, row.until, row.received.total])).toEqual([
      ['2027-05-31', '2027-05-31', 0],
      ['2027-06-01', '2027-06-30', 1_000],
      ['2027-07-01', '2027-07-01', 14_000],
    ]);
  });

  test('of another account and of the other mode has nothing of this one', async () => {
    const stranger = await api.newMerchant();
    for (const fatura of [stranger.fatura, shop.live]) {
      const { totals } = await fatura.reports.cashFlow({ from: '2027-06-30', until: '2027-07-04' });
      expect(totals).toEqual(NO_FLOW);
    }
  });
});

describe('a period', () => {
  test('may have 366 days, each with its row', async () => {
    const { rows } = await shop.fatura.reports.cashFlow({ from: '2028-01-01', until: '2028-12-31' });
    expect([rows.length, rows[59]?.from, rows.at(-1)?.until]).toEqual([366, '2028-02-29', '2028-12-31']);
  });

  test.each([
    [{ from: '2027-01-01', until: '2028-01-02' }, 'until', 'has 367'],
    [{ from: '2027-07-02', until: '2027-07-01' }, 'until', 'must not be before from, 2027-07-02; got 2027-07-01'],
    [{ from: '2027-02-29', until: '2027-03-01' }, 'from', 'from'],
    [{ from: '2027-02-01', until: 'hoje' }, 'until', 'until'],
  ])('is refused where it is %j', async (query, param, words) => {
    for (const report of ['cashFlow', 'subscriptions'] as const)
      await expect(shop.fatura.reports[report](query)).rejects.toMatchObject({
        status: 400,
        code: 'PARAMETER_INVALID',
        param,
        message: expect.stringContaining(words),
      });
  });
});

test('open invoices have the age of the whole days since they were due', async () => {
  const merchant = await api.newMerchant();
  shop = merchant;
  until('2027-08-01T12:00:00-03:00');
  await bill(1, '2027-08-01T23:59:59-03:00');
  await bill(2, '2027-08-02T00:00:00-03:00');
  until('2027-08-02T12:00:00-03:00');
  const ages = async () => (await shop.fatura.reports.aging()).rows.map(({ amount, count }) => [amount, count]);
  const none = [0, 0];
  expect(await ages()).toEqual([[2, 1], [1, 1], none, none, none]);
  until('2027-08-31T23:59:59-03:00');
  expect(await ages()).toEqual([none, [3, 2], none, none, none]);
  until('2027-09-01T00:00:00-03:00');
  expect(await ages()).toEqual([none, [2, 1], [1, 1], none, none]);
  until('2027-10-01T12:00:00-03:00');
  expect(await ages()).toEqual([none, none, [2, 1], [1, 1], none]);
  until('2027-10-31T12:00:00-03:00');
  expect(await shop.fatura.reports.aging()).toEqual({
    object: 'aging_report',
    date: '2027-10-31',
    rows: [
      { age: 'to_come', ...NOTHING },
      { age: 'days_1_30', ...NOTHING },
      { age: 'days_31_60', ...NOTHING },
      { age: 'days_61_90', amount: 2, count: 1 },
      { age: 'days_over_90', amount: 1, count: 1 },
    ],
    totals: { amount: 3, count: 2 },
    live_mode: false,
  });
});

test('what a coupon for ever takes off its own items is no monthly revenue', async () => {
  shop = await api.newMerchant();
  const monthly = (unit_amount: number) =>
    newPrice(shop, { type: 'recurring', recurring: { interval: 'month' }, unit_amount });
  const [plan, extra] = [await monthly(10_000), await monthly(3_000)];
  const scoped = { percentage: 50, applies_to: { product_ids: [extra.product] } };
  const coupons = [
    await shop.fatura.coupons.create({ name: 'Metade', type: 'percentage', ...scoped }),
    await shop.fatura.coupons.create({ name: 'Um mês', type: 'percentage', ...scoped, cycles: 1 }),
    await shop.fatura.coupons.create({ name: 'Tudo', type: 'fixed', amount_cents: 99_999 }),
  ];
  for (const { id: coupon_id } of [coupons[0], ...coupons].flatMap((one) => one ?? [])) {
    const { id: customer_id } = await newCustomer(shop);
    const items = [{ price_id: plan.id }, { price_id: extra.id }];
    const { id, status } = await shop.fatura.subscriptions.create({ customer_id, items, coupon_id });
    if (status === 'pending') await shop.fatura.subscriptions.checkout(id, byCard());
  }
  const { now } = await shop.fatura.reports.subscriptions({ from: '2027-11-01', until: '2027-11-03' });
  expect(now).toMatchObject({ active: 4, mrr: 2 * 11_500 + 13_000 });
});

test('subscriptions begin and end in the row of their day, and what was never paid is none', async () => {
  shop = await api.newMerchant();
  const price = (interval: 'day' | 'week' | 'month', interval_count: number, unit_amount: number) =>
    newPrice(shop, { type: 'recurring', recurring: { interval, interval_count }, unit_amount });
  until('2027-11-30T12:00:00-03:00');
  const first = await subscribeByPix(shop, { price_id: (await price('month', 3, 10_000)).id });
  until('2027-12-01T12:00:00-03:00');
  await subscribeByPix(shop, { price_id: (await price('week', 2, 999)).id, quantity: 3 });
  // Of what is half for ever, and was less for one bill.
  const discounts = [
    { type: 'fixed' as const, amount: 50, cycles: 1 },
    { type: 'percentage' as const, percentage: 50 },
  ];
  const daily = await subscribeByPix(shop, { price_id: (await price('day', 7, 200)).id, discounts });
  const unpaid = await subscribe(shop);
  const given = await subscribe(shop);
  until('2027-12-02T00:00:00-03:00');
  await shop.fatura.subscriptions.cancel(first.id);
  await shop.fatura.subscriptions.cancel(given.id);
  const { rows, totals, now } = await shop.fatura.reports.subscriptions({ from: '2027-12-01', until: '2027-12-03' });
  expect(rows).toEqual([
    { from: '2027-12-01', until: '2027-12-01', started: 2, canceled: 0, subscribers: 3 },
    { from: '2027-12-02', until: '2027-12-02', started: 0, canceled: 1, subscribers: 2 },
    { from: '2027-12-03', until: '2027-12-03', started: 0, canceled: 0, subscribers: 2 },
  ]);
  expect(totals).toEqual({ subscribers_before: 1, started: 2, canceled: 1, subscribers: 2 });
  // 2997 a fortnight are 6493.5 a month, and 100 a week of days are 434.52.
  expect(now).toEqual({ active: 2, paused: 0, suspended: 0, pending: 1, mrr: 6_494 + 435 });
  expect([daily.status, unpaid.status]).toEqual(['active', 'pending']);
  const stranger = await api.newMerchant();
  expect(await stranger.fatura.reports.subscriptions({ from: '2027-12-01', until: '2027-12-03' })).toMatchObject({
    now: { active: 0, paused: 0, suspended: 0, pending: 0, mrr: 0 },
    totals: { subscribers_before: 0, started: 0, canceled: 0, subscribers: 0 },
  });
});
