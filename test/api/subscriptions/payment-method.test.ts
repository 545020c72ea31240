import { describe, expect, test } from 'vitest';
import { tokenOfSubscription } from '../../support/card-token.ts';
import { AMEX_CVC, byCard, cards } from '../../support/cards.ts';
import { withoutChance } from '../../support/leaks.ts';
import { newMonthly, subscribe } from '../../support/subscriptions.ts';
import { refusal } from '../payments/payment-scene.ts';
import { violationsOf } from '../requests.ts';
import { CardReplacementScene } from './card-replacement-scene.ts';
import type { Standing } from './subscription-scene.ts';

const scene = new CardReplacementScene();

/** Of a brand that is not charged, with a right check digit. */
const DISCOVER = '6011 1111 1111 1117';

/** The change is refused and leaves the books as they were. */
async function refuses(id: string, expected: unknown, ...card: Parameters<typeof byCard>): Promise<void> {
  const before = await scene.standing(id);
  await expect(scene.replaceCard(id, ...card)).rejects.toEqual(expected);
  expect(await scene.standing(id)).toEqual(before);
}

describe('another card of a subscription', () => {
  test.each<[Standing, string]>([
    ['active', 'active'],
    ['suspended', 'suspended'],
    ['reactivated', 'pending'],
  ])('of one that is %s is verified, charged nothing and kept for its renewals', async (standing, status) => {
    const { id, invoice } = await scene.make(standing);
    const before = await scene.subscriptions.retrieve(id);
    const charged = [await scene.invoice(invoice), await scene.chargesAtBank(invoice)];
    scene.bank.recovers();
    const changed = await scene.replaceCard(id, cards.elo);
    expect(scene.bank.calls).toEqual(['verifyCard']);
    const stored = { payment_method_type: 'card', default_payment_method: expect.stringMatching(/^txn_/) };
    expect(changed).toEqual({ ...before, status, ...stored });
    expect(await scene.subscriptions.retrieve(id)).toEqual(changed);
    expect(await scene.keptCards(id)).toEqual([
      { brand: 'visa', last4: '0341', isCharged: false },
      { brand: 'elo', last4: '8311', isCharged: true },
    ]);
    expect((await scene.facts(id)).at(-1)).toEqual({ type: 'subscription.updated', object: changed });
    expect([await scene.invoice(invoice), await scene.chargesAtBank(invoice)]).toEqual(charged);
    expect(charged[0]).toMatchObject({ status: 'open' });
  });

  test('takes the place of PIX', async () => {
    const { id, intent } = await scene.subscribeByPix();
    await scene.payPix(intent);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ payment_method_type: 'pix', installments: 1 });
    expect(await scene.told(id, () => scene.replaceCard(id, cards.mastercard))).toEqual(['subscription.updated']);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ payment_method_type: 'card', installments: 1 });
  });

  test('is the first one where the first bill came to nothing', async () => {
    const { id } = await scene.subscribe({ discounts: [{ type: 'percentage', percentage: 100, cycles: 1 }] });
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ status: 'active', payment_method_type: null });
    expect(await scene.replaceCard(id)).toMatchObject({ status: 'active', payment_method_type: 'card' });
    expect(await scene.keptCards(id)).toEqual([{ brand: 'visa', last4: '4242', isCharged: true }]);
  });

  test('keeps the installments of the first payment', async () => {
    const price = await newMonthly(scene.merchant, {
      unit_amount: 30_000,
      recurring: { interval: 'month', interval_count: 6 },
      card_installments_enabled: true,
    });
    const { id } = await scene.subscribe({ price_id: price.id });
    await scene.subscriptions.checkout(id, byCard(cards.approved, { installments: 6 }));
    expect(await scene.replaceCard(id, cards.elo)).toMatchObject({ installments: 6 });
  });

  test('is told each time, also when it is the same', async () => {
    const { id } = await scene.subscribeByCard();
    const told = await scene.told(id, async () => [await scene.replaceCard(id), await scene.replaceCard(id)]);
    expect(told).toEqual(['subscription.updated', 'subscription.updated']);
    expect((await scene.keptCards(id)).map(({ isCharged }) => isCharged)).toEqual([false, false, true]);
  });

  test.each([cards.insufficient_funds, cards.renewals_declined, cards.renewals_delayed, cards.slow, cards.answer_lost])(
    '%s is good whatever its charges come to',
    async (number) => {
      const { id } = await scene.subscribeByCard();
      await scene.replaceCard(id, number);
      expect((await scene.keptCards(id)).at(-1)).toEqual({ brand: 'visa', last4: number.slice(-4), isCharged: true });
    },
  );

  test('leaves its number, its code and its token in no answer and no event', async () => {
    const { id } = await scene.subscribeByCard();
    const changed = await scene.replaceCard(id, cards.amex);
    const token = await tokenOfSubscription(scene.deps, id);
    const shown = JSON.stringify([changed, await scene.subscriptions.retrieve(id), await scene.facts(id)]);
    expect(shown).not.toContain(token);
    for (const secret of ['378282246310005', AMEX_CVC, 'MARIA DA SILVA'])
      expect(withoutChance(shown)).not.toContain(secret);
  });
});

