import { describe, expect, test } from 'vitest';
import { unique } from '../../../support/factories.ts';
import { type RawAnswer, refusalOf } from '../../requests.ts';
import { part, RefundScene, refundOf, type Sale } from './refund-scene.ts';

const scene = new RefundScene();

const newKey = (): string => `refund-${unique()}`;
const isReplayed = ({ headers }: RawAnswer): boolean => headers.get('Idempotent-Replayed') === 'true';
const asked = ({ intent }: Sale, amount = 4000) => ({ payment_intent: intent, amount });
const codeOf = (answer: RawAnswer): unknown => [answer.status, refusalOf(answer).code];

describe('a keyed refund of a card', () => {
  test('that was made is answered again as it was, and made once', async () => {
    const sale = await scene.soldByCard();
    const key = newKey();
    const first = await scene.sendRefund(asked(sale), key);
    const made = refundOf(sale, [part(4000, scene.now)]);
    expect([first.status, isReplayed(first), first.body]).toEqual([201, false, made]);
    await scene.refund(sale, { amount: 1000 });
    const repeated = await scene.sendRefund(asked(sale), key);
    expect([repeated.status, isReplayed(repeated), repeated.body]).toEqual([201, true, made]);
    expect(await scene.partsOf(sale)).toHaveLength(2);
  });

  test('without the key is another refund', async () => {
    const sale = await scene.soldByCard();
    await scene.sendRefund(asked(sale));
    await scene.sendRefund(asked(sale));
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 8000 });
  });

  test('of unknown outcome asks nothing anew until the outcome is known, and is then answered it', async () => {
    const sale = await scene.soldByCard();
    const key = newKey();
    scene.bank.meets('refundCard', 'answer_lost');
    const first = await scene.sendRefund(asked(sale), key);
    scene.bank.recovers();
    const second = await scene.sendRefund(asked(sale), key);
    expect([first, second].map(codeOf)).toEqual([
      [504, 'ACQUIRER_TIMEOUT'],
      [504, 'ACQUIRER_TIMEOUT'],
    ]);
    expect(scene.bank.calls).toEqual([]);
    expect(await scene.settle(sale)).toEqual({ done: true });
    for (const repeat of [1, 2]) {
      const known = await scene.sendRefund(asked(sale), key);
      expect([repeat, known.status, isReplayed(known)]).toEqual([repeat, 201, true]);
      expect(known.body).toEqual(refundOf(sale, [part(4000, scene.now)]));
    }
    expect(await scene.partsOf(sale)).toEqual([{ amount: 4000, status: 'refunded', requests: 1 }]);
    expect(await scene.eventsSince(sale)).toEqual(['refund.created', 'refund.updated', 'invoice.refunded']);
  });

  test('of unknown outcome is answered its own part, whatever else was refunded meanwhile', async () => {
    const sale = await scene.soldByCard();
    const key = newKey();
    scene.bank.meets('refundCard', 'request_lost');
    await scene.sendRefund(asked(sale), key);
    scene.bank.recovers();
    const { now } = scene;
    scene.api.clock.advance(60);
    await scene.refund(sale, { amount: 1000 });
    await scene.settle(sale);
    const { body } = await scene.sendRefund(asked(sale), key);
    expect(body).toEqual({ ...refundOf(sale, [part(4000, now), part(1000, now + 60)]), amount: 4000 });
  });

  test('of unknown outcome that the acquirer refused is refused, and asked for no more under the key', async () => {
    const sale = await scene.soldByCard();
    const key = newKey();
    await scene.whileRefusing(() => scene.sendRefund(asked(sale), key), 'answer_lost');
    await scene.settle(sale);
    const repeats = [await scene.sendRefund(asked(sale), key), await scene.sendRefund(asked(sale), key)];
    expect(repeats.map(codeOf)).toEqual([
      [422, 'REFUND_REFUSED'],
      [422, 'REFUND_REFUSED'],
    ]);
    expect(await scene.partsOf(sale)).toEqual([{ amount: 4000, status: 'failed', requests: 1 }]);
  });

  test('that the acquirer refused at once leaves the key free', async () => {
    const sale = await scene.soldByCard();
    const key = newKey();
    const refused = await scene.whileRefusing(() => scene.sendRefund(asked(sale), key));
    expect(codeOf(refused)).toEqual([422, 'REFUND_REFUSED']);
    const repeated = await scene.sendRefund(asked(sale), key);
    expect([repeated.status, isReplayed(repeated)]).toEqual([201, false]);
    expect(await scene.partsOf(sale)).toEqual([
      { amount: 4000, status: 'failed', requests: 1 },
      { amount: 4000, status: 'refunded', requests: 1 },
    ]);
  });

  test('is refused for another amount under the key', async () => {
    const sale = await scene.soldByCard();
    const key = newKey();
    await scene.sendRefund(asked(sale), key);
    expect(codeOf(await scene.sendRefund(asked(sale, 1), key))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  test('is in use while it runs', async () => {
    const sale = await scene.soldByCard();
    const key = newKey();
    let meanwhile: RawAnswer | undefined;
    scene.failpoints.meanwhile('refund.after-asking', async () => {
      meanwhile = await scene.sendRefund(asked(sale), key);
    });
    expect(await scene.sendRefund(asked(sale), key)).toMatchObject({ status: 201 });
    expect(meanwhile && codeOf(meanwhile)).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE']);
    expect(await scene.partsOf(sale)).toHaveLength(1);
  });

  test.each(['refund.after-asking', 'refund.after-acquirer'] as const)(
    'whose process ends at %s is never made twice',
    async (at) => {
      const sale = await scene.soldByCard();
      const key = newKey();
      scene.failpoints.crashAt(at);
      const crashed = await scene.sendRefund(asked(sale), key);
      expect(crashed.status).toBe(500);
      expect(codeOf(await scene.sendRefund(asked(sale), key))).toEqual([504, 'ACQUIRER_TIMEOUT']);
      await scene.settle(sale);
      const known = await scene.sendRefund(asked(sale), key);
      expect([known.status, isReplayed(known), known.body]).toEqual([
        201,
        true,
        refundOf(sale, [part(4000, scene.now)]),
      ]);
      expect(await scene.estornosOf(sale)).toEqual([{ amount: 4000, refused: false }]);
    },
  );

  test('whose process ends at refund.after-booking is answered what it made', async () => {
    const sale = await scene.soldByCard();
    const key = newKey();
    scene.failpoints.crashAt('refund.after-booking');
    expect((await scene.sendRefund(asked(sale), key)).status).toBe(500);
    const repeated = await scene.sendRefund(asked(sale), key);
    expect([repeated.status, isReplayed(repeated)]).toEqual([201, true]);
    expect(await scene.partsOf(sale)).toHaveLength(1);
  });

  test('thirty times at once under one key is made once', async () => {
    const sale = await scene.soldByCard();
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 30 }, () => scene.sendRefund(asked(sale), key)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(await scene.standing(sale)).toEqual({ status: 'paid', amount_refunded: 4000 });
  });
});

