import type { StoredPaymentMethod } from '@fatura/sdk';
import { expect, test } from 'vitest';
import { DAY } from '../../../server/kernel/time.ts';
import { storedCardStep } from '../../../server/payments/card/upkeep.ts';
import { byCard, cards } from '../../support/cards.ts';
import { newCustomer, newPrice } from '../../support/factories.ts';
import { refusal } from '../payments/payment-scene.ts';
import { SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const methods = () => scene.fatura.paymentMethods;
const cardsOf = (customer: string): Promise<StoredPaymentMethod[]> => methods().list(customer).all({ max: 100 });
const toldOf = async (card: string) =>
  (await scene.rows(`SELECT type FROM event WHERE object_id = $1 ORDER BY id`, card)).map(({ type }) => type);

/** A customer with a card for each of its subscriptions, and the ids of both. */
async function subscriber(...numbers: string[]) {
  const { id: customer_id } = await newCustomer(scene.merchant);
  const price = await newPrice(scene.merchant, { type: 'recurring', recurring: { interval: 'month' } });
  const subscriptions: string[] = [];
  for (const number of numbers) {
    const { id } = await scene.subscriptions.create({ customer_id, price_id: price.id });
    await scene.subscriptions.checkout(id, byCard(number));
    subscriptions.push(id);
  }
  const stored = (await cardsOf(customer_id)).toReversed();
  return { customer_id, price_id: price.id, subscriptions, stored: stored.map(({ id }) => id) };
}

const step = (id: string) => storedCardStep(scene.deps, id);

const chargedLast4 = async (subscription: string) => {
  const [row] = await scene.rows(
    `SELECT c.last4 FROM charge_attempt c JOIN invoice i ON i.id = c.invoice_id WHERE i.subscription_id = $1 ORDER BY c.id DESC LIMIT 1`,
    subscription,
  );
  return row?.last4;
};

test('the card of a paid checkout is listed with its expiry and the subscription that is charged to it', async () => {
  const { customer_id, subscriptions, stored } = await subscriber(cards.approved);
  const [id = ''] = stored;
  const card: StoredPaymentMethod = {
    id,
    object: 'payment_method',
    type: 'card',
    card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2040 },
    closed_at: null,
    consent_ip: null,
    created: scene.now(),
    customer: customer_id,
    is_default: false,
    live_mode: false,
    stored_at: scene.now(),
    subscriptions,
  };
  expect(await cardsOf(customer_id)).toEqual([card]);
  expect(await methods().retrieve(id)).toEqual(card);
  expect(await toldOf(id)).toEqual(['payment_method.attached']);
});

