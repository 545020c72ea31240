import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { tokenOfSubscription } from '../../support/card-token.ts';
import { byCard, cards, payByCard } from '../../support/cards.ts';
import { newInvoice, newPrice } from '../../support/factories.ts';
import { passUntil, payByPix, renew, subscribe } from '../../support/subscriptions.ts';

const DAY = 86_400;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const recoveryOf = async ({ fatura }: Merchant) => (await fatura.collection.retrieve()).recovery;

/** A renewal of a weekly subscription, whose card has just been declined for the first time. */
async function declined(merchant: Merchant, { amount = 9_990, number = cards.renewals_declined as string } = {}) {
  const price = await newPrice(merchant, { type: 'recurring', recurring: { interval: 'week' }, unit_amount: amount });
  const { id } = await subscribe(merchant, { price_id: price.id });
  await merchant.fatura.subscriptions.checkout(id, byCard(number));
  const { id: invoice } = await renew({ api, merchant, id });
  return { id, invoice, at: api.clock.now() };
}

test('counts declined renewals by the reason of their first decline, and those that were paid since', async () => {
  const shop = await api.newMerchant();
  const byHand = await declined(shop, { amount: 1_000 });
  await payByPix(shop, byHand.invoice);
  const byItself = await declined(shop, { amount: 2_000, number: cards.renewals_delayed });
  await passUntil({ api, merchant: shop, id: byItself.id }, byItself.at + 4 * DAY);
  await declined(shop, { amount: 4_000, number: cards.renewals_refused });
  const unpaid = await declined(shop, { amount: 8_000 });

  // The issuer and the buyer's own card have other reasons later.
  const token = await tokenOfSubscription(api.composition.deps, unpaid.id);
  const decide = 'UPDATE sandbox_bank.card SET scenario = $2 WHERE token = $1';
  await api.composition.deps.pool.query(decide, [token, 'suspected_fraud']);
  await passUntil({ api, merchant: shop, id: unpaid.id }, unpaid.at + 2 * DAY);
  await expect(payByCard(shop, unpaid.invoice, { number: cards.expired_card })).rejects.toMatchObject({ status: 402 });

  expect(await recoveryOf(shop)).toEqual([
    {
      reason: 'insufficient_funds',
      declined: { amount: 11_000, count: 3 },
      recovered: { amount: 3_000, count: 2 },
    },
    { reason: 'issuer_declined', declined: { amount: 4_000, count: 1 }, recovered: { amount: 0, count: 0 } },
  ]);
});

test('counts no decline but that of a stored card at a renewal, and none of another account or mode', async () => {
  const [shop, stranger] = [await api.newMerchant(), await api.newMerchant()];
  await declined(stranger);
  const { id: alone } = await newInvoice(shop);
  await expect(payByCard(shop, alone, { number: cards.issuer_declined })).rejects.toMatchObject({ status: 402 });
  const { id } = await subscribe(shop);
  const checkout = shop.fatura.subscriptions.checkout(id, byCard(cards.issuer_declined));
  await expect(checkout).rejects.toMatchObject({ status: 402 });
  expect(await recoveryOf(shop)).toEqual([]);
  expect((await stranger.live.collection.retrieve()).recovery).toEqual([]);
  expect(await recoveryOf(stranger)).toMatchObject([{ declined: { count: 1 } }]);
});

test('a renewal is counted for 90 days from its first decline, whatever was declined later', async () => {
  const shop = await api.newMerchant();
  const { id, at } = await declined(shop);
  await passUntil({ api, merchant: shop, id }, at + 6 * DAY);
  api.clock.advance(84 * DAY);
  expect(await recoveryOf(shop)).toMatchObject([{ reason: 'insufficient_funds', declined: { count: 1 } }]);
  api.clock.advance(1);
  expect(await recoveryOf(shop)).toEqual([]);
});