describe('a keyed refund of a PIX', () => {
  test('is answered again as it was asked, however it stands by then', async () => {
    const sale = await scene.soldByPix();
    const key = newKey();
    const first = await scene.sendRefund(asked(sale), key);
    expect(first.status).toBe(201);
    await scene.settleAtBank(sale);
    const repeated = await scene.sendRefund(asked(sale), key);
    expect([repeated.status, isReplayed(repeated), repeated.body]).toEqual([201, true, first.body]);
    expect(await scene.partsOf(sale)).toEqual([{ amount: 4000, status: 'refunded', requests: 1 }]);
  });

  test('whose process ends after it was asked for is asked for once', async () => {
    const sale = await scene.soldByPix();
    const key = newKey();
    scene.failpoints.crashAt('refund.after-asking');
    expect((await scene.sendRefund(asked(sale), key)).status).toBe(500);
    const repeated = await scene.sendRefund(asked(sale), key);
    expect([repeated.status, isReplayed(repeated)]).toEqual([201, true]);
    expect(repeated.body).toEqual(refundOf(sale, [part(4000, scene.now, { status: 'refunding' })]));
    expect(await scene.partsOf(sale)).toHaveLength(1);
    await scene.settleAtBank(sale);
  });

  test('that is refused leaves the key free', async () => {
    const sale = await scene.soldByPix();
    const key = newKey();
    expect(codeOf(await scene.sendRefund(asked(sale, 10_001), key))).toEqual([422, 'REFUND_EXCEEDS_BALANCE']);
    expect(await scene.sendRefund(asked(sale, 10_000), key)).toMatchObject({ status: 201 });
    await scene.settleAtBank(sale);
  });
});
