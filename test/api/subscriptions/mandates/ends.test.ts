import { describe, expect, test } from 'vitest';
import { byCard } from '../../../support/cards.ts';
import { MandateScene } from './mandate-scene.ts';

const DAY = 86_400;
const byMandate = { payment_method_type: 'pix_automatico' } as const;
const ENDED = ['mandate.ended', 'subscription.updated'];

const scene = new MandateScene();

const atBank = async (mandate: string) =>
  (await scene.rows('SELECT b.status FROM sandbox_bank.rec b JOIN mandate m USING (place) WHERE m.id = $1', mandate))[0]
    ?.status;

describe('a mandate ends', () => {
  test.each(['payer', 'payer_bank'] as const)(
    'by the %s: its bill is paid by QR code, and the subscription goes on',
    async (by) => {
      const { id, invoice, intent, mandate } = await scene.scheduled();
      const told = await scene.told(id, async () => {
        expect(await scene.fatura.testHelpers.mandates.cancel(mandate, { by })).toMatchObject({
          ...{ status: 'ended', end_reason: `cancelled_by_${by}`, ended_at: scene.now() },
        });
      });
      expect(told).toEqual(ENDED);
      await scene.pass(id, 1);
      expect(await scene.stateOf(intent)).toMatchObject({ status: 'discarded' });
      expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'pending']);
      expect(await scene.subscriptions.retrieve(id)).toMatchObject({
        ...{ status: 'active', payment_method_type: 'pix', mandate: null },
      });
    },
  );

  test('by its payer when the debit is too near: that is paid all the same, once', async () => {
    const { id, invoice, mandate, day } = await scene.scheduled();
    await scene.to(id, day, '23:00', -1);
    await scene.fatura.testHelpers.mandates.cancel(mandate, { by: 'payer' });
    await scene.pass(id, 1);
    expect(await scene.statusesOf(invoice)).toEqual(['scheduled']);
    await scene.to(id, day, '06:00');
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', amount_paid: 9_990 });
    const next = await scene.renew(id);
    expect((await scene.statusesOf(next.id)).at(-1)).toBe('pending');
  });

  test('by wish, at the bank too, though that is away at first', async () => {
    const { id, invoice, mandate } = await scene.scheduled();
    expect(await scene.mandates.cancel(mandate)).toMatchObject({
      ...{ status: 'ended', end_reason: 'cancelled_by_merchant' },
    });
    scene.bank.meets('cancelMandate', 'request_lost');
    expect(await scene.look(mandate)).toMatchObject({ done: false, status: 'acquirer silent' });
    scene.bank.recovers();
    expect(await scene.look(mandate)).toEqual({ done: true });
    expect(await atBank(mandate)).toBe('CANCELADA');
    await scene.pass(id, 1);
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'pending']);
    expect(await scene.mandates.cancel(mandate)).toMatchObject({ status: 'ended' });
  });

  test('before it is authorised', async () => {
    const { id, mandate } = await scene.asked();
    expect(await scene.mandates.cancel(mandate)).toMatchObject({ status: 'ended', activated_at: null });
    await scene.look(mandate);
    expect(await atBank(mandate)).toBe('CANCELADA');
    expect((await scene.subscriptions.checkout(id, byMandate)).mandate).not.toBe(mandate);
  });

  test('with its subscription', async () => {
    const { id, mandate } = await scene.authorised();
    await scene.subscriptions.cancel(id);
    expect(await scene.mandates.retrieve(mandate ?? '')).toMatchObject({
      ...{ status: 'ended', end_reason: 'subscription_ended' },
    });
    await scene.look(mandate ?? '');
    expect(await atBank(mandate ?? '')).toBe('CANCELADA');
    const pending = await scene.asked();
    await scene.subscriptions.cancel(pending.id);
    expect(await scene.mandates.retrieve(pending.mandate)).toMatchObject({
      ...{ status: 'failed', end_reason: 'subscription_ended' },
    });
  });

  test('with another card, which renewals are charged to', async () => {
    const { id, mandate } = await scene.authorised();
    const { payment_method_type: method } = await scene.subscriptions.updatePaymentMethod(id, byCard());
    expect([method, await scene.mandates.retrieve(mandate ?? '')]).toMatchObject(['card', { end_reason: 'replaced' }]);
    expect(await scene.renew(id)).toMatchObject({ status: 'paid' });
  });

  test.each([
    ['a pause of a day', async (id: string) => pauseFor(id, DAY)],
    ['another interval', async (id: string) => changeTo(id, 'week')],
  ])('with the first bill behind %s, whose QR code brings another', async (_, change) => {
    const { id, mandate } = await scene.authorised();
    await payDebitOf(id);
    await change(id);
    expect(await scene.mandates.retrieve(mandate ?? '')).toMatchObject({ status: 'active' });
    const { id: invoice } = await scene.renew(id);
    expect(await scene.mandates.retrieve(mandate ?? '')).toMatchObject({ status: 'ended', end_reason: 'replaced' });
    expect(await scene.statusesOf(invoice)).toEqual(['pending']);
    const { payment_intent: intent } = await scene.fatura.invoices.checkout(invoice, byMandate);
    await scene.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
    const after = await scene.subscriptions.retrieve(id);
    expect(after).toMatchObject({
      payment_method_type: 'pix_automatico',
      mandate: expect.not.stringMatching(mandate ?? ''),
    });
    await payDebitOf(id);
  });

  test('of a fixed amount with another price', async () => {
    const { id } = await scene.subscribeByCard();
    const fixed = await scene.mandates.create(id, { journey: 'mandate_only', amount_type: 'fixed' });
    expect(fixed).toMatchObject({ amount: 9_990, amount_type: 'fixed' });
    await scene.fatura.testHelpers.mandates.approve(fixed.id);
    await payDebitOf(id);
    await scene.subscriptions.update(id, { quantity: 2 });
    const { id: invoice } = await scene.renew(id);
    expect(await scene.statusesOf(invoice)).toEqual(['pending']);
    expect(await scene.mandates.retrieve(fixed.id)).toMatchObject({ status: 'ended', end_reason: 'replaced' });
  });
});

async function payDebitOf(id: string): Promise<void> {
  const { id: invoice, payment_intent: intent } = await scene.renew(id);
  await scene.pass(id, 1);
  const { scheduled_for: day } = await scene.intent(intent ?? '');
  await scene.to(id, day ?? '', '06:00');
  expect((await scene.invoice(invoice)).status).toBe('paid');
  await scene.pass(id, 6 * DAY);
}

async function pauseFor(id: string, seconds: number): Promise<void> {
  await scene.subscriptions.pause(id, { at: 'now' });
  await scene.pass(id, seconds);
  await scene.subscriptions.resume(id);
}

async function changeTo(id: string, interval: 'week'): Promise<void> {
  const weekly = await scene.every(interval);
  const { items, current_period_end: end } = await scene.subscriptions.retrieve(id);
  const [item] = items.data;
  await scene.fatura.subscriptionChanges.create(id, {
    items: [{ item: item?.id ?? '', price_id: weekly.id }],
    effective: 'period_end',
  });
  await scene.pass(id, (end ?? 0) - scene.now() + 3_600);
}
