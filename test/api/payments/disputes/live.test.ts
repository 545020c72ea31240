import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakePsp, profileNames } from '../../../../scripts/fake-psp/psp.ts';
import { type RealTimeApi, startRealTimeApi } from '../../../support/api.ts';
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
