import type { Refund } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { outcomesOf } from '../../requests.ts';
import { refusal } from '../payment-scene.ts';
import { answerOf, part, RefundScene, refundOf } from './refund-scene.ts';

const DAY = 86_400;

const scene = new RefundScene();

const ASKED = ['refund.created', 'payment_intent.refunding'];
const RETURNED = ['refund.updated', 'invoice.refunded'];
const REFUSED = ['refund.updated', 'payment_intent.refund_failed'];

describe('a refund of a PIX', () => {
  test('is on its way in the answer, and is made 5 s later', async () => {
    const sale = await scene.soldByPix(9990);
    const [invoice, intent] = [await scene.invoice(sale.invoice), await scene.intent(sale.intent)];
    const asked = scene.now;
    const asking = refundOf(sale, [part(9990, asked, { status: 'refunding' })]);
    expect(await scene.refund(sale)).toEqual(asking);
    expect(await scene.refunded(sale)).toEqual(asking);
    const refunding = {
      ...intent,
      status: 'refunding',
      status_transitions: { ...intent.status_transitions, refunding_at: asked },
    };
    expect(await scene.intent(sale.intent)).toEqual(refunding);
    expect(await scene.invoice(sale.invoice)).toEqual(invoice);
    expect(await scene.casesOf(sale.intent)).toEqual(['refund-settlement']);

    expect(await scene.settle(sale)).toMatchObject({ done: false, dueInSeconds: 5, status: 'at acquirer' });
    scene.api.clock.advance(4);
    expect(await scene.settle(sale)).toMatchObject({ done: false, status: 'at acquirer' });
    expect(await scene.intent(sale.intent)).toEqual(refunding);
    scene.api.clock.advance(1);
    expect(await scene.settle(sale)).toEqual({ done: true });

    const made = refundOf(sale, [part(9990, asked)]);
    expect(await scene.refunded(sale)).toEqual(made);
    const refundedIntent = {
      ...refunding,
      status: 'refunded',
      amount_refunded: 9990,
      status_transitions: { ...refunding.status_transitions, refunded_at: asked + 5 },
    };
    const refundedInvoice = { ...invoice, amount_refunded: 9990 };
    expect(await scene.intent(sale.intent)).toEqual(refundedIntent);
    expect(await scene.invoice(sale.invoice)).toEqual(refundedInvoice);
    expect(await scene.factsSince(sale)).toEqual([
      { type: 'refund.created', object: asking },
      { type: 'payment_intent.refunding', object: refunding },
      { type: 'refund.updated', object: made },
      { type: 'invoice.refunded', object: refundedInvoice },
      { type: 'payment_intent.refunded', object: refundedIntent },
    ]);
    expect(await scene.returnsOf(sale)).toEqual([{ amount: 9990, refused: false }]);
  });

  test('regression-60-that the bank hears of in the next second is made 5 s after it was asked for', async () => {
    const sale = await scene.soldByPix();
    const asked = scene.now;
    await scene.refund(sale);
    scene.api.clock.advance(1);
    expect(await scene.settle(sale)).toMatchObject({ done: false, dueInSeconds: 4, status: 'at acquirer' });
    scene.api.clock.advance(4);
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.intent(sale.intent)).toMatchObject({
      status: 'refunded',
      status_transitions: { refunded_at: asked + 5 },
    });
  });

  test('in part makes the payment a paid one again, which has no event of its own', async () => {
    const sale = await scene.soldByPix(10_000);
    const asked = scene.now;
    await scene.refund(sale, { amount: 3000, reason: 'fraudulent' });
    expect(await scene.settleAtBank(sale)).toEqual({ done: true });
    const refund = refundOf(sale, [part(3000, asked, { reason: 'fraudulent' })]);
    expect(await scene.refunded(sale)).toEqual(refund);
    expect(await scene.intent(sale.intent)).toMatchObject({
      status: 'paid',
      amount_refunded: 3000,
      status_transitions: { refunding_at: asked, refunded_at: null },
    });
    expect((await scene.factsSince(sale)).slice(ASKED.length)).toEqual([
      { type: 'refund.updated', object: refund },
      { type: 'invoice.refunded', object: await scene.invoice(sale.invoice) },
    ]);
  });

  test('in parts, one after another, tells of the payment each time it begins anew', async () => {
    const sale = await scene.soldByPix(10_000);
    const parts = [];
    for (const amount of [3000, 2000, 5000]) {
      expect(await scene.refund(sale, { amount })).toEqual(
        answerOf(sale, [...parts, part(amount, scene.now, { status: 'refunding' })]),
      );
      parts.push(part(amount, scene.now));
      expect(await scene.settleAtBank(sale)).toEqual({ done: true });
      expect(await scene.refunded(sale)).toEqual(refundOf(sale, parts));
    }
    expect(await scene.standing(sale)).toEqual({ status: 'refunded', amount_refunded: 10_000 });
    expect(await scene.eventsSince(sale)).toEqual([
      ...Array.from({ length: 3 }, () => [...ASKED, ...RETURNED]).flat(),
      'payment_intent.refunded',
    ]);
  });

  test('in several parts at once tells of the payment once', async () => {
    const sale = await scene.soldByPix(10_000);
    const { now } = scene;
    const waiting = [3000, 2000, 5000].map((amount) => part(amount, now, { status: 'refunding' }));
    for (const [index, { amount }] of waiting.entries()) {
      expect(await scene.refund(sale, { amount })).toEqual(answerOf(sale, waiting.slice(0, index + 1)));
      expect(await scene.standing(sale)).toEqual({ status: 'refunding', amount_refunded: 0 });
    }
    expect(await scene.settleAtBank(sale)).toEqual({ done: true });
    expect(await scene.standing(sale)).toEqual({ status: 'refunded', amount_refunded: 10_000 });
    expect(await scene.eventsSince(sale)).toEqual([
      ...ASKED,
      'refund.created',
      'refund.created',
      ...RETURNED,
      ...RETURNED,
      ...RETURNED,
      'payment_intent.refunded',
    ]);
    expect(await scene.returnsOf(sale)).toHaveLength(3);
  });

  test('regression-61-in several parts of one second is made part by part, in their order', async () => {
    const sale = await scene.soldByPix(10_000);
    const amounts = Array.from({ length: 10 }, (_, place) => 100 + place);
    for (const amount of amounts) await scene.refund(sale, { amount });
    expect(await scene.settleAtBank(sale)).toEqual({ done: true });
    const made = (await scene.factsSince(sale)).filter(({ type }) => type === 'refund.updated');
    const refunded = made.map(({ object }) =>
      (object as Refund).parts.filter(({ status }) => status === 'refunded').map(({ amount }) => amount),
    );
    expect(refunded).toEqual(amounts.map((_, place) => amounts.slice(0, place + 1)));
  });

  test('of which one part is made goes on with the others', async () => {
    const sale = await scene.soldByPix(10_000);
    const first = scene.now;
    await scene.refund(sale, { amount: 3000 });
    await scene.settle(sale);
    scene.api.clock.advance(3);
    await scene.refund(sale, { amount: 2000 });
    await scene.settle(sale);
    scene.api.clock.advance(2);
    expect(await scene.settle(sale)).toMatchObject({ done: false, dueInSeconds: 3, status: 'at acquirer' });
    expect(await scene.refunded(sale)).toEqual(
      refundOf(sale, [part(3000, first), part(2000, first + 3, { status: 'refunding' })]),
    );
    expect(await scene.standing(sale)).toEqual({ status: 'refunding', amount_refunded: 3000 });
    expect(await scene.invoice(sale.invoice)).toMatchObject({ amount_refunded: 3000 });
    scene.api.clock.advance(3);
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 5000 });
    expect(await scene.eventsSince(sale)).toEqual([...ASKED, 'refund.created', ...RETURNED, ...RETURNED]);
  });

  test('of more parts than a case looks at in one step is seen through', async () => {
    const sale = await scene.soldByPix(10_000);
    for (let amount = 1; amount <= 25; amount += 1) await scene.refund(sale, { amount });
    expect(await scene.settle(sale)).toMatchObject({ done: false, dueInSeconds: 1 });
    scene.api.clock.advance(5);
    await scene.settle(sale);
    expect(await scene.settleAtBank(sale)).toEqual({ done: true });
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: (25 * 26) / 2 });
  });

  test('never comes to more than was paid, however many are asked for at once', async () => {
    const sale = await scene.soldByPix(10_000);
    const { done, refused } = await outcomesOf(Array.from({ length: 30 }, () => scene.refund(sale, { amount: 1001 })));
    expect(done).toHaveLength(9);
    expect(refused).toEqual(
      Array.from({ length: 21 }, () =>
        refusal('REFUND_EXCEEDS_BALANCE', { message: expect.stringContaining('at most 991') }),
      ),
    );
    expect(await scene.settleAtBank(sale)).toEqual({ done: true });
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 9009 });
    expect((await scene.eventsSince(sale)).filter((type) => type === 'payment_intent.refunding')).toHaveLength(1);
  });

  test('of a receipt that settled the invoice by a charge of its own is made', async () => {
    const { invoice, intent } = await scene.openPix();
    scene.api.clock.advance(2 * DAY);
    await scene.checkoutByPix(invoice);
    await scene.payPix(intent, 'paid_late');
    const settling = (await scene.invoice(invoice)).payment_intent ?? '';
    expect(settling).not.toBe(intent);
    expect(await scene.refund({ intent: settling })).toMatchObject({ amount: 9990, status: 'refunding' });
    expect(await scene.settleAtBank({ intent: settling })).toEqual({ done: true });
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', amount_refunded: 9990 });
    await expect(scene.refund({ intent })).rejects.toEqual(refusal('INVALID_STATE'));
  });
});

