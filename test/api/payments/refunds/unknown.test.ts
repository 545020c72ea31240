import { describe, expect, test } from 'vitest';
import { refusal } from '../payment-scene.ts';
import { part, RefundScene, refundOf, type Sale } from './refund-scene.ts';

const scene = new RefundScene();

const REFUND = ['refund.created', 'refund.updated', 'invoice.refunded'];
const timeout = refusal('ACQUIRER_TIMEOUT', { status: 504 });

/** A refund of 4000 of 10000 whose outcome nobody knows. */
async function unknownRefund(trouble: 'answer_lost' | 'request_lost' | 'fault' | 'unreachable'): Promise<Sale> {
  const sale = await scene.soldByCard(10_000);
  scene.bank.meets('refundCard', trouble);
  await expect(scene.refund(sale, { amount: 4000 })).rejects.toEqual(timeout);
  scene.bank.recovers();
  return sale;
}

/** Real seconds after which the outbox hands out the case: from now on, and from when it was asked for first. */
async function dueIn(sale: Sale): Promise<{ fromNow: number; fromAsking: number }> {
  const [row] = await scene.rows(
    `SELECT extract(epoch FROM due_at - now())::float8 AS "fromNow", extract(epoch FROM due_at - created_at)::float8 AS "fromAsking"
     FROM outbox WHERE kind = 'refund-settlement' AND key = $1`,
    sale.intent,
  );
  return { fromNow: Number(row?.fromNow), fromAsking: Number(row?.fromAsking) };
}

describe.each(['answer_lost', 'request_lost', 'fault', 'unreachable'] as const)(
  'a refund of a card with %s at the acquirer',
  (trouble) => {
    test('is on its way while the payment stays paid', async () => {
      const sale = await unknownRefund(trouble);
      const { now } = scene;
      expect(await scene.refunded(sale)).toEqual(refundOf(sale, [part(4000, now, { status: 'refunding' })]));
      expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 0 });
      expect(await scene.invoice(sale.invoice)).toMatchObject({ amount_refunded: 0 });
      expect(await scene.eventsSince(sale)).toEqual(['refund.created']);
      expect((await dueIn(sale)).fromNow).toBeLessThanOrEqual(2);
    });

    test('keeps its amount from other refunds', async () => {
      const sale = await unknownRefund(trouble);
      await expect(scene.refund(sale, { amount: 6001 })).rejects.toEqual(
        refusal('REFUND_EXCEEDS_BALANCE', { message: expect.stringContaining('at most 6000') }),
      );
      expect(await scene.refund(sale)).toMatchObject({ amount: 6000, status: 'refunded' });
      expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 6000 });
      expect(await scene.settle(sale)).toEqual({ done: true });
      expect(await scene.standing(sale)).toEqual({ status: 'refunded', amount_refunded: 10_000 });
      expect(await scene.eventsSince(sale)).toEqual([
        'refund.created',
        ...REFUND,
        'refund.updated',
        'invoice.refunded',
        'payment_intent.refunded',
      ]);
    });

    test('is made once, as its case finds out', async () => {
      const sale = await unknownRefund(trouble);
      const asked = scene.now;
      scene.api.clock.advance(60);
      expect(await scene.settle(sale)).toEqual({ done: true });
      const refund = refundOf(sale, [part(4000, asked)]);
      expect(await scene.refunded(sale)).toEqual(refund);
      expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 4000 });
      expect(await scene.factsSince(sale)).toEqual([
        { type: 'refund.created', object: refundOf(sale, [part(4000, asked, { status: 'refunding' })]) },
        { type: 'refund.updated', object: refund },
        { type: 'invoice.refunded', object: await scene.invoice(sale.invoice) },
      ]);
      expect(await scene.estornosOf(sale)).toEqual([{ amount: 4000, refused: false }]);
      expect(await scene.settle(sale)).toEqual({ done: true });
      expect(await scene.eventsSince(sale)).toEqual(REFUND);
    });
  },
);

