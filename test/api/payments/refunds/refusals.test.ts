import { describe, expect, test } from 'vitest';
import { newId } from '../../../../server/kernel/ids.ts';
import { cards } from '../../../support/cards.ts';
import { newInvoice } from '../../../support/factories.ts';
import { refusalOf, send, violationsOf } from '../../requests.ts';
import { type PaymentScene, refusal } from '../payment-scene.ts';
import { RefundScene } from './refund-scene.ts';

const scene = new RefundScene();

const UNKNOWN = `pi_${'0'.repeat(26)}`;
const invalidState = refusal('INVALID_STATE', { status: 409 });
const missing = refusal('RESOURCE_MISSING', { status: 404 });

describe('a body that is no refund', () => {
  test.each([
    [{ amount: 1 }, 'refund.payment_intent PARAMETER_MISSING'],
    [{ payment_intent: 'in_01' }, 'refund.payment_intent PARAMETER_INVALID'],
    [{ payment_intent: UNKNOWN, amount: 0 }, 'refund.amount PARAMETER_INVALID'],
    [{ payment_intent: UNKNOWN, amount: -1 }, 'refund.amount PARAMETER_INVALID'],
    [{ payment_intent: UNKNOWN, amount: 1.5 }, 'refund.amount PARAMETER_INVALID'],
    [{ payment_intent: UNKNOWN, amount: '100' }, 'refund.amount PARAMETER_INVALID'],
    [{ payment_intent: UNKNOWN, amount: null }, 'refund.amount PARAMETER_INVALID'],
    [{ payment_intent: UNKNOWN, amount: 2 ** 53 }, 'refund.amount PARAMETER_INVALID'],
    [{ payment_intent: UNKNOWN, reason: 'surplus' }, 'refund.reason PARAMETER_INVALID'],
    [{ payment_intent: UNKNOWN, reason: null }, 'refund.reason PARAMETER_INVALID'],
    [{ payment_intent: UNKNOWN, note: 'sorry' }, 'refund.note PARAMETER_UNKNOWN'],
  ])('%j is refused: %s', async (refund, violation) => {
    expect(violationsOf(await scene.sendRefund(refund))).toEqual([400, violation]);
  });

  test('is refused without its envelope', async () => {
    const body = { payment_intent: UNKNOWN };
    const answer = await send(scene.api, { method: 'POST', path: '/refunds', key: scene.merchant.sandboxKey, body });
    expect(violationsOf(answer)).toEqual([400, 'refund PARAMETER_MISSING', 'payment_intent PARAMETER_UNKNOWN']);
  });

  test('is told of every violation at once', async () => {
    expect(violationsOf(await scene.sendRefund({ amount: 0, reason: 'none' }))).toEqual([
      400,
      'refund.payment_intent PARAMETER_MISSING',
      'refund.amount PARAMETER_INVALID',
      'refund.reason PARAMETER_INVALID',
    ]);
  });
});

describe('a refund of a payment that is not there', () => {
  const param = 'refund.payment_intent';

  test('is refused', async () => {
    const answer = await scene.sendRefund({ payment_intent: UNKNOWN });
    expect(refusalOf(answer)).toMatchObject({ status: 404, code: 'RESOURCE_MISSING', param });
  });

  test('is refused to another account and in the other mode', async () => {
    const sale = await scene.soldByCard();
    const stranger = await scene.api.newMerchant();
    const refund = { payment_intent: sale.intent };
    for (const fatura of [stranger.fatura, scene.merchant.live]) {
      await expect(fatura.refunds.create(refund)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404, param }));
    }
    expect(await scene.eventsSince(sale)).toEqual([]);
  });
});

describe('a refund', () => {
  test.each(['card', 'pix'])('of more than was paid by %s is refused and names what is left', async (method) => {
    const sale = method === 'card' ? await scene.soldByCard(9990) : await scene.soldByPix(9990);
    await expect(scene.refund(sale, { amount: 9991 })).rejects.toEqual(
      refusal('REFUND_EXCEEDS_BALANCE', {
        status: 422,
        param: 'refund.amount',
        message: expect.stringMatching(/at most 9990\b.*got 9991/),
      }),
    );
    await scene.refund(sale, { amount: 990 });
    await expect(scene.refund(sale, { amount: 9001 })).rejects.toEqual(
      refusal('REFUND_EXCEEDS_BALANCE', { message: expect.stringMatching(/at most 9000\b.*got 9001/) }),
    );
    expect(await scene.partsOf(sale)).toHaveLength(1);
    if (method === 'pix') await scene.settleAtBank(sale);
  });

  test('of everything, asked for twice, leaves nothing for the second while the first is on its way', async () => {
    const sale = await scene.soldByPix();
    await scene.refund(sale);
    await expect(scene.refund(sale)).rejects.toEqual(
      refusal('REFUND_EXCEEDS_BALANCE', { status: 422, message: expect.stringContaining('at most 0') }),
    );
    await scene.settleAtBank(sale);
    await expect(scene.refund(sale)).rejects.toEqual(invalidState);
  });
});

