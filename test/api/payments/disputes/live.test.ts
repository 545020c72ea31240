import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakePsp, profileNames } from '../../../../dev/fake-psp/psp.ts';
import { run } from '../../../../server/db/statement.ts';
import type { PixAcquirer, PixReturn } from '../../../../server/payments/acquirer/port.ts';
import { sweep } from '../../../../server/payments/live/pix/sweep.ts';
import { type RealTimeApi, startRealTimeApi } from '../../../support/api.ts';
import { ownStatement } from '../../../support/statements.ts';
import { type LiveShop, openLiveShop } from '../../live/live-shop.ts';
import { TAKEN } from './dispute-scene.ts';

let api: RealTimeApi;
const psps: FakePsp[] = [];
beforeAll(async () => {
  api = await startRealTimeApi();
});
afterAll(async () => {
  await Promise.all(psps.map((psp) => psp.close()));
  await api.stop();
});

/** A shop with a PIX of 4000 that was paid. */
async function openWithSale(options: Parameters<typeof openLiveShop>[1] = {}) {
  const shop = await openLiveShop(api, options);
  psps.push(shop.psp);
  const sale = await shop.sell(4_000);
  const endToEndId = shop.pay(sale.txid);
  await shop.rest();
  return { shop, ...sale, endToEndId };
}

const disputesOf = async ({ fatura }: LiveShop, intent: string) =>
  (await fatura.disputes.list({ payment_intent_id: intent }).all({ max: 10 })).toReversed();

describe.each(profileNames)('money that a PSP of the profile %s takes back', (profile) => {
  test('is a dispute as its callback comes', async () => {
    const { shop, invoice, intent, endToEndId } = await openWithSale({ profile });
    shop.psp.bankReturn(shop.credentials, endToEndId, { nature: 'MED_FRAUDE' });
    await shop.rest();
    const [dispute, ...more] = await disputesOf(shop, intent);
    expect(more).toEqual([]);
    expect(dispute).toMatchObject({ amount: 4_000, reason: 'fraud', status: 'lost', live_mode: true, invoice });
    expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'paid', amount_disputed: 4_000 });
    const told = await shop.fatura.events.list({ related_object: dispute?.id ?? '' }).all({ max: 10 });
    expect(told.map(({ type }) => type).toReversed()).toEqual(TAKEN);
  });
});

describe('money of a live PIX', () => {
  test('that is refunded in part and taken in part is told apart', async () => {
    const { shop, intent, endToEndId } = await openWithSale();
    await shop.fatura.refunds.create({ payment_intent: intent, amount: 1_000 });
    await shop.rest();
    shop.psp.bankReturn(shop.credentials, endToEndId, { nature: 'MED_OPERACIONAL', amount: 500 });
    shop.psp.bankReturn(shop.credentials, endToEndId, { nature: 'MED_PIX_AUTOMATICO', amount: 700 });
    await shop.rest();
    expect((await disputesOf(shop, intent)).map(({ amount, reason }) => `${amount} ${reason}`).toSorted()).toEqual([
      '500 operational_error',
      '700 automatic_debit',
    ]);
    expect(await shop.fatura.paymentIntents.retrieve(intent)).toMatchObject({
      status: 'paid',
      amount_refunded: 1_000,
      amount_disputed: 1_200,
    });
    await expect(shop.fatura.refunds.create({ payment_intent: intent, amount: 1_801 })).rejects.toMatchObject({
      code: 'REFUND_EXCEEDS_BALANCE',
    });
  });

  test('that is taken while a refund is at the bank leaves the refund, and is told by the same callback', async () => {
    const { shop, intent, endToEndId } = await openWithSale();
    shop.psp.setReturns(shop.credentials, { afterMs: null, status: 'DEVOLVIDO' });
    await shop.fatura.refunds.create({ payment_intent: intent, amount: 1_000 });
    await shop.work();
    shop.psp.bankReturn(shop.credentials, endToEndId, { nature: 'MED_FRAUDE', amount: 3_000, notify: false });
    shop.psp.settleReturns(shop.credentials);
    await shop.rest();
    expect(await disputesOf(shop, intent)).toMatchObject([{ amount: 3_000, status: 'lost' }]);
    expect(await shop.fatura.paymentIntents.retrieve(intent)).toMatchObject({
      status: 'paid',
      amount_refunded: 1_000,
      amount_disputed: 3_000,
    });
  });
});

const forgetSweep = ownStatement(
  'test_forget_sweep',
  `UPDATE live_acquirer SET returns_swept_at = 0 WHERE account_id = $1`,
);

/** Sweeps the returns as the run does once a day; answers how many QR codes it has asked about. */
async function sweepReturns(shop: LiveShop): Promise<number> {
  await sleep(SECOND_OVER_MS);
  await run(shop.deps.pool, forgetSweep, [shop.merchant.accountId]);
  expect(await sweep(shop.deps, shop.merchant.accountId)).toBe('swept');
  const asked = () => shop.psp.requests(shop.credentials).getCob;
  const before = asked();
  await shop.work();
  return asked() - before;
}

/** Whole seconds are asked for: what happened within this one is of the next. */
const SECOND_OVER_MS = 1_050;

/** The bank refuses all that it had returned, which the fake PSP does not do. */
function refusing(acquirer: PixAcquirer): PixAcquirer {
  const refused = <T extends { readonly returns: readonly PixReturn[] }>(payment: T): T => ({
    ...payment,
    returns: payment.returns.map((each) => ({ ...each, status: 'refused' })),
  });
  return Object.assign(Object.create(acquirer), {
    findPix: async (...asked: Parameters<PixAcquirer['findPix']>) => {
      const found = await acquirer.findPix(...asked);
      if (!found.known || found.value === null) return found;
      return { known: true, value: { ...found.value, payments: found.value.payments.map(refused) } };
    },
    findReceived: async (...asked: Parameters<NonNullable<PixAcquirer['findReceived']>>) => {
      const found = await acquirer.findReceived?.(...asked);
      if (found?.known !== true) return found;
      return { known: true, value: { ...found.value, payments: found.value.payments.map(refused) } };
    },
  });
}

test('the sweep finds what no callback told of: money that was taken, and returns that were refused after all', async () => {
  const { shop, intent, endToEndId } = await openWithSale();
  await shop.fatura.refunds.create({ payment_intent: intent, amount: 1_000 });
  // The callback of the refund comes once it is made.
  for (let rests = 1; rests <= 2; rests += 1) await shop.rest();
  shop.psp.bankReturn(shop.credentials, endToEndId, { nature: 'MED_FRAUDE', amount: 500, notify: false });
  await shop.rest();
  expect(await disputesOf(shop, intent)).toEqual([]);
  expect(await sweepReturns(shop)).toBe(1);
  expect(await disputesOf(shop, intent)).toMatchObject([{ amount: 500, status: 'lost' }]);
  expect(await sweepReturns(shop)).toBe(0);

  const { live } = shop.deps.acquirers;
  const usual = live.pix;
  const acquirer = await usual(shop.merchant.accountId);
  Object.assign(live, { pix: async () => (acquirer === null ? null : refusing(acquirer)) });
  try {
    expect(await sweepReturns(shop)).toBe(1);
    expect(await shop.fatura.paymentIntents.retrieve(intent)).toMatchObject({
      status: 'paid',
      amount_refunded: 0,
      amount_disputed: 0,
    });
    expect(await disputesOf(shop, intent)).toMatchObject([{ amount: 500, status: 'won', funds: 'reinstated' }]);
    expect(await sweepReturns(shop)).toBe(0);
  } finally {
    Object.assign(live, { pix: usual });
  }
});
