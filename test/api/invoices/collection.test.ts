import type { Collection } from '@fatura/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newInvoice } from '../../support/factories.ts';
import { leaveUnpaid, renew, subscribeUnfunded } from '../../support/subscriptions.ts';

const DAY = 86_400;

let api: TestApi;
let shop: Merchant;

/** Invoices of one shop that are so many days late, the last of them not yet due. */
const LATE = [30, 29, 7, 6, 1, 0] as const;
const amounts: Readonly<Record<number, number>> = { 30: 3_000, 29: 2_900, 7: 700, 6: 600, 1: 100, 0: 10 };
let invoices: Readonly<Record<number, string>>;
let suspended: string;
let declined: string;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  const owing = await subscribeUnfunded(shop);
  suspended = (await leaveUnpaid({ api, merchant: shop, id: owing.id })).id;
  const failing = await subscribeUnfunded(shop);
  declined = (await renew({ api, merchant: shop, id: failing.id })).id;
  const now = api.clock.now();
  const made = await Promise.all(
    LATE.map(async (days) => {
      const due_at = now + (30 - days) * DAY;
      return [days, (await newInvoice(shop, { amount: amounts[days] ?? 0, due_at })).id] as const;
    }),
  );
  await newInvoice(shop, { due_at: now + 30 * DAY + 1 });
  invoices = Object.fromEntries(made);
  api.clock.advance(30 * DAY);
});
afterAll(() => api.stop());

const idsOf = async (stage: string): Promise<string[]> =>
  (await shop.fatura.collection.listInvoices({ stage }).all({ max: 100 })).map(({ id }) => id).toSorted();

const known = (...days: number[]): string[] => days.map((day) => invoices[day] ?? '');

test('counts and sums open invoices behind their due date by the days of the account', async () => {
  const { stages, recovery, ...days } = await shop.fatura.collection.retrieve();
  expect(days).toEqual({
    object: 'collection',
    as_of: api.clock.now(),
    charge_days: [1, 3, 7],
    overdue_day: 1,
    suspend_day: 10,
    cancel_day: 30,
    live_mode: false,
  });
  expect(stages).toEqual([
    { id: 'day_0', from_day: 0, until_day: 1, count: 1, amount: 10 },
    { id: 'day_1', from_day: 1, until_day: 3, count: 1, amount: 100 },
    { id: 'day_3', from_day: 3, until_day: 7, count: 1, amount: 600 },
    { id: 'day_7', from_day: 7, until_day: 30, count: 2, amount: 3_600 },
    { id: 'suspended', from_day: null, until_day: null, count: 1, amount: 9_990 },
    { id: 'day_30', from_day: 30, until_day: null, count: 2, amount: 12_990 },
  ]);
  const nothing = { amount: 0, count: 0 };
  expect(recovery).toEqual([
    { reason: 'insufficient_funds', declined: { amount: 19_980, count: 2 }, recovered: nothing },
  ]);
});

test('lists the invoices of each stage, each once', async () => {
  expect(await idsOf('day_0')).toEqual(known(0));
  expect(await idsOf('day_1')).toEqual(known(1));
  expect(await idsOf('day_3')).toEqual(known(6));
  expect(await idsOf('day_7')).toEqual(known(7, 29).toSorted());
  expect(await idsOf('suspended')).toEqual([suspended]);
  expect(await idsOf('day_30')).toEqual([...known(30), declined].toSorted());
  const all = await shop.fatura.collection.listInvoices({ limit: 3 }).all({ max: 100 });
  expect(all.map(({ id }) => id)).toEqual([...known(...LATE), suspended, declined].toSorted().reverse());
});

test('tells what is done next with an invoice', async () => {
  const [one] = await shop.fatura.collection.listInvoices({ stage: 'suspended' }).all({ max: 1 });
  const { customer, subscription, due_at } = await shop.fatura.invoices.retrieve(suspended);
  expect(one).toEqual({
    id: suspended,
    object: 'collected_invoice',
    customer,
    customer_name: 'Maria da Silva',
    subscription,
    amount_remaining: 9_990,
    due_at,
    days_late: Math.floor((api.clock.now() - due_at) / DAY),
    is_suspended: true,
    next_step: 'cancel',
    next_step_at: due_at + 30 * DAY,
    live_mode: false,
  });
  const [alone] = await shop.fatura.collection.listInvoices({ stage: 'day_0' }).all({ max: 1 });
  expect(alone).toMatchObject({ subscription: null, next_step: 'remind', next_step_at: expect.any(Number) });
});

test('refuses a stage that the account has not, and names those that it has', async () => {
  for (const stage of ['day_2', 'day_365']) {
    await expect(shop.fatura.collection.listInvoices({ stage }).page()).rejects.toMatchObject({
      status: 400,
      code: 'PARAMETER_INVALID',
      param: 'stage',
      message: expect.stringContaining(`day_0, day_1, day_3, day_7, day_30, suspended, got ${stage}`),
    });
  }
});

test.each(['day_', 'late', 'DAY_0', 'day_0001', 'suspended ', ''])('refuses %j, which is no stage', async (stage) => {
  await expect(shop.fatura.collection.listInvoices({ stage }).page()).rejects.toMatchObject({
    status: 400,
    code: 'PARAMETER_INVALID',
    param: 'stage',
  });
});

test('another account and the other mode see nothing of it', async () => {
  const stranger = await api.newMerchant();
  const counts = ({ stages }: Collection) => stages.map(({ count, amount }) => count + amount);
  for (const fatura of [stranger.fatura, shop.live]) {
    const collection = await fatura.collection.retrieve();
    expect(counts(collection)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(collection.recovery).toEqual([]);
    expect(await fatura.collection.listInvoices().all({ max: 1 })).toEqual([]);
  }
});