describe('a refund that says what its caller saw left', () => {
  test.each(['card', 'pix'])('is made once by %s, however many ask for it at once', async (method) => {
    const sale = method === 'card' ? await scene.soldByCard(9990) : await scene.soldByPix(9990);
    const asked = { amount: 3000, expected_remaining: 9990 };
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => scene.refund(sale, asked)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 'rejected')
        expect(answer.reason).toEqual(
          refusal('REMAINING_CHANGED', {
            status: 409,
            param: 'refund.expected_remaining',
            message: expect.stringMatching(/is 9990, and 6990 is left/),
          }),
        );
    await scene.refund(sale, { expected_remaining: 6990 });
    await expect(scene.refund(sale, asked)).rejects.toEqual(refusal('REMAINING_CHANGED', { status: 409 }));
    expect((await scene.partsOf(sale)).map(({ amount }) => amount)).toEqual([3000, 6990]);
    if (method === 'pix') await scene.settleAtBank(sale);
  });
});

/** Payments that have nothing to refund, by their status. */
const unpaid: Record<string, (scene: PaymentScene) => Promise<string>> = {
  pending: async (shop) => (await shop.openPix()).intent,
  processing: async (shop) => shop.chargeCard(await shop.newInvoice(), { number: cards.answer_lost }),
  failed: async (shop) => shop.chargeCard(await shop.newInvoice(), { number: cards.issuer_declined }),
  discarded: async (shop) => {
    const { invoice, intent } = await shop.openPix();
    await shop.chargeCard(invoice);
    return intent;
  },
};

describe('a payment', () => {
  test.each(Object.entries(unpaid))('that is %s has nothing to refund', async (status, make) => {
    const intent = await make(scene);
    const before = await scene.intent(intent);
    expect(before.status).toBe(status);
    const told = await scene.events(intent);
    for (const amount of [undefined, 1, 1_000_000]) {
      await expect(scene.refund({ intent }, amount === undefined ? {} : { amount })).rejects.toEqual(
        refusal('INVALID_STATE', { status: 409, message: expect.stringContaining(status) }),
      );
    }
    await expect(scene.refunded({ intent })).rejects.toEqual(missing);
    expect(await scene.intent(intent)).toEqual(before);
    expect(await scene.events(intent)).toEqual(told);
  });

  test('that is refunded has nothing left to refund', async () => {
    const sale = await scene.soldByCard();
    await scene.refund(sale);
    const told = await scene.eventsSince(sale);
    await expect(scene.refund(sale, { amount: 1 })).rejects.toEqual(invalidState);
    expect(await scene.eventsSince(sale)).toEqual(told);
  });

  test('of which nothing was refunded has no refund', async () => {
    const sale = await scene.soldByCard();
    await expect(scene.refunded(sale)).rejects.toEqual(missing);
    await expect(scene.refunded({ intent: UNKNOWN })).rejects.toEqual(missing);
  });
});

describe('a surplus', () => {
  test('is returned by itself and has no refund, before and after', async () => {
    const { invoice, intent } = await scene.openPix();
    await scene.payPix(intent, 'paid_twice');
    const surplus = (await scene.intentsOf(invoice)).at(-1)?.id ?? '';
    for (const status of ['refunding', 'refunded']) {
      expect(await scene.intent(surplus)).toMatchObject({ status });
      await expect(scene.refund({ intent: surplus })).rejects.toEqual(
        refusal('INVALID_STATE', { status: 409, message: expect.stringContaining('surplus') }),
      );
      await expect(scene.refunded({ intent: surplus })).rejects.toEqual(missing);
      await scene.settleAtBank({ intent: surplus });
    }
    const refunds = await scene.merchant.fatura.refunds.list({ limit: 100 }).all({ max: 1_000 });
    expect(refunds.map(({ id }) => id)).not.toContain(surplus);
    const sale = await scene.refund({ intent });
    expect(sale).toMatchObject({ amount: 9990, status: 'refunding' });
    await scene.settleAtBank({ intent });
  });
});

describe('a refund of another account or mode', () => {
  test('is not shown', async () => {
    const sale = await scene.soldByCard();
    await scene.refund(sale);
    const stranger = await scene.api.newMerchant();
    for (const fatura of [stranger.fatura, scene.merchant.live])
      await expect(fatura.refunds.retrieve(sale.intent)).rejects.toEqual(missing);
  });
});

describe('live mode without an acquirer', () => {
  /** A payment that no acquirer of this start could have taken. */
  async function livePayment(): Promise<string> {
    const invoice = await newInvoice({ ...scene.merchant, fatura: scene.merchant.live });
    const id = newId('pi');
    await scene.rows(
      `INSERT INTO payment_intent (id, account_id, live_mode, created, invoice_id, customer_id, status, amount, payment_method_type, due_at, paid_at)
       SELECT $1, account_id, live_mode, created, id, customer_id, 'paid', total, 'pix', due_at, created FROM invoice WHERE id = $2`,
      id,
      invoice.id,
    );
    return id;
  }

  test('refunds nothing', async () => {
    const intent = await livePayment();
    await expect(scene.merchant.live.refunds.create({ payment_intent: intent })).rejects.toEqual(
      refusal('ACQUIRER_UNAVAILABLE', { status: 503 }),
    );
    expect(await scene.partsOf({ intent })).toEqual([]);
    await scene.rows('DELETE FROM payment_intent WHERE id = $1', intent);
  });
});