describe('a refund of a PIX that the bank refuses', () => {
  test('makes the payment a paid one again, and there is no refund of it', async () => {
    const sale = await scene.soldByPix(10_000);
    const { now } = scene;
    expect(await scene.refund(sale, { amount: 1099 })).toMatchObject({ amount: 1099, status: 'refunding' });
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 0 });
    await expect(scene.refunded(sale)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
    const intent = await scene.intent(sale.intent);
    expect(intent.status_transitions).toMatchObject({ refunding_at: now, refunded_at: null });
    expect((await scene.factsSince(sale)).slice(1)).toEqual([
      { type: 'payment_intent.refunding', object: { ...intent, status: 'refunding' } },
      { type: 'payment_intent.refund_failed', object: intent },
    ]);
    expect(await scene.settleAtBank(sale)).toEqual({ done: true });
    expect(await scene.partsOf(sale)).toEqual([{ amount: 1099, status: 'failed', requests: 1 }]);
    expect(await scene.returnsOf(sale)).toEqual([{ amount: 1099, refused: true }]);
    scene.api.clock.advance(60);
    await scene.refund(sale);
    await scene.settleAtBank(sale);
    expect(await scene.standing(sale)).toEqual({ status: 'refunded', amount_refunded: 10_000 });
    expect(await scene.eventsSince(sale)).toEqual([
      ...ASKED,
      'payment_intent.refund_failed',
      ...ASKED,
      ...RETURNED,
      'payment_intent.refunded',
    ]);
  });

  test('beside another on its way leaves the payment refunding', async () => {
    const sale = await scene.soldByPix(10_000);
    const { now } = scene;
    await scene.refund(sale, { amount: 1099 });
    await scene.refund(sale, { amount: 8901 });
    expect(await scene.settle(sale)).toMatchObject({ done: false, status: 'at acquirer' });
    expect(await scene.standing(sale)).toEqual({ status: 'refunding', amount_refunded: 0 });
    expect(await scene.refunded(sale)).toEqual(
      refundOf(sale, [part(1099, now, { status: 'failed' }), part(8901, now, { status: 'refunding' })]),
    );
    scene.api.clock.advance(5);
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 8901 });
    expect(await scene.eventsSince(sale)).toEqual([...ASKED, 'refund.created', ...REFUSED, ...RETURNED]);
    expect((await scene.factsSince(sale)).at(4)?.object).toMatchObject({ status: 'refunding', amount_refunded: 0 });
  });

  test('after another was made leaves the payment paid', async () => {
    const sale = await scene.soldByPix(10_000);
    await scene.refund(sale, { amount: 5000 });
    await scene.settleAtBank(sale);
    await scene.refund(sale, { amount: 1099 });
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 5000 });
    expect(await scene.eventsSince(sale)).toEqual([...ASKED, ...RETURNED, ...ASKED, ...REFUSED]);
    expect((await scene.refunded(sale)).status).toBe('refunded');
  });

  test('in every part leaves nothing refunded', async () => {
    const sale = await scene.soldByPix(10_000);
    await scene.refund(sale, { amount: 1099 });
    await scene.refund(sale, { amount: 2099 });
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 0 });
    expect(await scene.eventsSince(sale)).toEqual([
      ...ASKED,
      'refund.created',
      ...REFUSED,
      'payment_intent.refund_failed',
    ]);
  });
});

describe('the window of a PIX', () => {
  test('is 90 days on the clock of the account, to the second', async () => {
    const sale = await scene.soldByPix(10_000);
    const paidAt = scene.now;
    scene.api.clock.advance(90 * DAY);
    expect(await scene.refund(sale, { amount: 1000 })).toMatchObject({ created: paidAt + 90 * DAY });
    scene.api.clock.advance(1);
    await expect(scene.refund(sale, { amount: 1000 })).rejects.toEqual(
      refusal('REFUND_WINDOW_CLOSED', {
        status: 422,
        param: 'refund.payment_intent',
        message: expect.stringContaining('90 days'),
      }),
    );
    await scene.settleAtBank(sale);
    await expect(scene.refund(sale)).rejects.toEqual(refusal('REFUND_WINDOW_CLOSED'));
    expect(await scene.refunded(sale)).toEqual(refundOf(sale, [part(1000, paidAt + 90 * DAY)]));
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 1000 });
  });
});
