import { describe, expect, test } from 'vitest';
import { pixExpiryStep } from '../../../server/payments/pix/ending.ts';
import { performDue } from '../../../server/subscriptions/billing/due.ts';
import { byCard, cards, payByCard } from '../../support/cards.ts';
import { leaveUnpaid } from '../../support/subscriptions.ts';
import { DECLINED, PAID, refusal, SENT, SURPLUS } from '../payments/payment-scene.ts';
import { ACTIVATED, SubscriptionScene } from './subscription-scene.ts';

const DAY = 86_400;
const scene = new SubscriptionScene();

const perform = (id: string) => performDue(scene.deps, id);
const ENDED = ['invoice.voided', 'subscription.canceled'];
const REMOVED = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';

/** Until the instant at which a pending subscription ends, which is not come to yet. */
async function untilItsEnd(id: string): Promise<void> {
  const [row] = await scene.rows('SELECT pending_until FROM subscription WHERE id = $1', id);
  scene.api.clock.advance(Number(row?.pending_until) - scene.now());
}

describe('a subscription that is not paid in seven days', () => {
  test('ends with its invoice void, and not a second earlier', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    scene.api.clock.advance(7 * DAY - 1);
    expect(await perform(id)).toBe('not_due');
    scene.api.clock.advance(1);
    const told = await scene.told(id, async () => expect(await perform(id)).toBe('ended'));
    expect(told).toEqual(ENDED);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ status: 'inactive', ended: scene.now() });
    expect(await scene.invoice(invoice ?? '')).toMatchObject({ status: 'void' });
    expect(await scene.pass(id, 60 * DAY)).toEqual([]);
    await expect(scene.subscriptions.checkout(id, byCard())).rejects.toEqual(refusal('SUBSCRIPTION_NOT_PENDING'));
  });

  test('ends once, however many ask at once', async () => {
    const { id } = await scene.subscribeByPix();
    await untilItsEnd(id);
    const told = await scene.told(id, () => Promise.all(Array.from({ length: 10 }, () => perform(id))));
    expect(told).toEqual(['payment_intent.discarded', ...ENDED]);
  });

  test('has its QR code ended at the bank first', async () => {
    const { id, txid } = await scene.subscribeByPix();
    scene.api.clock.advance(6.5 * DAY);
    const fresh = await scene.checkoutByPix((await scene.subscriptions.retrieve(id)).latest_invoice ?? '');
    await untilItsEnd(id);
    scene.failpoints.meanwhile('ending.after-acquirer', async () => {
      expect(await scene.cobStatus(fresh.txid)).toBe(REMOVED);
      expect(await scene.status(id)).toBe('pending');
    });
    expect(await scene.told(id, () => perform(id))).toEqual(['payment_intent.discarded', ...ENDED]);
    expect([await scene.qrState(txid), await scene.qrState(fresh.txid)]).toEqual(['ended', 'ended']);
  });

  test('ends though the bank is away, and what is paid all the same is returned', async () => {
    const { id, invoice, intent, txid } = await scene.subscribeByPix();
    scene.bank.meets('expirePix', 'unreachable');
    await untilItsEnd(id);
    expect(await perform(id)).toBe('ended');
    expect(await scene.casesOf(txid)).toEqual(['pix-expiry']);
    scene.bank.recovers();
    const told = await scene.told(id, () => scene.payPix(intent, 'paid_late'));
    expect(told).toEqual(SURPLUS);
    await pixExpiryStep(scene.deps, txid);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'void', amount_paid: 0 });
    expect(await scene.status(id)).toBe('inactive');
  });

  test('after it was reactivated ends with the invoice that it was suspended for', async () => {
    const { id, invoice } = await scene.make('reactivated');
    expect(await scene.pass(id, 7 * DAY - 1)).toEqual([]);
    expect(await scene.told(id, () => scene.pass(id, 1))).toEqual(['payment_intent.discarded', ...ENDED]);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'void' });
  });
});

