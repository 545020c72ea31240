import { describe, expect, test } from 'vitest';
import { refundReasons } from '../../../../contract/refunds.ts';
import { cards } from '../../../support/cards.ts';
import { outcomesOf } from '../../requests.ts';
import { refusal } from '../payment-scene.ts';
import { answerOf, part, RefundScene, refundOf } from './refund-scene.ts';

const scene = new RefundScene();

const REFUND = ['refund.created', 'refund.updated', 'invoice.refunded'];

describe('a refund of a card', () => {
  test('is made in the answer, and the payment is refunded with it', async () => {
    const sale = await scene.soldByCard(9990);
    const [invoice, intent] = [await scene.invoice(sale.invoice), await scene.intent(sale.intent)];
    scene.api.clock.advance(60);
    const { now } = scene;
    const refund = refundOf(sale, [part(9990, now)]);
    expect(await scene.refund(sale)).toEqual(refund);
    expect(await scene.refunded(sale)).toEqual(refund);
    const refundedIntent = {
      ...intent,
      status: 'refunded',
      amount_refunded: 9990,
      status_transitions: { ...intent.status_transitions, refunded_at: now },
    };
    const refundedInvoice = { ...invoice, amount_refunded: 9990 };
    expect(await scene.intent(sale.intent)).toEqual(refundedIntent);
    expect(await scene.invoice(sale.invoice)).toEqual(refundedInvoice);
    expect(await scene.factsSince(sale)).toEqual([
      { type: 'refund.created', object: refundOf(sale, [part(9990, now, { status: 'refunding' })]) },
      { type: 'refund.updated', object: refund },
      { type: 'invoice.refunded', object: refundedInvoice },
      { type: 'payment_intent.refunded', object: refundedIntent },
    ]);
    expect(await scene.estornosOf(sale)).toEqual([{ amount: 9990, refused: false }]);
  });

  test('in part leaves the payment paid', async () => {
    const sale = await scene.soldByCard(10_000);
    const [invoice, intent] = [await scene.invoice(sale.invoice), await scene.intent(sale.intent)];
    const { now } = scene;
    const refund = refundOf(sale, [part(3000, now, { reason: 'duplicate' })]);
    expect(await scene.refund(sale, { amount: 3000, reason: 'duplicate' })).toEqual(refund);
    expect(await scene.refunded(sale)).toEqual(refund);
    expect(await scene.intent(sale.intent)).toEqual({ ...intent, amount_refunded: 3000 });
    const refundedInvoice = { ...invoice, amount_refunded: 3000 };
    expect(await scene.invoice(sale.invoice)).toEqual(refundedInvoice);
    expect(await scene.factsSince(sale)).toEqual([
      {
        type: 'refund.created',
        object: refundOf(sale, [part(3000, now, { reason: 'duplicate', status: 'refunding' })]),
      },
      { type: 'refund.updated', object: refund },
      { type: 'invoice.refunded', object: refundedInvoice },
    ]);
  });

  test('in several parts ends with what is left, and each answer tells of its own part', async () => {
    const sale = await scene.soldByCard(10_000);
    const parts = [part(3000, scene.now, { reason: 'duplicate' })];
    expect(await scene.refund(sale, { amount: 3000, reason: 'duplicate' })).toEqual(answerOf(sale, parts));
    scene.api.clock.advance(60);
    parts.push(part(1, scene.now, { reason: 'fraudulent' }));
    expect(await scene.refund(sale, { amount: 1, reason: 'fraudulent' })).toEqual(answerOf(sale, parts));
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 3001 });
    scene.api.clock.advance(60);
    parts.push(part(6999, scene.now));
    expect(await scene.refund(sale)).toEqual(answerOf(sale, parts));
    expect(await scene.refunded(sale)).toEqual(refundOf(sale, parts));
    expect(await scene.standing(sale)).toEqual({ status: 'refunded', amount_refunded: 10_000 });
    expect(await scene.invoice(sale.invoice)).toMatchObject({ status: 'paid', amount_refunded: 10_000 });
    expect(await scene.eventsSince(sale)).toEqual([...REFUND, ...REFUND, ...REFUND, 'payment_intent.refunded']);
  });

  test('is for any of the reasons', async () => {
    const sale = await scene.soldByCard(10_000);
    for (const reason of refundReasons) await scene.refund(sale, { amount: 100, reason });
    expect((await scene.refunded(sale)).parts.map(({ reason }) => reason)).toEqual([...refundReasons]);
  });

  test('of an amount that the bank would refuse a PIX is made', async () => {
    const sale = await scene.soldByCard(9999);
    expect(await scene.refund(sale, { amount: 1099 })).toMatchObject({ amount: 1099, status: 'refunded' });
  });

  test('of a charge that took its time with the acquirer is made', async () => {
    const invoice = await scene.newInvoice();
    const intent = await scene.chargeCard(invoice, { number: cards.answer_lost });
    await scene.reconcile(intent);
    expect(await scene.refund({ intent })).toMatchObject({ amount: 9990, status: 'refunded' });
  });

  test('of an earlier charge may be asked for at any time', async () => {
    const sale = await scene.soldByCard();
    scene.api.clock.advance(400 * 86_400);
    expect(await scene.refund(sale)).toMatchObject({ amount: 10_000, status: 'refunded' });
  });

  test('asked for as the charge is being booked is made in the answer', async () => {
    const invoice = await scene.newInvoice();
    let refund: Promise<unknown> = Promise.resolve();
    let release = async () => {};
    scene.failpoints.meanwhile('card.after-charge', async () => {
      release = await scene.lockInvoice(invoice);
    });
    const charge = scene.payByCard(invoice);
    await scene.lockWaiters(1);
    const intent = (await scene.invoice(invoice)).payment_intent ?? '';
    refund = scene.refund({ intent });
    await scene.lockWaiters(2);
    await release();
    await charge;
    expect(await refund).toEqual(refundOf({ intent }, [part(9990, scene.now)]));
  });

  test('leaves nothing for its case to do', async () => {
    const sale = await scene.soldByCard();
    await scene.refund(sale, { amount: 1000 });
    expect(await scene.casesOf(sale.intent)).toEqual([]);
    scene.bank.recovers();
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(scene.bank.calls).toEqual([]);
    expect(await scene.estornosOf(sale)).toEqual([{ amount: 1000, refused: false }]);
  });

  test('never comes to more than was paid, however many are asked for at once', async () => {
    const sale = await scene.soldByCard(10_000);
    const asked = Array.from({ length: 30 }, () => scene.refund(sale, { amount: 700 }));
    const { done, refused } = await outcomesOf(asked);
    expect(done).toHaveLength(14);
    expect(refused).toEqual(
      Array.from({ length: 16 }, () =>
        refusal('REFUND_EXCEEDS_BALANCE', { status: 422, message: expect.stringContaining('at most 200') }),
      ),
    );
    expect(await scene.estornosOf(sale)).toEqual(Array.from({ length: 14 }, () => ({ amount: 700, refused: false })));
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 9800 });
    expect(await scene.refund(sale)).toMatchObject({ amount: 200 });
    expect(await scene.standing(sale)).toEqual({ status: 'refunded', amount_refunded: 10_000 });
  });
});

