import { describe, expect, test } from 'vitest';
import { byCard } from '../../support/cards.ts';
import { newCustomer, newInvoice, newPrice } from '../../support/factories.ts';
import { refusal } from '../payments/payment-scene.ts';
import { cardScene } from './card-shop.ts';

const scene = cardScene();
const GOOD = '4000000000000010';

describe('a live sale by card', () => {
  test('is paid by a token of the browser, in installments, and stands alike in both books', async () => {
    const shop = await scene.openShop();
    const price = await newPrice(shop, { unit_amount: 9_000, card_installments_enabled: true });
    const { id } = await newInvoice(shop, { line_items: [{ price_id: price.id, quantity: 1 }] });
    const paid = await shop.fatura.invoices.checkout(id, { ...(await shop.byToken(GOOD)), installments: 3 });
    expect(paid).toMatchObject({ status: 'paid', live_mode: true });
    expect(paid.payment_method?.card).toEqual({ brand: 'visa', last4: '0010' });
    const [charge] = [...shop.own.charges.values()];
    expect(charge).toMatchObject({ status: 'paid', amount: 9_000, installments: 3 });
  });

  test('is declined as its issuer says', async () => {
    const shop = await scene.openShop();
    const { id } = await newInvoice(shop, { amount: 4_000 });
    await expect(shop.fatura.invoices.checkout(id, await shop.byToken('4000000000009995'))).rejects.toEqual(
      refusal('CARD_DECLINED', { status: 402, declineReason: 'insufficient_funds' }),
    );
  });

  test('refuses a number, a token that was used, and a token of another account', async () => {
    const [shop, other] = [await scene.openShop(), await scene.openShop()];
    const { id } = await newInvoice(shop, { amount: 4_000 });
    const pay = (body: Parameters<typeof shop.fatura.invoices.checkout>[1]) => shop.fatura.invoices.checkout(id, body);
    await expect(pay(byCard(GOOD))).rejects.toEqual(refusal('CARD_NUMBER_REFUSED', { status: 422, param: 'card' }));
    const expired = refusal('CARD_TOKEN_EXPIRED', { status: 422, param: 'card_token' });
    await expect(pay(await other.byToken(GOOD))).rejects.toEqual(expired);
    const used = await shop.byToken('4000000000000002');
    await expect(pay(used)).rejects.toMatchObject({ code: 'CARD_DECLINED' });
    await expect(pay(used)).rejects.toEqual(expired);
    expect(await pay(await shop.byToken(GOOD))).toMatchObject({ status: 'paid' });
  });

  test('takes numbers where the operator said so', async () => {
    const shop = await scene.openShop({ takeCardNumbers: true });
    const { id } = await newInvoice(shop, { amount: 4_000 });
    expect(await shop.fatura.invoices.checkout(id, byCard(GOOD))).toMatchObject({ status: 'paid' });
  });

  test('is refunded in part, and the rest charged back: a dispute, once', async () => {
    const shop = await scene.openShop();
    const { id } = await newInvoice(shop, { amount: 4_000 });
    const { payment_intent } = await shop.fatura.invoices.checkout(id, await shop.byToken(GOOD));
    const refund = await shop.fatura.refunds.create({ payment_intent: payment_intent ?? '', amount: 1_500 });
    expect(refund).toMatchObject({ amount: 1_500, status: 'refunded' });
    const [charge] = [...shop.own.charges.values()];
    scene.fake().chargeback(shop.own, charge?.id ?? '', 2_500);
    await shop.rest();
    await shop.rest();
    expect(await shop.fatura.disputes.list({ invoice_id: id }).all({ max: 10 })).toMatchObject([
      { kind: 'chargeback', reason: 'general', status: 'lost', funds: 'withdrawn', amount: 2_500, method: 'card' },
    ]);
    const now = await shop.fatura.invoices.retrieve(id);
    expect(now).toMatchObject({ status: 'paid', amount_refunded: 1_500, amount_disputed: 2_500 });
  });
});