describe('a payment on its way as a pending subscription ends', () => {
  test('by card holds it up, and activates it once it is known', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    const intent = await scene.chargeCard(invoice ?? '', { number: cards.answer_lost });
    await untilItsEnd(id);
    expect(await perform(id)).toBe('postponed');
    expect(await scene.pass(id, DAY)).toEqual([]);
    expect(await scene.told(id, () => scene.reconcile(intent))).toEqual([...PAID, ...ACTIVATED]);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      status: 'active',
      current_period_start: scene.now(),
    });
  });

  test('by card that never got there lets it end once that is known', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    scene.bank.meets('chargeCard', 'request_lost');
    const intent = await scene.chargeCard(invoice ?? '');
    scene.bank.recovers();
    await untilItsEnd(id);
    expect(await perform(id)).toBe('postponed');
    await scene.passDeadline(intent);
    expect(await scene.told(id, () => scene.reconcile(intent))).toEqual(DECLINED);
    expect(await scene.told(id, () => perform(id))).toEqual(['payment_intent.discarded', ...ENDED]);
  });

  test('stays held up, whatever is changed of the subscription meanwhile', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    const intent = await scene.chargeCard(invoice ?? '', { number: cards.answer_lost });
    await untilItsEnd(id);
    expect(await perform(id)).toBe('postponed');
    await scene.subscriptions.update(id, { quantity: 2 });
    expect([await perform(id), await perform(id)]).toEqual(['postponed', 'not_due']);
    await scene.reconcile(intent);
    expect(await scene.status(id)).toBe('active');
  });

  test('by PIX that is confirmed holds it up until that settles', async () => {
    const { id, intent } = await scene.subscribeByPix();
    await scene.payPix(intent, 'confirmed_not_settled');
    await untilItsEnd(id);
    expect([await perform(id), await perform(id)]).toEqual(['postponed', 'not_due']);
    scene.api.clock.advance(60);
    expect(await perform(id)).toBe('postponed');
    expect(await scene.told(id, () => scene.payPix(intent))).toEqual([...PAID, ...ACTIVATED]);
    expect(await perform(id)).toBe('not_due');
  });

  test('by PIX that only the bank knows of settles it, and the subscription is active', async () => {
    const { id, intent } = await scene.subscribeByPix();
    await scene.payPixUnheard(intent);
    await untilItsEnd(id);
    const told = await scene.told(id, async () => expect(await perform(id)).toBe('postponed'));
    expect(told).toEqual([...PAID, ...ACTIVATED]);
    scene.api.clock.advance(60);
    expect(await perform(id)).toBe('not_due');
  });

  test('at the same moment by card ends in one of both', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await scene.subscribe();
      await untilItsEnd(id);
      const [paid] = await Promise.allSettled([scene.subscriptions.checkout(id, byCard()), perform(id)]);
      const isPaid = paid.status === 'fulfilled';
      expect(await scene.status(id)).toBe(isPaid ? 'active' : 'inactive');
      const told = (await scene.types(id)).slice(2);
      expect(told).toEqual(isPaid ? [...SENT, ...PAID, ...ACTIVATED] : ENDED);
    }
  });
});

test('regression-12-a charge of a forgiven invoice that is declined no longer holds up the end of the subscription', async () => {
  const { id } = await scene.subscribeUnfunded();
  const { id: forgiven } = await scene.renew(id);
  await scene.fatura.invoices.markUncollectible(forgiven);
  await leaveUnpaid(scene.collected(id));
  await scene.subscriptions.reactivate(id);
  await scene.untilDue(id);
  scene.failpoints.meanwhile('card.after-charge', async () => {
    expect(await performDue(scene.deps, id)).toBe('postponed');
  });
  const declined = payByCard(scene.merchant, forgiven, { number: cards.insufficient_funds });
  await expect(declined).rejects.toEqual(refusal('CARD_DECLINED'));
  expect(await scene.pass(id, DAY)).toEqual(['ended']);
  expect(await scene.status(id)).toBe('inactive');
});
