import { describe, expect, test } from 'vitest';
import { refusal } from '../payment-scene.ts';
import { part, RefundScene, refundOf } from './refund-scene.ts';

const scene = new RefundScene();

const ASKED = ['refund.created', 'payment_intent.refunding'];
const RETURNED = ['refund.updated', 'invoice.refunded'];

describe('the case of a refund of a PIX', () => {
  test.each(['unreachable', 'request_lost', 'answer_lost', 'fault'] as const)(
    'with %s at the bank asks again under the same reference',
    async (trouble) => {
      const sale = await scene.soldByPix();
      const { now } = scene;
      await scene.refund(sale, { amount: 4000 });
      scene.bank.meets('refundPix', trouble);
      expect(await scene.settle(sale)).toMatchObject({ done: false, dueInSeconds: 5, status: 'acquirer silent' });
      expect(await scene.refunded(sale)).toEqual(refundOf(sale, [part(4000, now, { status: 'refunding' })]));
      expect(await scene.standing(sale)).toEqual({ status: 'refunding', amount_refunded: 0 });
      scene.bank.recovers();
      expect(await scene.settleAtBank(sale)).toEqual({ done: true });
      expect(await scene.returnsOf(sale)).toEqual([{ amount: 4000, refused: false }]);
      expect(await scene.partsOf(sale)).toEqual([{ amount: 4000, status: 'refunded', requests: 1 }]);
      expect(await scene.eventsSince(sale)).toEqual([...ASKED, ...RETURNED]);
    },
  );

  test('waits no longer for each part when the bank is silent', async () => {
    const sale = await scene.soldByPix();
    for (const amount of [1000, 2000, 3000]) await scene.refund(sale, { amount });
    scene.bank.recovers();
    scene.bank.meets('findRefund', 'unreachable');
    expect(await scene.settle(sale)).toMatchObject({ done: false, status: 'acquirer silent' });
    expect(scene.bank.calls).toEqual(['findRefund']);
    scene.bank.recovers();
    expect(await scene.settleAtBank(sale)).toEqual({ done: true });
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 6000 });
  });

  test('learns of a refusal that it was not told', async () => {
    const sale = await scene.soldByPix();
    await scene.refund(sale, { amount: 1099 });
    scene.bank.meets('refundPix', 'answer_lost');
    expect(await scene.settle(sale)).toMatchObject({ done: false, status: 'acquirer silent' });
    scene.bank.recovers();
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(scene.bank.calls).toEqual(['findRefund']);
    expect(await scene.eventsSince(sale)).toEqual([...ASKED, 'payment_intent.refund_failed']);
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 0 });
  });

  test('books each end once, however often it looks', async () => {
    const sale = await scene.soldByPix();
    await scene.refund(sale, { amount: 1099 });
    await scene.refund(sale, { amount: 4000 });
    await Promise.all(Array.from({ length: 20 }, () => scene.settle(sale)));
    scene.api.clock.advance(5);
    await Promise.all(Array.from({ length: 20 }, () => scene.settle(sale)));
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.eventsSince(sale)).toEqual([
      ...ASKED,
      'refund.created',
      'refund.updated',
      'payment_intent.refund_failed',
      ...RETURNED,
    ]);
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 4000 });
    expect(await scene.returnsOf(sale)).toEqual([
      { amount: 1099, refused: true },
      { amount: 4000, refused: false },
    ]);
  });

  test.each([
    ['return.after-asking', 4000, RETURNED],
    ['return.after-booking', 4000, RETURNED],
    ['return.after-asking', 1099, ['payment_intent.refund_failed']],
    ['return.after-booking', 1099, ['payment_intent.refund_failed']],
  ] as const)('whose process ends at %s books the end of %i once', async (at, amount, end) => {
    const sale = await scene.soldByPix();
    await scene.refund(sale, { amount });
    if (amount === 4000) await scene.settle(sale);
    scene.api.clock.advance(5);
    scene.failpoints.crashAt(at);
    await expect(scene.settle(sale)).rejects.toThrow('crashed');
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.eventsSince(sale)).toEqual([...ASKED, ...end]);
    expect(await scene.returnsOf(sale)).toHaveLength(1);
  });
});

describe('a part asked for while another ends', () => {
  test('keeps the payment refunding', async () => {
    const sale = await scene.soldByPix();
    await scene.refund(sale, { amount: 4000 });
    await scene.settle(sale);
    scene.api.clock.advance(5);
    scene.failpoints.meanwhile('return.after-asking', () => scene.refund(sale, { amount: 1000 }));
    // The case began before the second part: it is asked for again by the outbox.
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.casesOf(sale.intent)).toEqual(['refund-settlement']);
    expect(await scene.standing(sale)).toEqual({ status: 'refunding', amount_refunded: 4000 });
    expect(await scene.settleAtBank(sale)).toEqual({ done: true });
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 5000 });
    expect(await scene.eventsSince(sale)).toEqual([...ASKED, 'refund.created', ...RETURNED, ...RETURNED]);
  });

  test('after it ended makes the payment refunding again', async () => {
    const sale = await scene.soldByPix();
    await scene.refund(sale, { amount: 4000 });
    await scene.settle(sale);
    scene.api.clock.advance(5);
    scene.failpoints.meanwhile('return.after-booking', () => scene.refund(sale, { amount: 6000 }));
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.intent(sale.intent)).toMatchObject({
      status: 'refunding',
      amount_refunded: 4000,
      status_transitions: { refunding_at: scene.now },
    });
    expect(await scene.settleAtBank(sale)).toEqual({ done: true });
    expect(await scene.standing(sale)).toEqual({ status: 'refunded', amount_refunded: 10_000 });
    expect(await scene.eventsSince(sale)).toEqual([
      ...ASKED,
      ...RETURNED,
      ...ASKED,
      ...RETURNED,
      'payment_intent.refunded',
    ]);
  });

  test('of the whole amount is refused while nothing is left', async () => {
    const sale = await scene.soldByPix();
    await scene.refund(sale);
    await scene.settle(sale);
    scene.api.clock.advance(5);
    scene.failpoints.meanwhile('return.after-asking', () =>
      expect(scene.refund(sale, { amount: 1 })).rejects.toEqual(refusal('REFUND_EXCEEDS_BALANCE')),
    );
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.standing(sale)).toEqual({ status: 'refunded', amount_refunded: 10_000 });
  });
});
