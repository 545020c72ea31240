import { describe, expect, test } from 'vitest';
import { refusal } from '../payment-scene.ts';
import { part, refundOf } from '../refunds/refund-scene.ts';
import { DisputeScene, GIVEN_BACK, TAKEN } from './dispute-scene.ts';

const scene = new DisputeScene();

const ASKED = ['refund.created', 'payment_intent.refunding'];
const RETURNED = ['refund.updated', 'invoice.refunded'];
const gone = (status: string, refunded: number, disputed: number) => ({
  intent: `${status}, ${refunded} refunded, ${disputed} disputed`,
  invoice: `paid, ${refunded} refunded, ${disputed} disputed`,
});

describe('a refund of a payment that the bank took money of', () => {
  test('is of what is left at most', async () => {
    const sale = await scene.soldByPix(10_000);
    await scene.take(sale, 'fraud', { amount: 4000 });
    await expect(scene.refund(sale, { amount: 6001 })).rejects.toEqual(
      refusal('REFUND_EXCEEDS_BALANCE', {
        status: 422,
        param: 'refund.amount',
        message: `refund.amount must be at most 6000, what is left of ${sale.intent}, got 6001`,
      }),
    );
    expect(await scene.refund(sale)).toMatchObject({ amount: 6000 });
    await scene.settleAtBank(sale);
    expect(await scene.amounts(sale)).toEqual(gone('paid', 6000, 4000));
    await expect(scene.refund(sale)).rejects.toEqual(refusal('REFUND_EXCEEDS_BALANCE'));
    expect(await scene.eventsSince(sale)).toEqual([...TAKEN, ...ASKED, ...RETURNED]);
  });

  test('that was made leaves the bank what is left', async () => {
    const sale = await scene.soldByPix(10_000);
    await scene.refund(sale, { amount: 3000 });
    await scene.settleAtBank(sale);
    await scene.take(sale);
    expect(await scene.disputeOf(sale)).toMatchObject({ amount: 7000 });
    expect(await scene.amounts(sale)).toEqual(gone('paid', 3000, 7000));
    expect(await scene.eventsSince(sale)).toEqual([...ASKED, ...RETURNED, ...TAKEN]);
  });

  test('that the bank has in process leaves it the rest', async () => {
    const sale = await scene.soldByPix(10_000);
    await scene.refund(sale, { amount: 3000 });
    await scene.settle(sale);
    expect(await scene.take(sale)).toMatchObject({ status: 'refunding', amount_disputed: 7000 });
    scene.api.clock.advance(5);
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.amounts(sale)).toEqual(gone('paid', 3000, 7000));
  });

  test('that the bank has not heard of fails when there is nothing left for it', async () => {
    const sale = await scene.soldByPix(10_000);
    const asked = scene.now;
    await scene.refund(sale, { amount: 3000 });
    await scene.take(sale);
    expect(await scene.amounts(sale)).toEqual(gone('refunding', 0, 10_000));
    expect(await scene.refunded(sale)).toEqual(refundOf(sale, [part(3000, asked, { status: 'refunding' })]));
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.amounts(sale)).toEqual(gone('paid', 0, 10_000));
    expect(await scene.eventsSince(sale)).toEqual([...ASKED, ...TAKEN, 'payment_intent.refund_failed']);
  });

  test('and the bank want the same money at once: nothing of it goes twice', async () => {
    const sale = await scene.soldByPix(10_000);
    const refunds = Array.from({ length: 8 }, () =>
      scene.refund(sale, { amount: 1000 }).then(() => scene.settle(sale)),
    );
    const taken = [1500, 3000, 9000].map((amount) => scene.take(sale, 'fraud', { amount }));
    await Promise.allSettled([...refunds, ...taken]);
    await scene.settle(sale);
    scene.api.clock.advance(5);
    expect(await scene.settle(sale)).toEqual({ done: true });
    const { amount_refunded, amount_disputed } = await scene.intent(sale.intent);
    expect(await scene.invoice(sale.invoice)).toMatchObject({ amount_refunded, amount_disputed });
    const [atBank] = await scene.rows(
      `SELECT sum(d.amount)::int AS amount FROM sandbox_bank.devolucao d JOIN pix_receipt r ON r.id = d.end_to_end_id
       WHERE r.intent_id = $1 AND NOT d.refused`,
      sale.intent,
    );
    expect(atBank).toEqual({ amount: amount_refunded + amount_disputed });
    expect(amount_refunded + amount_disputed).toBeLessThanOrEqual(10_000);
    expect(amount_disputed).toBeGreaterThan(0);
  });

  test('that the bank makes with money it gave back waits until we hear of that', async () => {
    const sale = await scene.soldByPix(10_000);
    await scene.refund(sale);
    await scene.take(sale);
    await scene.takeUnheard(sale, 'reversed');
    await scene.settle(sale);
    scene.api.clock.advance(5);
    expect(await scene.settle(sale)).toMatchObject({ done: false, status: 'at acquirer' });
    expect(await scene.amounts(sale)).toEqual(gone('refunding', 0, 10_000));
    expect(await scene.casesOf(await scene.txidOf(sale))).toEqual(['pix-settlement']);
    expect(await scene.notice(sale)).toEqual({ done: true });
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.amounts(sale)).toEqual(gone('refunded', 10_000, 0));
    expect(await scene.eventsSince(sale)).toEqual([
      ...ASKED,
      ...TAKEN,
      ...GIVEN_BACK,
      ...RETURNED,
      'payment_intent.refunded',
    ]);
  });
});

