import { describe, expect, test } from 'vitest';
import { cards } from '../../../support/cards.ts';
import { SURPLUS } from '../payment-scene.ts';
import { DisputeScene, GIVEN_BACK, TAKEN } from './dispute-scene.ts';

const HOUR = 3_600;

const scene = new DisputeScene();

/** The second payment of an invoice that was paid twice. */
async function paidTwice(amount = 10_000) {
  const { invoice, intent } = await scene.openPix(amount);
  await scene.payPix(intent, 'paid_twice');
  const surplus = (await scene.intentsOf(invoice)).at(-1)?.id ?? '';
  return { invoice, intent: surplus, amount, told: (await scene.facts(surplus)).length };
}

const UNTOUCHED = 'paid, 0 refunded, 0 disputed';

describe('a surplus that the bank takes', () => {
  test('in part goes back but for that part', async () => {
    const surplus = await paidTwice();
    await scene.take(surplus, 'fraud', { amount: 4000 });
    expect(await scene.disputeOf(surplus)).toMatchObject({ amount: 4000, payment_intent: surplus.intent });
    expect(await scene.amounts(surplus)).toEqual({
      intent: 'refunding, 0 refunded, 4000 disputed',
      invoice: UNTOUCHED,
    });
    expect(await scene.settle(surplus)).toMatchObject({ done: false, dueInSeconds: 1 });
    expect(await scene.settleAtBank(surplus)).toEqual({ done: true });
    expect(await scene.amounts(surplus)).toEqual({ intent: 'paid, 6000 refunded, 4000 disputed', invoice: UNTOUCHED });
    expect(await scene.partsOf(surplus)).toEqual([
      { amount: 10_000, status: 'failed', requests: 1 },
      { amount: 6000, status: 'refunded', requests: 1 },
    ]);
    expect(await scene.eventsSince(surplus)).toEqual(TAKEN);
  });

  test('whole is not asked for any more', async () => {
    const surplus = await paidTwice();
    await scene.take(surplus);
    expect(await scene.settle(surplus)).toEqual({ done: true });
    expect(await scene.amounts(surplus)).toEqual({ intent: 'paid, 0 refunded, 10000 disputed', invoice: UNTOUCHED });
    expect(await scene.settle(surplus)).toEqual({ done: true });
    expect(await scene.returnsOf(surplus)).toEqual([{ amount: 10_000, refused: true }]);
  });

  test('unheard of is asked about when the return is refused, and is not asked for any more then', async () => {
    const surplus = await paidTwice();
    await scene.takeUnheard(surplus);
    const txid = await scene.txidOf(surplus);
    await scene.rows('DELETE FROM outbox WHERE key = $1', txid);
    expect(await scene.settle(surplus)).toMatchObject({ done: false, dueInSeconds: HOUR, status: 'refused' });
    expect(await scene.casesOf(txid)).toEqual(['pix-settlement']);
    expect(await scene.notice(surplus)).toEqual({ done: true });
    scene.api.clock.advance(HOUR);
    expect(await scene.settle(surplus)).toEqual({ done: true });
    expect(await scene.amounts(surplus)).toEqual({ intent: 'paid, 0 refunded, 10000 disputed', invoice: UNTOUCHED });
  });

  test('and gives back goes back by itself', async () => {
    const surplus = await paidTwice();
    await scene.take(surplus);
    await scene.settle(surplus);
    expect(await scene.take(surplus, 'reversed')).toMatchObject({ status: 'refunding', amount_disputed: 0 });
    expect(await scene.casesOf(surplus.intent)).toEqual(['refund-settlement']);
    expect(await scene.settleAtBank(surplus)).toEqual({ done: true });
    expect(await scene.amounts(surplus)).toEqual({
      intent: 'refunded, 10000 refunded, 0 disputed',
      invoice: UNTOUCHED,
    });
    expect(await scene.eventsSince(surplus)).toEqual([
      ...TAKEN,
      ...GIVEN_BACK,
      'payment_intent.refunding',
      'payment_intent.refunded',
    ]);
  });

  test('and gives back before the return was refused goes back once', async () => {
    const surplus = await paidTwice();
    await scene.take(surplus);
    await scene.take(surplus, 'reversed');
    await scene.settleAtBank(surplus);
    expect(await scene.partsOf(surplus)).toEqual([{ amount: 10_000, status: 'refunded', requests: 1 }]);
  });
});

describe('a surplus', () => {
  test('of which the bank refuses the return after all is asked back under a new reference', async () => {
    const surplus = await paidTwice();
    await scene.settleAtBank(surplus);
    await scene.revokeAtBank(surplus);
    for (let notices = 1; notices <= 3; notices += 1) await scene.notice(surplus);
    expect(await scene.amounts(surplus)).toEqual({ intent: 'refunding, 0 refunded, 0 disputed', invoice: UNTOUCHED });
    expect(await scene.settleAtBank(surplus)).toEqual({ done: true });
    expect(await scene.partsOf(surplus)).toEqual([
      { amount: 10_000, status: 'failed', requests: 1 },
      { amount: 10_000, status: 'refunded', requests: 1 },
    ]);
    expect(await scene.eventsSince(surplus)).toEqual([
      'payment_intent.refunded',
      'payment_intent.refunding',
      'payment_intent.refunded',
    ]);
  });

  test('that waits for a charge by card is disputed once it is one', async () => {
    const pix = await scene.openPix();
    scene.bank.meets('chargeCard', 'answer_lost');
    const charge = await scene.chargeCard(pix.invoice, { number: cards.approved });
    scene.bank.recovers();
    await scene.payPix(pix.intent, 'paid_late');
    await scene.rows(
      `INSERT INTO sandbox_bank.devolucao (id, end_to_end_id, amount, requested_at, completes_at, refused, natureza)
       SELECT $2, end_to_end_id, amount, paid_at, paid_at, false, 'MED_FRAUDE' FROM sandbox_bank.pix WHERE txid = $1`,
      pix.txid,
      `D${pix.txid}`,
    );
    await scene.rows('DELETE FROM outbox WHERE key = $1', pix.txid);
    const notice = () => scene.notice({ intent: pix.intent }, pix.txid);
    expect(await notice()).toMatchObject({ done: false, status: 'charge in process' });
    expect(await scene.reconcile(charge)).toEqual({ done: true });
    const surplus = (await scene.intentsOf(pix.invoice)).at(-1)?.id ?? '';
    expect(await scene.disputesOf({ intent: surplus })).toEqual([]);
    expect(await notice()).toEqual({ done: true });
    expect(await scene.disputeOf({ intent: surplus })).toMatchObject({ amount: 9990, invoice: pix.invoice });
    expect(await scene.settle({ intent: surplus })).toEqual({ done: true });
    expect(await scene.events(surplus)).toEqual([...SURPLUS, ...TAKEN]);
  });
});