describe('a refund that the acquirer refuses', () => {
  test('is refused after it is in our books, and there is no refund of the payment', async () => {
    const sale = await scene.soldByCard();
    const intent = await scene.intent(sale.intent);
    const { now } = scene;
    await scene.whileRefusing(() =>
      expect(scene.refund(sale, { amount: 4000 })).rejects.toEqual(
        refusal('REFUND_REFUSED', { status: 422, param: 'refund.amount', message: expect.stringContaining('4000') }),
      ),
    );
    expect(await scene.partsOf(sale)).toEqual([{ amount: 4000, status: 'failed', requests: 1 }]);
    await expect(scene.refunded(sale)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
    expect(await scene.intent(sale.intent)).toEqual(intent);
    expect(await scene.invoice(sale.invoice)).toMatchObject({ status: 'paid', amount_refunded: 0 });
    expect(await scene.factsSince(sale)).toEqual([
      { type: 'refund.created', object: refundOf(sale, [part(4000, now, { status: 'refunding' })]) },
      { type: 'payment_intent.refund_failed', object: intent },
    ]);
    expect(await scene.casesOf(sale.intent)).toEqual([]);
  });

  test('beside one that stands is shown among its parts', async () => {
    const sale = await scene.soldByCard();
    const { now } = scene;
    await scene.refund(sale, { amount: 1000 });
    await scene.whileRefusing(() =>
      expect(scene.refund(sale, { reason: 'other' })).rejects.toEqual(refusal('REFUND_REFUSED')),
    );
    const refund = refundOf(sale, [part(1000, now), part(9000, now, { reason: 'other', status: 'failed' })]);
    expect(refund).toMatchObject({ amount: 1000, status: 'refunded' });
    expect(await scene.refunded(sale)).toEqual(refund);
    expect((await scene.factsSince(sale)).slice(REFUND.length)).toEqual([
      {
        type: 'refund.created',
        object: refundOf(sale, [part(1000, now), part(9000, now, { reason: 'other', status: 'refunding' })]),
      },
      { type: 'refund.updated', object: refund },
      { type: 'payment_intent.refund_failed', object: await scene.intent(sale.intent) },
    ]);
  });

  test('leaves its money to be asked for again', async () => {
    const sale = await scene.soldByCard();
    await scene.whileRefusing(() => expect(scene.refund(sale)).rejects.toEqual(refusal('REFUND_REFUSED')));
    scene.api.clock.advance(60);
    expect(await scene.refund(sale)).toMatchObject({ amount: 10_000, status: 'refunded', created: scene.now });
    expect((await scene.refunded(sale)).parts.map(({ status }) => status)).toEqual(['failed', 'refunded']);
    expect(await scene.eventsSince(sale)).toEqual([
      'refund.created',
      'payment_intent.refund_failed',
      ...REFUND,
      'payment_intent.refunded',
    ]);
    expect(await scene.estornosOf(sale)).toEqual([
      { amount: 10_000, refused: true },
      { amount: 10_000, refused: false },
    ]);
  });
});