test('a card that was declined is no card of the customer, and its token is erased', async () => {
  const { id, customer } = await scene.subscribe();
  await expect(scene.subscriptions.checkout(id, byCard(cards.insufficient_funds))).rejects.toMatchObject({
    code: 'CARD_DECLINED',
  });
  expect(await cardsOf(customer)).toEqual([]);
  const [row] = await scene.rows('SELECT id FROM payment_method WHERE customer_id = $1', customer);
  const card = String(row?.id);
  await expect(methods().retrieve(card)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
  expect(await step(card)).toEqual({ done: true });
  expect(
    await scene.rows('SELECT sealed_token, token_index, asked_at FROM payment_method WHERE id = $1', card),
  ).toEqual([{ sealed_token: null, token_index: null, asked_at: null }]);
  await scene.subscriptions.checkout(id, byCard(cards.approved));
  expect((await cardsOf(customer)).map(({ card: { last4 } }) => last4)).toEqual(['4242']);
});

test('a card is deleted at the acquirer too, but not while a subscription is charged to it', async () => {
  const { customer_id, subscriptions, stored } = await subscriber(cards.approved);
  const [subscription = ''] = subscriptions;
  const [card = ''] = stored;
  await expect(methods().delete(card)).rejects.toMatchObject({
    code: 'PAYMENT_METHOD_IN_USE',
    status: 409,
    message: expect.stringContaining(subscription),
  });
  const token = await scene.rows(
    `SELECT token FROM sandbox_bank.card WHERE account_id = $1 AND is_closed`,
    scene.merchant.accountId,
  );
  await scene.subscriptions.updatePaymentMethod(subscription, byCard(cards.mastercard));
  const deleted = await methods().delete(card);
  expect(deleted).toMatchObject({ id: card, card: { last4: '4242' } });
  expect((await cardsOf(customer_id)).map(({ card: { last4 } }) => last4)).toEqual(['4444']);
  for (const work of [() => methods().delete(card), () => methods().setDefault(card)])
    await expect(work()).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
  scene.bank.meets('forgetCard', 'unreachable');
  expect(await step(card)).toMatchObject({ done: false, status: 'acquirer silent' });
  scene.bank.recovers();
  expect(await step(card)).toEqual({ done: true });
  const [row] = await scene.rows('SELECT sealed_token, brand FROM payment_method WHERE id = $1', card);
  expect(row).toEqual({ sealed_token: null, brand: 'visa' });
  const closed = await scene.rows(
    `SELECT token FROM sandbox_bank.card WHERE account_id = $1 AND is_closed`,
    scene.merchant.accountId,
  );
  expect(closed.length).toBe(token.length + 1);
  expect(await toldOf(card)).toEqual(['payment_method.attached', 'payment_method.detached']);
});

test('a payment of a deleted card is returned all the same', async () => {
  const { subscriptions, stored } = await subscriber(cards.approved);
  const [subscription = ''] = subscriptions;
  const { latest_invoice } = await scene.subscriptions.retrieve(subscription);
  const { payment_intent } = await scene.invoice(latest_invoice ?? '');
  await scene.subscriptions.cancel(subscription);
  await methods().delete(stored[0] ?? '');
  await step(stored[0] ?? '');
  expect(await scene.fatura.refunds.create({ payment_intent: payment_intent ?? '' })).toMatchObject({
    status: 'refunded',
  });
});

test('a subscription is charged to another stored card of its customer, and to no card of anybody else', async () => {
  const { subscriptions, stored } = await subscriber(cards.renewals_declined, cards.mastercard);
  const [first = ''] = subscriptions;
  const [, other = ''] = stored;
  const calls = scene.bank.calls.length;
  const changed = await scene.subscriptions.updatePaymentMethod(first, { payment_method_id: other });
  expect(changed).toMatchObject({ payment_method_type: 'card', default_payment_method: other });
  expect(scene.bank.calls.length).toBe(calls);
  expect((await methods().retrieve(other)).subscriptions).toEqual(subscriptions);
  await scene.renew(first);
  expect(await chargedLast4(first)).toBe('4444');
  const stranger = await subscriber(cards.approved);
  await expect(
    scene.subscriptions.updatePaymentMethod(first, { payment_method_id: stranger.stored[0] ?? '' }),
  ).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404, param: 'payment_method_id' }));
});

test('one without a card of its own follows the default of its customer, for open renewals too', async () => {
  const { customer_id, price_id, subscriptions, stored } = await subscriber(cards.renewals_refused, cards.mastercard);
  const [first = '', second = ''] = subscriptions;
  const [refused = '', good = ''] = stored;
  await expect(scene.subscriptions.updatePaymentMethod(first, { payment_method_id: null })).rejects.toEqual(
    refusal('PAYMENT_METHOD_NEEDED', { status: 422, param: 'payment_method_id' }),
  );
  expect(await methods().setDefault(refused)).toMatchObject({ is_default: true });
  const following = await scene.subscriptions.updatePaymentMethod(first, { payment_method_id: null });
  expect(following).toMatchObject({ payment_method_type: 'card', default_payment_method: null });
  expect((await methods().retrieve(refused)).subscriptions).toEqual([first]);
  await expect(methods().delete(refused)).rejects.toMatchObject({ code: 'PAYMENT_METHOD_IN_USE' });
  const { id: renewal } = await scene.renew(first);
  expect(await chargedLast4(first)).toBe('0226');
  const intent = (await scene.intentsOf(renewal)).at(-1);
  expect(intent).toMatchObject({ status: 'failed', next_attempt: null });
  await methods().setDefault(good);
  expect((await cardsOf(customer_id)).map(({ id, is_default }) => [id, is_default])).toEqual([
    [good, true],
    [refused, false],
  ]);
  expect(await toldOf(refused)).toEqual([
    'payment_method.attached',
    'payment_method.updated',
    'payment_method.updated',
  ]);
  await scene.pass(first, 8 * DAY);
  expect(await scene.invoice(renewal)).toMatchObject({ status: 'paid' });
  expect(await chargedLast4(first)).toBe('4444');
  expect(await scene.subscriptions.retrieve(second)).toMatchObject({ default_payment_method: good });
  const third = await scene.subscriptions.create({ customer_id, price_id, default_payment_method: null });
  expect(await scene.subscriptions.retrieve(third.id)).toMatchObject({
    status: 'active',
    payment_method_type: 'card',
    default_payment_method: null,
  });
  await methods().delete(refused);
});