describe('the case of a refund of a card', () => {
  test('asks under the same reference when the acquirer has never heard of it', async () => {
    const sale = await unknownRefund('request_lost');
    const reference = await scene.rows('SELECT reference FROM refund_part WHERE intent_id = $1', sale.intent);
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(scene.bank.calls).toEqual(['findRefund', 'refundCard']);
    expect(await scene.rows('SELECT reference FROM refund_part WHERE intent_id = $1', sale.intent)).toEqual(reference);
    expect(await scene.partsOf(sale)).toEqual([{ amount: 4000, status: 'refunded', requests: 1 }]);
  });

  test('only looks when the acquirer has heard of it', async () => {
    const sale = await unknownRefund('answer_lost');
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(scene.bank.calls).toEqual(['findRefund']);
  });

  test('learns that the acquirer refused what it was asked', async () => {
    const sale = await scene.soldByCard(10_000);
    await scene.whileRefusing(() => expect(scene.refund(sale)).rejects.toEqual(timeout), 'answer_lost');
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 0 });
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.eventsSince(sale)).toEqual(['refund.created', 'payment_intent.refund_failed']);
    await expect(scene.refunded(sale)).rejects.toEqual(refusal('RESOURCE_MISSING'));
    expect(await scene.refund(sale)).toMatchObject({ amount: 10_000, status: 'refunded' });
  });

  test('is refused what had never come to the acquirer, and asks no further', async () => {
    const sale = await unknownRefund('request_lost');
    await scene.refund(sale, { amount: 1000 });
    await scene.whileRefusing(async () => expect(await scene.settle(sale)).toEqual({ done: true }));
    expect(await scene.refunded(sale)).toEqual(
      refundOf(sale, [part(4000, scene.now, { status: 'failed' }), part(1000, scene.now)]),
    );
    expect(await scene.eventsSince(sale)).toEqual([
      'refund.created',
      ...REFUND,
      'refund.updated',
      'payment_intent.refund_failed',
    ]);
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.estornosOf(sale)).toEqual([
      { amount: 4000, refused: true },
      { amount: 1000, refused: false },
    ]);
  });

  test('asks a silent acquirer again, and nothing changes meanwhile', async () => {
    const sale = await unknownRefund('answer_lost');
    for (const call of ['findRefund', 'refundCard'] as const) scene.bank.meets(call, 'unreachable');
    expect(await scene.settle(sale)).toMatchObject({ done: false, dueInSeconds: 5, status: 'acquirer silent' });
    scene.api.clock.advance(600);
    expect(await scene.settle(sale)).toMatchObject({ done: false, dueInSeconds: 600, status: 'acquirer silent' });
    expect(await scene.eventsSince(sale)).toEqual(['refund.created']);
    scene.bank.recovers();
    expect(await scene.settle(sale)).toEqual({ done: true });
  });

  test('sees several parts through', async () => {
    const sale = await scene.soldByCard(10_000);
    scene.bank.meets('refundCard', 'request_lost');
    for (const amount of [5000, 3000, 2000]) await expect(scene.refund(sale, { amount })).rejects.toEqual(timeout);
    scene.bank.recovers();
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.standing(sale)).toEqual({ status: 'refunded', amount_refunded: 10_000 });
    expect(await scene.eventsSince(sale)).toEqual([
      ...Array.from({ length: 3 }, () => 'refund.created'),
      ...Array.from({ length: 3 }, () => ['refund.updated', 'invoice.refunded']).flat(),
      'payment_intent.refunded',
    ]);
  });

  test('books once, however often it looks', async () => {
    const sale = await unknownRefund('request_lost');
    await Promise.all(Array.from({ length: 20 }, () => scene.settle(sale)));
    expect(await scene.eventsSince(sale)).toEqual(REFUND);
    expect(await scene.estornosOf(sale)).toEqual([{ amount: 4000, refused: false }]);
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 4000 });
  });

  test.each(['refund.after-asking', 'refund.after-acquirer'] as const)(
    'that comes between at %s books the part once',
    async (at) => {
      const sale = await scene.soldByCard(10_000);
      scene.failpoints.meanwhile(at, () => scene.settle(sale));
      expect(await scene.refund(sale, { amount: 4000 })).toEqual(refundOf(sale, [part(4000, scene.now)]));
      expect(await scene.eventsSince(sale)).toEqual(REFUND);
      expect(await scene.estornosOf(sale)).toEqual([{ amount: 4000, refused: false }]);
    },
  );

  test('whose own booking is overtaken books nothing', async () => {
    const sale = await unknownRefund('answer_lost');
    scene.failpoints.meanwhile('return.after-asking', () => scene.settle(sale));
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.eventsSince(sale)).toEqual(REFUND);
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 4000 });
  });
});

describe('a process that ends while it refunds a card', () => {
  const crash = refusal('INTERNAL_ERROR', { status: 500 });

  test.each([
    ['refund.after-asking', []],
    ['refund.after-acquirer', [{ amount: 4000, refused: false }]],
  ] as const)('at %s leaves the refund to its case', async (at, estornos) => {
    const sale = await scene.soldByCard(10_000);
    scene.failpoints.crashAt(at);
    await expect(scene.refund(sale, { amount: 4000 })).rejects.toEqual(crash);
    expect(await scene.refunded(sale)).toMatchObject({ amount: 4000, status: 'refunding' });
    expect(await scene.estornosOf(sale)).toEqual(estornos);
    // The acquirer's deadline and 5 s: nobody else asks as long as the request may.
    expect((await dueIn(sale)).fromAsking).toBe(25);
    expect(await scene.settle(sale)).toEqual({ done: true });
    expect(await scene.eventsSince(sale)).toEqual(REFUND);
    expect(await scene.estornosOf(sale)).toEqual([{ amount: 4000, refused: false }]);
  });

  test('at refund.after-booking has refunded it', async () => {
    const sale = await scene.soldByCard(10_000);
    scene.failpoints.crashAt('refund.after-booking');
    await expect(scene.refund(sale, { amount: 4000 })).rejects.toEqual(crash);
    expect(await scene.refunded(sale)).toMatchObject({ amount: 4000, status: 'refunded' });
    expect(await scene.casesOf(sale.intent)).toEqual([]);
    expect(await scene.eventsSince(sale)).toEqual(REFUND);
  });

  test.each(['return.after-asking', 'return.after-booking'] as const)(
    'at %s of its case refunds it once',
    async (at) => {
      const sale = await unknownRefund('request_lost');
      scene.failpoints.crashAt(at);
      await expect(scene.settle(sale)).rejects.toThrow('crashed');
      expect(await scene.settle(sale)).toEqual({ done: true });
      expect(await scene.eventsSince(sale)).toEqual(REFUND);
      expect(await scene.estornosOf(sale)).toEqual([{ amount: 4000, refused: false }]);
    },
  );
});