describe('another card is refused', () => {
  test('to one that waits for its first payment, which stores the card', async () => {
    const { id } = await scene.make('pending');
    const expected = { status: 409, message: expect.stringContaining(`POST /api/v1/subscriptions/${id}/checkout`) };
    scene.bank.recovers();
    await refuses(id, refusal('INVALID_STATE', expected));
    expect(scene.bank.calls).toEqual([]);
  });

  test('to one that has ended, and to one whose customer is anonymized', async () => {
    const { id, customer } = await scene.make('inactive');
    const expected = refusal('INVALID_STATE', { status: 409, message: expect.stringContaining('has ended') });
    await refuses(id, expected);
    await scene.fatura.customers.anonymize(customer);
    await refuses(id, expected);
  });

  test('to one that ends while the card is verified', async () => {
    const { id } = await scene.subscribeByCard();
    scene.failpoints.meanwhile('card.after-verify', () => scene.subscriptions.cancel(id));
    const told = await scene.told(id, () =>
      expect(scene.replaceCard(id, cards.elo)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 })),
    );
    expect(told).toEqual(['subscription.canceled']);
    expect(await scene.keptCards(id)).toEqual([{ brand: 'visa', last4: '4242', isCharged: true }]);
  });

  test('to one whose customer is anonymized while the card is verified', async () => {
    const { id, customer } = await scene.subscribeByCard();
    scene.failpoints.meanwhile('card.after-verify', async () => {
      await scene.subscriptions.cancel(id);
      await scene.fatura.customers.anonymize(customer);
    });
    const expected = refusal('INVALID_STATE', { message: expect.stringContaining(`${customer} is anonymized`) });
    await expect(scene.replaceCard(id, cards.elo)).rejects.toEqual(expected);
    expect(await scene.keptCards(id)).toEqual([{ brand: null, last4: null, isCharged: true }]);
  });

  test.each([
    ['expired_card', cards.expired_card],
    ['invalid_card_data', cards.invalid_card_data],
    ['suspected_fraud', cards.suspected_fraud],
    ['issuer_declined', cards.issuer_declined],
    ['processing_error', cards.processing_error],
  ])('when its issuer answers %s', async (reason, number) => {
    const { id } = await scene.subscribeByCard();
    const expected = { status: 402, type: 'card_error', declineReason: reason };
    await refuses(id, refusal('CARD_DECLINED', expected), number);
  });

  test('when it is expired, on the clock of the account, or of a brand that is not charged', async () => {
    const { id } = await scene.subscribeByCard();
    scene.bank.recovers();
    const expired = { card: { exp_month: 1, exp_year: 2024 } };
    await refuses(id, refusal('CARD_EXPIRED', { status: 422, param: 'card.exp_year' }), cards.approved, expired);
    await refuses(id, refusal('CARD_BRAND_NOT_SUPPORTED', { status: 422, param: 'card.number' }), DISCOVER);
    expect(scene.bank.calls).toEqual([]);
  });

  test('when its form is wrong, with every violation and none of its digits', async () => {
    const { id } = await scene.subscribeByCard();
    const { card, billing_details } = byCard('4242 4242 4242 4241');
    const wrong = { card: { ...card, cvc: '73799' }, billing_details: { ...billing_details, document: '52998224724' } };
    const bodies: [object, string[]][] = [
      [{ payment_method_type: 'pix' }, ['card', 'billing_details', 'payment_method_type']],
      [{ ...byCard(), installments: 1 }, ['installments']],
      [{ payment_method_type: 'card', ...wrong }, ['card.number', 'card.cvc', 'billing_details.document']],
    ];
    for (const [body, params] of bodies) {
      const { answer } = await scene.sendCard(id, { key: params.join(' '), body });
      const [status, ...violations] = violationsOf(answer);
      expect([status, violations.map((violation) => violation.split(' ')[0]).toSorted()]).toEqual([
        400,
        params.toSorted(),
      ]);
      const shown = withoutChance(JSON.stringify(answer.body));
      for (const secret of ['4241', '73799', '52998224724']) expect(shown).not.toContain(secret);
    }
  });

  test('of several reasons: the form first, then what does not exist, then the state, then the card', async () => {
    const { id: active } = await scene.subscribeByCard();
    const { id: pending } = await scene.make('pending');
    const nothing = `sub_${'0'.repeat(26)}`;
    await expect(scene.replaceCard(nothing, '4242 4242 4242 4241')).rejects.toEqual(refusal('PARAMETER_INVALID'));
    await expect(scene.replaceCard(nothing, DISCOVER)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
    await expect(scene.replaceCard(pending, DISCOVER)).rejects.toEqual(refusal('INVALID_STATE'));
    await expect(scene.replaceCard(active, DISCOVER)).rejects.toEqual(refusal('CARD_BRAND_NOT_SUPPORTED'));
  });

  test('to another account, as what it does not have', async () => {
    const { id } = await subscribe(await scene.api.newMerchant());
    await expect(scene.replaceCard(id)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
    const { id: ours } = await scene.subscribeByCard();
    const { live } = scene.merchant;
    await expect(live.subscriptions.updatePaymentMethod(ours, byCard())).rejects.toEqual(refusal('RESOURCE_MISSING'));
  });

  test('in live mode while no acquirer is configured', async () => {
    const { live } = scene.merchant;
    const price = await newMonthly({ ...scene.merchant, fatura: live });
    const customer = await live.customers.create({ name: 'Maria', identifier: '52998224725', email: 'm@example.com' });
    const free = [{ type: 'percentage', percentage: 100, cycles: 1 }] as const;
    const { id, status } = await live.subscriptions.create({
      ...{ customer_id: customer.id, price_id: price.id },
      discounts: [...free],
    });
    expect(status).toBe('active');
    scene.bank.recovers();
    await expect(live.subscriptions.updatePaymentMethod(id, byCard())).rejects.toEqual(
      refusal('ACQUIRER_UNAVAILABLE', { status: 503, message: expect.stringContaining('live') }),
    );
    expect(scene.bank.calls).toEqual([]);
    expect(await scene.keptCards(id)).toEqual([]);
  });

  test('when the acquirer does not answer: nothing happened', async () => {
    const { id } = await scene.subscribeByCard();
    const expected = { status: 503, message: expect.stringContaining('nothing happened') };
    for (const trouble of ['unreachable', 'request_lost', 'answer_lost', 'fault'] as const) {
      scene.bank.meets('verifyCard', trouble);
      await refuses(id, refusal('ACQUIRER_UNAVAILABLE', expected), cards.elo);
    }
    scene.bank.recovers();
    expect(await scene.replaceCard(id, cards.elo)).toMatchObject({ payment_method_type: 'card' });
  });
});
