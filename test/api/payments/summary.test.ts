import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { cards, payByCard } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';

const at = (text: string): number => Date.parse(text) / 1_000;
const NOTHING = { amount: 0, count: 0 };
const NO_MONEY = { pix: 0, card: 0, total: 0, count: 0 };

let api: TestApi;
let shop: Merchant;

const until = (instant: number): void => api.clock.advance(instant - api.clock.now());
const bill = async (amount: number, due_at?: number): Promise<string> =>
  (await newInvoice(shop, { amount, ...(due_at === undefined ? {} : { due_at }) })).id;

async function payPix(amount: number, scenario: 'paid' | 'paid_twice' = 'paid'): Promise<string> {
  const { payment_intent } = await shop.fatura.invoices.checkout(await bill(amount), { payment_method_type: 'pix' });
  await shop.fatura.testHelpers.paymentIntents.payPix(payment_intent ?? '', { scenario });
  return payment_intent ?? '';
}

const summaryOf = (date?: string) => shop.fatura.summary.retrieve(date === undefined ? {} : { date });

/** Two days of a shop, and the same weekday before: each figure at the first and the last second of its day in Brazil. */
beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  until(at('2027-07-08T12:00:00-03:00'));
  await payPix(700);
  until(at('2027-07-15T00:00:00-03:00'));
  const intent = await payPix(1_000);
  await payPix(2_000, 'paid_twice');
  await payByCard(shop, await bill(4_000), { number: cards.issuer_declined }).catch(() => {});
  await bill(8_000, at('2027-07-15T23:59:59-03:00'));
  await bill(16_000, at('2027-07-16T00:00:00-03:00'));
  until(at('2027-07-15T23:59:59-03:00'));
  const { payment_intent: byCard } = await shop.fatura.invoices.retrieve(
    (await payByCard(shop, await bill(32_000))).id,
  );
  until(at('2027-07-16T00:00:00-03:00'));
  await payPix(64_000);
  await shop.fatura.refunds.create({ payment_intent: byCard ?? '', amount: 128 });
  await shop.fatura.refunds.create({ payment_intent: intent, amount: 256 });
});
afterAll(() => api.stop());

test('tells the figures of a civil day in Brazil, beside the same day of the week before', async () => {
  expect(await summaryOf('2027-07-15')).toEqual({
    object: 'summary',
    date: '2027-07-15',
    received: { pix: 3_000, card: 32_000, total: 35_000, count: 3 },
    due_today: { amount: 8_000, count: 1 },
    refunded: NOTHING,
    failed: { amount: 4_000, count: 1 },
    compared: { date: '2027-07-08', received: { pix: 700, card: 0, total: 700, count: 1 } },
    live_mode: false,
  });
});

test('is of today where no day is named, and counts what is on its way only when it has come', async () => {
  expect(await summaryOf()).toEqual({
    object: 'summary',
    date: '2027-07-16',
    received: { pix: 64_000, card: 0, total: 64_000, count: 1 },
    due_today: { amount: 16_000, count: 1 },
    refunded: { amount: 128, count: 1 },
    failed: NOTHING,
    compared: { date: '2027-07-09', received: NO_MONEY },
    live_mode: false,
  });
});

test('of a day without anything is of zeros, and another account and mode see nothing of this one', async () => {
  expect(await summaryOf('1999-12-31')).toMatchObject({ received: NO_MONEY, due_today: NOTHING, refunded: NOTHING });
  const stranger = await api.newMerchant();
  for (const fatura of [stranger.fatura, shop.live])
    expect(await fatura.summary.retrieve({ date: '2027-07-15' })).toMatchObject({
      received: NO_MONEY,
      due_today: NOTHING,
      failed: NOTHING,
      compared: { received: NO_MONEY },
    });
});

test.each(['2027-02-29', '2027-13-01', '15/07/2027', '2027-7-15', 'hoje', '', '+012027-01-01', '2027-07-15T00:00:00Z'])(
  'refuses %s as a day, and names it',
  async (date) => {
    await expect(summaryOf(date)).rejects.toMatchObject({ status: 400, code: 'PARAMETER_INVALID', param: 'date' });
  },
);