describe('a notice of a return that a refund asked for', () => {
  test('has its case look at it, and is no dispute', async () => {
    const sale = await scene.soldByPix(10_000);
    await scene.refund(sale, { amount: 3000 });
    await scene.settle(sale);
    await scene.rows(`DELETE FROM outbox WHERE key = $1`, sale.intent);
    await scene.notice(sale);
    expect(await scene.casesOf(sale.intent)).toEqual([]);
    scene.api.clock.advance(5);
    await scene.notice(sale);
    expect(await scene.casesOf(sale.intent)).toEqual(['refund-settlement']);
    expect(await scene.amounts(sale)).toEqual(gone('refunding', 0, 0));
    expect(await scene.settle(sale)).toEqual({ done: true });
    await scene.notice(sale);
    expect(await scene.disputesOf(sale)).toEqual([]);
    expect(await scene.amounts(sale)).toEqual(gone('paid', 3000, 0));
    expect(await scene.eventsSince(sale)).toEqual([...ASKED, ...RETURNED]);
  });
});

describe('a refund that the bank refuses after all', () => {
  test('is gone, and its money can be asked for again', async () => {
    const sale = await scene.soldByPix(10_000);
    const paid = await scene.intent(sale.intent);
    const asked = scene.now;
    await scene.refund(sale);
    await scene.settleAtBank(sale);
    await scene.revokeAtBank(sale);
    for (let notices = 1; notices <= 3; notices += 1) await scene.notice(sale);
    expect(await scene.amounts(sale)).toEqual(gone('paid', 0, 0));
    const kept = { ...paid.status_transitions, refunding_at: asked };
    expect(await scene.intent(sale.intent)).toEqual({ ...paid, status_transitions: kept });
    await expect(scene.refunded(sale)).rejects.toEqual(refusal('RESOURCE_MISSING'));
    expect(await scene.eventsSince(sale)).toEqual([
      ...ASKED,
      ...RETURNED,
      'payment_intent.refunded',
      'payment_intent.refund_failed',
    ]);
    expect(await scene.refund(sale)).toMatchObject({ amount: 10_000 });
    await scene.settleAtBank(sale);
    expect(await scene.amounts(sale)).toEqual(gone('refunded', 10_000, 0));
  });

  test('in one of its parts keeps the other', async () => {
    const sale = await scene.soldByPix(10_000);
    const asked = scene.now;
    await scene.refund(sale, { amount: 3000 });
    await scene.settleAtBank(sale);
    await scene.revokeAtBank(sale);
    await scene.refund(sale, { amount: 2000 });
    await scene.settle(sale);
    await scene.notice(sale);
    expect(await scene.amounts(sale)).toEqual(gone('refunding', 0, 0));
    const parts = [part(3000, asked, { status: 'failed' }), part(2000, asked + 5, { status: 'refunding' })];
    expect(await scene.refunded(sale)).toEqual(refundOf(sale, parts));
    scene.api.clock.advance(5);
    await scene.settle(sale);
    expect(await scene.amounts(sale)).toEqual(gone('paid', 2000, 0));
    expect(await scene.eventsSince(sale)).toEqual([
      ...ASKED,
      ...RETURNED,
      ...ASKED,
      'refund.updated',
      'payment_intent.refund_failed',
      ...RETURNED,
    ]);
  });

  test('leaves its money to the bank, which may take it in the same moment', async () => {
    const sale = await scene.soldByPix(10_000);
    await scene.refund(sale);
    await scene.settleAtBank(sale);
    await scene.revokeAtBank(sale);
    await scene.take(sale);
    expect(await scene.amounts(sale)).toEqual(gone('paid', 0, 10_000));
    expect((await scene.eventsSince(sale)).slice(-4)).toEqual(['payment_intent.refund_failed', ...TAKEN]);
  });
});

test('a return that the bank made after it had refused it raises an alarm, and is no dispute', async () => {
  const alarms = async () =>
    (await scene.deps.metrics.alarms.get()).values.find(({ labels }) => labels.kind === 'refused_return_made')?.value ??
    0;
  const sale = await scene.soldByPix(10_000);
  await scene.refund(sale, { amount: 1099 });
  expect(await scene.settle(sale)).toEqual({ done: true });
  await scene.notice(sale);
  expect(await alarms()).toBe(0);
  const refuse = (refused: boolean) =>
    scene.rows(
      'UPDATE sandbox_bank.devolucao SET refused = $2 WHERE id = (SELECT reference FROM refund_part WHERE intent_id = $1)',
      sale.intent,
      refused,
    );
  await refuse(false);
  scene.api.clock.advance(5);
  await scene.notice(sale);
  expect(await alarms()).toBe(1);
  expect(await scene.disputesOf(sale)).toEqual([]);
  expect(await scene.amounts(sale)).toEqual(gone('paid', 0, 0));
  await refuse(true);
});
