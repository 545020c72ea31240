import { describe, expect, test } from 'vitest';
import { performStep } from '../../../server/subscriptions/collection/step.ts';
import { byCard, cards } from '../../support/cards.ts';
import { PAID, refusal, SENT } from '../payments/payment-scene.ts';
import { CardReplacementScene } from './card-replacement-scene.ts';

const DAY = 86_400;
const scene = new CardReplacementScene();

describe('a change of the card that is repeated under its key', () => {
  test('is answered the same, and stores nothing more', async () => {
    const { id } = await scene.subscribeByCard();
    const first = await scene.sendCard(id, { key: 'stored' });
    expect(first).toMatchObject({ status: 200, isReplayed: false, body: { id, payment_method_type: 'card' } });
    const before = await scene.standing(id);
    expect(await scene.sendCard(id, { key: 'stored' })).toMatchObject({
      status: 200,
      isReplayed: true,
      body: first.body,
    });
    expect(await scene.standing(id)).toEqual(before);
    const other = await scene.sendCard(id, { key: 'stored', body: byCard(cards.amex) });
    expect(other).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('is verified again when it was declined, for there is nothing that it could do twice', async () => {
    const { id } = await scene.subscribeByCard();
    const declined = { key: 'declined', body: byCard(cards.suspected_fraud) };
    scene.bank.recovers();
    for (let times = 1; times <= 2; times += 1)
      expect(await scene.sendCard(id, declined)).toMatchObject({
        status: 402,
        code: 'CARD_DECLINED',
        isReplayed: false,
      });
    expect(scene.bank.calls.filter((call) => call === 'verifyCard')).toHaveLength(2);
    expect(await scene.keptCards(id)).toHaveLength(1);
  });

  test('is made by it when the process ended once the acquirer had verified the card', async () => {
    const { id } = await scene.subscribeByCard();
    const before = await scene.standing(id);
    const key = 'verified';
    scene.failpoints.crashAt('card.after-verify');
    expect(await scene.sendCard(id, { key })).toMatchObject({ status: 500 });
    expect(await scene.standing(id)).toEqual(before);
    expect(await scene.sendCard(id, { key })).toMatchObject({ status: 200, isReplayed: false });
    expect(await scene.keptCards(id)).toHaveLength(2);
  });

  test('at the same moment is made once', async () => {
    const { id } = await scene.subscribeByCard();
    const answers = await Promise.all(Array.from({ length: 10 }, () => scene.sendCard(id, { key: 'at-once' })));
    for (const { status, code } of answers) expect([null, 'IDEMPOTENCY_KEY_IN_USE']).toContain(status && code);
    expect(await scene.sendCard(id, { key: 'at-once' })).toMatchObject({ status: 200, isReplayed: true });
    expect(await scene.keptCards(id)).toHaveLength(2);
  });
});

describe('changes of the card at once', () => {
  test('are all told, and the last one stands', async () => {
    const { id } = await scene.subscribeByCard();
    const all = [cards.elo, cards.amex, cards.mastercard, cards.hipercard, cards.approved];
    const told = await scene.told(id, () => Promise.all(all.map((number) => scene.replaceCard(id, number))));
    expect(told).toEqual(all.map(() => 'subscription.updated'));
    const kept = await scene.keptCards(id);
    expect(kept).toHaveLength(all.length + 1);
    expect(kept.filter(({ isCharged }) => isCharged)).toHaveLength(1);
  });

  test('and a cancellation end in one that is cancelled, whichever was first', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await scene.subscribeByCard();
      const [changed] = await Promise.allSettled([scene.replaceCard(id, cards.elo), scene.subscriptions.cancel(id)]);
      const isFirst = changed.status === 'fulfilled';
      if (!isFirst) expect(changed.reason).toEqual(refusal('INVALID_STATE'));
      expect((await scene.types(id)).slice(isFirst ? -2 : -1)).toEqual([
        ...(isFirst ? ['subscription.updated'] : []),
        'subscription.canceled',
      ]);
      expect(await scene.status(id)).toBe('inactive');
    }
  });
});

describe('a payment of a subscription whose card is replaced while it is at the acquirer', () => {
  /** A renewal whose first charge was declined. */
  async function declinedRenewal() {
    const { id } = await scene.subscribeByCard(cards.renewals_delayed);
    const { id: invoice } = await scene.renew(id);
    return { id, invoice };
  }

  test('by the schedule leaves it the new card', async () => {
    const { id, invoice } = await declinedRenewal();
    await scene.pass(id, 2 * DAY);
    scene.api.clock.advance(DAY);
    scene.failpoints.meanwhile('card.after-charge', () => scene.replaceCard(id, cards.elo));
    expect(await scene.told(id, () => performStep(scene.deps, invoice))).toEqual([
      'payment_intent.processing',
      'subscription.updated',
      ...PAID,
    ]);
    expect(await scene.chargedBrand(id)).toBe('elo');
  });

  test('by a buyer leaves it the card that paid', async () => {
    const { id, invoice } = await declinedRenewal();
    scene.failpoints.meanwhile('card.after-charge', () => scene.replaceCard(id, cards.elo));
    const told = await scene.told(id, () => scene.payByCard(invoice, { number: cards.amex }));
    expect(told).toEqual(['payment_intent.discarded', ...SENT, 'subscription.updated', ...PAID]);
    expect(await scene.chargedBrand(id)).toBe('amex');
  });

  test('is of the buyer in a checkout and of the merchant by the schedule, for its invoice, in both books', async () => {
    const { id, invoice } = await declinedRenewal();
    await scene.pass(id, DAY);
    await scene.chargeCard(invoice, { number: cards.insufficient_funds });
    const booked = await scene.rows(
      `SELECT c.initiator, b.initiator AS told, b.order_id AS "order" FROM charge_attempt c
       JOIN sandbox_bank.charge b ON b.reference = c.id WHERE c.invoice_id = $1 ORDER BY c.id`,
      invoice,
    );
    const by = (initiator: string) => ({ initiator, told: initiator, order: invoice });
    expect(booked).toEqual([by('merchant'), by('merchant'), by('customer')]);
  });
});