test('an issuer gives a card another expiry, or closes it: its next charge is declined for good', async () => {
  const { subscriptions, stored } = await subscriber(cards.approved);
  const [subscription = ''] = subscriptions;
  const [card = ''] = stored;
  const { testHelpers } = scene.fatura;
  const renewed = await testHelpers.paymentMethods.change(card, { scenario: 'renewed' });
  expect(renewed).toMatchObject({ card: { exp_month: 12, exp_year: 2043 }, closed_at: null });
  expect(await testHelpers.paymentMethods.change(card, { scenario: 'closed' })).toMatchObject({
    closed_at: scene.now(),
  });
  expect(await toldOf(card)).toEqual(['payment_method.attached', 'payment_method.updated', 'payment_method.updated']);
  const { id } = await scene.renew(subscription);
  expect((await scene.intentsOf(id)).at(-1)).toMatchObject({
    status: 'failed',
    decline_reason: 'issuer_declined',
    next_attempt: null,
  });
});

test('two that make another card the default at once leave one default', async () => {
  const { customer_id, stored } = await subscriber(cards.approved, cards.mastercard, cards.elo);
  await Promise.all([...stored, ...stored].map((id) => methods().setDefault(id)));
  expect((await cardsOf(customer_id)).filter(({ is_default }) => is_default)).toHaveLength(1);
});

test('a card is chosen, or deleted, but not both at once', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { subscriptions, stored } = await subscriber(cards.approved, cards.mastercard);
    const [first = '', second = ''] = subscriptions;
    const [, card = ''] = stored;
    await scene.subscriptions.cancel(second);
    const [chosen, deleted] = await Promise.allSettled([
      scene.subscriptions.updatePaymentMethod(first, { payment_method_id: card }),
      methods().delete(card),
    ]);
    expect([chosen.status, deleted.status].toSorted()).toEqual(['fulfilled', 'rejected']);
  }
});

test('an anonymized customer has no card, and the acquirer lets the cards go', async () => {
  const { customer_id, subscriptions, stored } = await subscriber(cards.approved);
  await scene.subscriptions.cancel(subscriptions[0] ?? '');
  await scene.fatura.customers.anonymize(customer_id);
  expect(await cardsOf(customer_id)).toEqual([]);
  const asked = await scene.rows(`SELECT kind FROM outbox WHERE key = $1`, stored[0]);
  expect(asked.map(({ kind }) => kind)).toEqual(['stored-card']);
  await step(stored[0] ?? '');
  const [row] = await scene.rows(
    'SELECT sealed_token, brand, last4, exp_month, exp_year, consent_ip, asked_at FROM payment_method WHERE id = $1',
    stored[0],
  );
  expect(Object.values(row ?? { none: 1 }).every((value) => value === null)).toBe(true);
});

test('a replacement is a new card or a stored one, and says what it lacks', async () => {
  const { subscriptions, stored } = await subscriber(cards.approved);
  const [id = ''] = subscriptions;
  const both = { ...byCard(cards.elo), payment_method_id: stored[0] ?? '' };
  await expect(scene.subscriptions.updatePaymentMethod(id, both)).rejects.toMatchObject({
    code: 'PARAMETER_INVALID',
    errors: [{ param: 'card' }, { param: 'billing_details' }],
  });
  await expect(scene.subscriptions.updatePaymentMethod(id, {})).rejects.toMatchObject({
    code: 'PARAMETER_MISSING',
    errors: [{ param: 'payment_method_type' }, { param: 'billing_details' }, { param: 'card' }],
  });
});
