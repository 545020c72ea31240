import { describe, expect, test } from 'vitest';
import { cards } from '../../../support/cards.ts';
import { DECLINED, PAID, refusal, SENT } from '../../payments/payment-scene.ts';
import { CardRetryScene, OVERDUE, RETRIED } from './card-retry-scene.ts';

const DAY = 86_400;
const scene = new CardRetryScene();

describe('a checkout by the buyer of a renewal takes over', () => {
  const FRESH = ['payment_intent.discarded', ...SENT];

  test('and when it is declined, the schedule goes on with the stored card, on a fresh charge that continues the count', async () => {
    const renewed = await scene.renewal(cards.renewals_delayed);
    const { invoice, intent } = renewed;
    const own = await scene.chargeCard(invoice, { number: cards.issuer_declined });
    expect(await scene.intent(own)).toMatchObject({ attempts: 1, max_attempts: 1, decline_reason: 'issuer_declined' });
    expect(await scene.toldUntil(renewed, 1)).toEqual([...FRESH, ...DECLINED, ...OVERDUE]);
    expect(await scene.intentsOf(invoice)).toMatchObject([
      { id: intent, status: 'discarded', attempts: 1 },
      { id: own, status: 'discarded', attempts: 1 },
      { status: 'failed', attempts: 2, max_attempts: 4, next_attempt: renewed.at + 3 * DAY },
    ]);
    expect(await scene.toldUntil(renewed, 3)).toEqual([RETRIED, ...PAID]);
    expect((await scene.intentsOf(invoice)).at(-1)).toMatchObject({ status: 'paid', attempts: 3, max_attempts: 4 });
    expect(await scene.chargedBrand(renewed.id)).toBe('visa');
  });

  test('with a QR code that stands unpaid, which is ended at the bank before the card is charged', async () => {
    const renewed = await scene.renewal();
    const { txid, intent } = await scene.checkoutByPix(renewed.invoice);
    scene.failpoints.meanwhile('ending.after-acquirer', async () => {
      expect(await scene.cobStatus(txid)).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR');
      expect(await scene.chargesAtBank(renewed.invoice)).toHaveLength(1);
    });
    expect(await scene.toldUntil(renewed, 1)).toEqual([...FRESH, ...DECLINED, ...OVERDUE]);
    expect(await scene.intent(intent)).toMatchObject({ status: 'discarded' });
    expect((await scene.intentsOf(renewed.invoice)).at(-1)).toMatchObject({ attempts: 2, max_attempts: 4 });
    expect([await scene.qrState(txid), await scene.casesOf(txid)]).toEqual(['ended', []]);
  });

  test('with a QR code that only the bank knows to be paid: that settles, and no card is charged', async () => {
    const renewed = await scene.renewal();
    const { intent } = await scene.checkoutByPix(renewed.invoice);
    await scene.payPixUnheard(intent);
    expect(await scene.toldUntil(renewed, 1)).toEqual(PAID);
    expect(await scene.chargesAtBank(renewed.invoice)).toHaveLength(1);
    expect(await scene.subscriptions.retrieve(renewed.id)).toMatchObject({ payment_method_type: 'pix' });
  });

  test('with a QR code whose payment is confirmed: the charge waits, and is left out once that settles', async () => {
    const renewed = await scene.renewal();
    const { intent } = await scene.checkoutByPix(renewed.invoice);
    await scene.payPix(intent, 'confirmed_not_settled');
    scene.api.clock.advance(DAY);
    expect(await scene.perform(renewed.invoice)).toBe('postponed');
    expect(await scene.nextChargeOf(renewed.invoice)).toBe(renewed.at + DAY);
    expect(await scene.told(renewed.id, () => scene.payPix(intent))).toEqual(PAID);
    expect(await scene.toldUntil(renewed, 9)).toEqual([]);
    expect(await scene.chargesAtBank(renewed.invoice)).toHaveLength(1);
  });

  test('with a QR code at a bank that is away: the charge waits for it', async () => {
    const renewed = await scene.renewal();
    await scene.checkoutByPix(renewed.invoice);
    scene.bank.meets('expirePix', 'unreachable');
    scene.api.clock.advance(DAY);
    expect(await scene.perform(renewed.invoice)).toBe('postponed');
    expect(await scene.perform(renewed.invoice)).toBe('not_due');
    scene.bank.recovers();
    scene.api.clock.advance(3_600);
    expect(await scene.told(renewed.id, () => scene.perform(renewed.invoice))).toEqual([...FRESH, ...DECLINED]);
  });

  test('as the card is charged, one of them alone', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id, invoice } = await scene.renewal();
      scene.api.clock.advance(DAY);
      const [bought, charged] = await Promise.allSettled([scene.payByCard(invoice), scene.perform(invoice)]);
      if (bought.status === 'rejected') expect(bought.reason).toEqual(refusal('PAYMENT_IN_PROGRESS'));
      expect(charged.status).toBe('fulfilled');
      const paid = (await scene.statusesOf(invoice)).filter((status) => status === 'paid');
      expect(paid).toHaveLength(bought.status === 'fulfilled' ? 1 : 0);
      expect(await scene.invoice(invoice)).toMatchObject({ status: bought.status === 'fulfilled' ? 'paid' : 'open' });
      await scene.subscriptions.cancel(id);
    }
  });

  test('by a QR code that is made as the card is charged, one of them alone', async () => {
    const renewed = await scene.renewal();
    scene.api.clock.advance(DAY);
    scene.failpoints.meanwhile('card.after-attempt', () =>
      expect(scene.checkoutByPix(renewed.invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS')),
    );
    expect(await scene.perform(renewed.invoice)).toBe('charge');
    expect(await scene.statusesOf(renewed.invoice)).toEqual(['failed']);
  });
});

describe('another card', () => {
  test('takes up the schedule where an irreversible decline ended it', async () => {
    const renewed = await scene.renewal(cards.approved, 'expired_card');
    await scene.toldUntil(renewed, 2);
    await scene.replaceCard(renewed.id, cards.elo);
    expect(await scene.intent(renewed.intent)).toMatchObject({ next_attempt: renewed.at + 3 * DAY });
    expect(await scene.toldUntil(renewed, 3)).toEqual([RETRIED, ...PAID]);
    expect(await scene.intent(renewed.intent)).toMatchObject({ status: 'paid', attempts: 2 });
  });

  test('that is stored while the former one is declined for good at the acquirer is charged by the schedule', async () => {
    const renewed = await scene.renewal();
    await scene.issuerAnswers(renewed, 'expired_card');
    scene.failpoints.meanwhile('card.after-charge', () => scene.replaceCard(renewed.id, cards.elo));
    expect(await scene.toldUntil(renewed, 1)).toEqual([RETRIED, 'subscription.updated', ...DECLINED, ...OVERDUE]);
    expect(await scene.intent(renewed.intent)).toMatchObject({ next_attempt: renewed.at + 3 * DAY });
    expect(await scene.toldUntil(renewed, 3)).toEqual([RETRIED, ...PAID]);
  });

  test('after the last scheduled charge is charged with the next renewal only', async () => {
    const renewed = await scene.renewal();
    await scene.toldUntil(renewed, 8);
    await scene.replaceCard(renewed.id, cards.elo);
    expect(await scene.nextChargeOf(renewed.invoice)).toBeNull();
    expect(await scene.toldUntil(renewed, 10)).toEqual(['subscription.suspended']);
  });
});