describe('a webhook of Pagar.me', () => {
  const post = (url: string, body: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

  test('without a right signature is refused', async () => {
    const shop = await scene.openShop();
    expect((await post(shop.noticeUrl, '{}')).status).toBe(401);
    const header = 'alg=RS256; kid=key-1; signature=AAAA';
    expect((await post(shop.noticeUrl, '{}', { 'x-webhook-asymmetric-signature': header })).status).toBe(401);
    for (const kind of ['hook_unknown_key', 'hook_forged'] as const) {
      scene.fake().troubles.set({ kind, merchant: shop.own.secretKey, next: 1 });
      const { id } = await newInvoice(shop, { amount: 4_000 });
      await shop.fatura.invoices.checkout(id, await shop.byToken(GOOD));
      await scene.fake().hooksSettled();
      expect(shop.own.hooks.at(-1)?.answers[0]).toBe(401);
    }
  });

  test('is taken, also after the key was changed', async () => {
    const shop = await scene.openShop();
    const { id } = await newInvoice(shop, { amount: 4_000 });
    await shop.fatura.invoices.checkout(id, await shop.byToken(GOOD));
    await scene.fake().hooksSettled();
    expect(shop.own.hooks.map(({ answers }) => answers)).toEqual([[200]]);
  });
});

test('a charge without the buyer names the first of its card, and is found where its answer was lost', async () => {
  const shop = await scene.openShop();
  const price = await newPrice(shop, { unit_amount: 5_000, type: 'recurring', recurring: { interval: 'month' } });
  const { id: customer_id } = await newCustomer(shop);
  const first = await shop.fatura.subscriptions.create({ customer_id, price_id: price.id });
  await shop.fatura.subscriptions.checkout(first.id, await shop.byToken(GOOD));
  const [origin] = [...shop.own.charges.values()];
  expect(origin).toMatchObject({ status: 'paid', recurrence: { cycle: 'first', origin: null } });
  const { rows } = await scene
    .deps()
    .pool.query<{ id: string; network_origin: string }>(
      'SELECT id, network_origin FROM payment_method WHERE customer_id = $1',
      [customer_id],
    );
  expect(rows).toMatchObject([{ network_origin: origin?.id }]);
  const default_payment_method = rows[0]?.id ?? '';
  scene.fake().troubles.set({ kind: 'answer_lost', operation: 'createOrder', merchant: shop.own.secretKey, next: 1 });
  const second = await shop.fatura.subscriptions.create({ customer_id, price_id: price.id, default_payment_method });
  expect(second).toMatchObject({ status: 'active' });
  const [, charge] = [...shop.own.charges.values()];
  expect(charge).toMatchObject({ status: 'paid', recurrence: { cycle: 'subsequent', origin: origin?.id } });
  const invoice = second.latest_invoice ?? '';
  expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'open' });
  await shop.rest();
  expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'paid' });
  expect(shop.own.charges.size).toBe(2);
  for (const card of shop.own.cards.values()) card.status = 'deleted';
  const third = await shop.fatura.subscriptions.create({ customer_id, price_id: price.id, default_payment_method });
  const [intent] = await shop.fatura.paymentIntents.list({ invoice_id: third.latest_invoice ?? '' }).all({ max: 2 });
  expect(intent).toMatchObject({ status: 'failed', decline_reason: 'invalid_card_data', next_attempt: null });
});

describe('a stored card at Pagar.me', () => {
  async function storedAt(shop: Awaited<ReturnType<typeof scene.openShop>>) {
    const price = await newPrice(shop, { unit_amount: 5_000, type: 'recurring', recurring: { interval: 'month' } });
    const { id: customer } = await newCustomer(shop);
    const { id } = await shop.fatura.subscriptions.create({ customer_id: customer, price_id: price.id });
    await shop.fatura.subscriptions.checkout(id, await shop.byToken(GOOD));
    const [card] = await shop.fatura.paymentMethods.list(customer).all({ max: 2 });
    return { subscription: id, customer, card: card?.id ?? '', there: [...shop.own.cards.keys()][0] ?? '' };
  }

  test('has the expiry that its issuer gave it last', async () => {
    const shop = await scene.openShop();
    const { card, there } = await storedAt(shop);
    scene.fake().renewCard(shop.own, there, { expMonth: 3, expYear: 2044 });
    scene.fake().troubles.set({ kind: 'answer_lost', operation: 'getCard', merchant: shop.own.secretKey, next: 1 });
    await shop.rest();
    expect(await shop.fatura.paymentMethods.retrieve(card)).toMatchObject({
      card: { exp_month: 3, exp_year: 2044 },
      closed_at: null,
    });
  });

  test('is deleted there when it is deleted here, once no subscription is charged to it', async () => {
    const shop = await scene.openShop();
    const { card, there, subscription } = await storedAt(shop);
    await shop.fatura.subscriptions.updatePaymentMethod(subscription, await shop.byToken('5555555555554444'));
    await shop.fatura.paymentMethods.delete(card);
    scene.fake().troubles.set({ kind: 'answer_lost', operation: 'deleteCard', merchant: shop.own.secretKey, next: 1 });
    await shop.rest();
    expect(shop.own.cards.get(there)?.status).toBe('deleted');
    const { rows } = await scene.deps().pool.query('SELECT sealed_token FROM payment_method WHERE id = $1', [card]);
    expect(rows).toEqual([{ sealed_token: null }]);
  });

  test('that was declined is let go there, and a card by token is stored for a trial', async () => {
    const shop = await scene.openShop();
    const price = await newPrice(shop, { unit_amount: 5_000, type: 'recurring', recurring: { interval: 'month' } });
    const { id: customer_id } = await newCustomer(shop);
    const { id } = await shop.fatura.subscriptions.create({ customer_id, price_id: price.id });
    const declined = shop.fatura.subscriptions.checkout(id, await shop.byToken('4000000000009995'));
    await expect(declined).rejects.toMatchObject({ code: 'CARD_DECLINED' });
    await shop.rest();
    expect([...shop.own.cards.values()].map(({ status }) => status)).toEqual(['deleted']);
    const trial = { days: 7, requires_payment_method: true };
    const tried = await shop.fatura.subscriptions.create({ customer_id, price_id: price.id, trial });
    expect(await shop.fatura.subscriptions.checkout(tried.id, await shop.byToken(GOOD))).toMatchObject({
      status: 'trialing',
    });
    expect(await shop.fatura.paymentMethods.list(customer_id).all({ max: 9 })).toMatchObject([
      { card: { last4: '0010' } },
    ]);
  });
});
