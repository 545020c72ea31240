import { describe, expect, test } from 'vitest';
import { medReasons } from '../../../../contract/disputes.ts';
import { refusal } from '../payment-scene.ts';
import { DisputeScene, GIVEN_BACK, TAKEN } from './dispute-scene.ts';

const scene = new DisputeScene();

describe('money that the bank takes back', () => {
  test('is a dispute that is lost, beside an invoice that stays paid', async () => {
    const sale = await scene.soldByPix(9990);
    const [invoice, intent] = [await scene.invoice(sale.invoice), await scene.intent(sale.intent)];
    const at = scene.now;
    const disputed = { ...intent, amount_disputed: 9990 };
    expect(await scene.take(sale)).toEqual(disputed);
    expect(await scene.intent(sale.intent)).toEqual(disputed);
    expect(await scene.invoice(sale.invoice)).toEqual({ ...invoice, amount_disputed: 9990 });
    const dispute = await scene.disputeOf(sale);
    expect(dispute).toEqual({
      id: expect.stringMatching(/^dp_[0-9a-z]{26}$/),
      object: 'dispute',
      payment_intent: sale.intent,
      invoice: sale.invoice,
      customer: invoice.customer,
      amount: 9990,
      currency: 'brl',
      method: 'pix',
      kind: 'med',
      reason: 'fraud',
      status: 'lost',
      funds: 'withdrawn',
      evidence_due_by: null,
      created: at,
      closed_at: at,
      live_mode: false,
    });
    expect(await scene.merchant.fatura.disputes.retrieve(dispute.id)).toEqual(dispute);
    expect(await scene.factsSince(sale)).toEqual(TAKEN.map((type) => ({ type, object: dispute })));
    expect(await scene.casesOf(await scene.txidOf(sale))).toEqual([]);
  });

  test.each(medReasons)('says why: %s', async (reason) => {
    const sale = await scene.soldByPix();
    await scene.take(sale, reason);
    expect(await scene.disputeOf(sale)).toMatchObject({ reason, kind: 'med' });
  });

  test('in parts is a dispute each, until nothing is left', async () => {
    const sale = await scene.soldByPix(10_000);
    await scene.take(sale, 'fraud', { amount: 3000 });
    await scene.take(sale, 'operational_error', { amount: 2000 });
    await scene.take(sale, 'fraud', { amount: 9000 });
    expect((await scene.disputesOf(sale)).map(({ amount, reason }) => [amount, reason])).toEqual([
      [3000, 'fraud'],
      [2000, 'operational_error'],
      [5000, 'fraud'],
    ]);
    expect(await scene.amounts(sale)).toEqual({
      intent: 'paid, 0 refunded, 10000 disputed',
      invoice: 'paid, 0 refunded, 10000 disputed',
    });
    expect(await scene.eventsSince(sale)).toEqual([...TAKEN, ...TAKEN, ...TAKEN]);
    await expect(scene.take(sale)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
  });

  test('is found by its invoice, its subscription and its customer, in events too', async () => {
    const sale = await scene.soldByPix();
    await scene.take(sale);
    const { id, customer } = await scene.disputeOf(sale);
    const related = await scene.rows(`SELECT type, related FROM event WHERE object_id = $1 ORDER BY id`, id);
    expect(related).toEqual(
      TAKEN.map((type) => ({ type, related: expect.arrayContaining([id, sale.intent, sale.invoice, customer]) })),
    );
    for (const object of [id, sale.intent, sale.invoice, customer]) {
      const found = await scene.merchant.fatura.events
        .list({ related_object: object, type: ['dispute.closed'] })
        .page();
      expect(found.data.map((event) => event.data.object.id)).toEqual([id]);
    }
  });
});

describe('money that the bank gives back', () => {
  test('wins the dispute, and can be refunded again', async () => {
    const sale = await scene.soldByPix(10_000);
    await scene.take(sale, 'fraud', { amount: 4000 });
    const lost = await scene.disputeOf(sale);
    scene.api.clock.advance(60);
    expect(await scene.take(sale, 'reversed')).toMatchObject({ status: 'paid', amount_disputed: 0 });
    const won = { ...lost, status: 'won', funds: 'reinstated' };
    expect(await scene.disputesOf(sale)).toEqual([won]);
    expect((await scene.factsSince(sale)).slice(TAKEN.length)).toEqual(
      GIVEN_BACK.map((type) => ({ type, object: won })),
    );
    expect(await scene.refund(sale)).toMatchObject({ amount: 10_000 });
    await scene.settleAtBank(sale);
    expect(await scene.amounts(sale)).toEqual({
      intent: 'refunded, 10000 refunded, 0 disputed',
      invoice: 'paid, 10000 refunded, 0 disputed',
    });
  });

  test('is what it took last, one dispute after the other', async () => {
    const sale = await scene.soldByPix(10_000);
    await scene.take(sale, 'fraud', { amount: 1000 });
    await scene.take(sale, 'returned_at_bank', { amount: 2000 });
    await scene.take(sale, 'reversed');
    expect((await scene.disputesOf(sale)).map(({ status }) => status)).toEqual(['lost', 'won']);
    expect(await scene.intent(sale.intent)).toMatchObject({ amount_disputed: 1000 });
    await scene.take(sale, 'reversed');
    expect((await scene.disputesOf(sale)).map(({ status }) => status)).toEqual(['won', 'won']);
    await expect(scene.take(sale, 'reversed')).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
  });

  test('may be taken again, which is another dispute', async () => {
    const sale = await scene.soldByPix(10_000);
    await scene.take(sale);
    await scene.take(sale, 'reversed');
    await scene.take(sale, 'operational_error');
    expect((await scene.disputesOf(sale)).map(({ status, reason }) => `${status} ${reason}`)).toEqual([
      'won fraud',
      'lost operational_error',
    ]);
    expect(await scene.eventsSince(sale)).toEqual([...TAKEN, ...GIVEN_BACK, ...TAKEN]);
  });
});

describe('the test helper', () => {
  test('refuses a charge that no PIX paid', async () => {
    const { intent } = await scene.openPix();
    const card = await scene.soldByCard();
    for (const id of [intent, card.intent])
      await expect(scene.take({ intent: id })).rejects.toEqual(
        refusal('INVALID_STATE', { status: 409, message: expect.stringContaining(id) }),
      );
  });

  test('refuses an amount of nothing, and one to give back', async () => {
    const sale = await scene.soldByPix();
    const refused = refusal('PARAMETER_INVALID', { status: 400, param: 'amount' });
    await expect(scene.take(sale, 'fraud', { amount: 0 })).rejects.toEqual(refused);
    await scene.take(sale, 'fraud', { amount: 10 });
    await expect(scene.take(sale, 'reversed', { amount: 10 })).rejects.toEqual(refused);
    expect(await scene.disputesOf(sale)).toHaveLength(1);
  });
});
