import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { paymentIntentStatuses } from '../../../contract/payments.ts';
import { isCardExpired } from '../../../server/kernel/brazil.ts';
import { nextChargeLook, PIX_REFUND_WINDOW, refundAmount } from '../../../server/payments/rules.ts';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

const at = (instant: string): number => Date.parse(instant) / 1_000;

describe('a card', () => {
  test.each([
    ['in its month', 7, 2027, '2027-07-15T12:00:00-03:00', false],
    ['in the first second of its month', 7, 2027, '2027-07-01T00:00:00-03:00', false],
    ['in the last second of its month', 7, 2027, '2027-07-31T23:59:59-03:00', false],
    ['one second later', 7, 2027, '2027-08-01T00:00:00-03:00', true],
    ['while its month is over in UTC alone', 7, 2027, '2027-08-01T02:59:59Z', false],
    ['when its month is over in São Paulo too', 7, 2027, '2027-08-01T03:00:00Z', true],
    ['at the end of a year', 12, 2027, '2027-12-31T23:59:59-03:00', false],
    ['at the beginning of the next year', 12, 2027, '2028-01-01T00:00:00-03:00', true],
    ['on the 29th of a February', 2, 2028, '2028-02-29T23:59:59-03:00', false],
    ['after a February', 2, 2028, '2028-03-01T00:00:00-03:00', true],
    ['a month before', 7, 2027, '2027-06-30T12:00:00-03:00', false],
    ['a year later in an earlier month', 7, 2027, '2028-01-15T12:00:00-03:00', true],
    ['a year before in a later month', 1, 2028, '2027-12-15T12:00:00-03:00', false],
  ])('%s: %i/%i at %s', (_, expMonth, expYear, now, isExpired) => {
    expect(isCardExpired({ expMonth, expYear }, at(now))).toBe(isExpired);
  });

  test('expires once and for ever', () => {
    const month = fc.record({
      expMonth: fc.integer({ min: 1, max: 12 }),
      expYear: fc.integer({ min: 2024, max: 2099 }),
    });
    const instants = fc.tuple(
      fc.integer({ min: at('2024-01-01T00:00:00Z'), max: at('2100-12-31T00:00:00Z') }),
      fc.nat(),
    );
    fc.assert(
      fc.property(month, instants, (card, [now, later]) => {
        if (isCardExpired(card, now)) expect(isCardExpired(card, now + later)).toBe(true);
      }),
    );
  });
});

describe('a charge of unknown outcome', () => {
  test.each([
    ['at once', 0, 2],
    ['after the first look', 2, 3],
    ['a little after it', 2.5, 2.5],
    ['after the second', 5, 10],
    ['after the third', 15, 45],
    ['after the fourth', MINUTE, 4 * MINUTE],
    ['after the fifth', 5 * MINUTE, 10 * MINUTE],
    ['after the sixth', 15 * MINUTE, HOUR],
    ['a quarter of an hour later', 30 * MINUTE, 45 * MINUTE],
    ['after the first hourly one', 15 * MINUTE + HOUR, HOUR],
    ['after a day', DAY, 15 * MINUTE],
    ['after many days', 30 * DAY + 15 * MINUTE, HOUR],
  ])('is looked at, %s (%d s), after %d s', (_, unknownSeconds, expected) => {
    expect(nextChargeLook(unknownSeconds)).toBe(expected);
  });

  test('is looked at 2 s, 5 s, 15 s, 1 m, 5 m and 15 m after it is unknown, then hourly', () => {
    const looks: number[] = [];
    for (let at = 0; looks.length < 9; looks.push(at)) at += nextChargeLook(at);
    expect(looks).toEqual([2, 5, 15, 60, 300, 900, 900 + HOUR, 900 + 2 * HOUR, 900 + 3 * HOUR]);
  });

  test('is always looked at again, within the hour', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 365 * DAY, noNaN: true }), (unknownSeconds) => {
        const look = nextChargeLook(unknownSeconds);
        expect(look).toBeGreaterThan(0);
        expect(look).toBeLessThanOrEqual(HOUR);
      }),
    );
  });
});

describe('a refund', () => {
  const NOW = at('2027-07-15T12:00:00-03:00');
  const card = {
    id: 'pi_1',
    status: 'paid',
    surplus: false,
    amount: 9_990,
    amountDisputed: 0,
    paymentMethodType: 'card',
    paidAt: NOW,
  } as const;
  const pix = { ...card, paymentMethodType: 'pix' } as const;
  const ask = (asked: number | undefined, promised = 0, expectedRemaining?: number) => ({
    asked,
    promised,
    expectedRemaining,
    now: NOW,
  });

  test.each([
    ['of nothing named is of all', undefined, 0, 9_990],
    ['of nothing named is of all that is left', undefined, 4_000, 5_990],
    ['of all', 9_990, 0, 9_990],
    ['of a cent', 1, 0, 1],
    ['of all that is left', 5_990, 4_000, 5_990],
    ['of the last cent', undefined, 9_989, 1],
  ])('%s', (_, asked, standing, expected) => {
    expect(refundAmount(card, ask(asked, standing))).toBe(expected);
    expect(refundAmount({ ...pix, status: 'refunding' }, ask(asked, standing))).toBe(expected);
  });

  test.each([
    ['of more than was paid', 9_991, 0, 'at most 9990, what is left of pi_1, got 9991'],
    ['of more than is left', 5_991, 4_000, 'at most 5990, what is left of pi_1, got 5991'],
    ['when nothing is left', 1, 9_990, 'at most 0, what is left of pi_1, got 1'],
    ['of all that is left, which is nothing', undefined, 9_990, 'at most 0, what is left of pi_1'],
  ])('%s is refused', (_, asked, standing, message) => {
    const refused = {
      code: 'REFUND_EXCEEDS_BALANCE',
      param: 'refund.amount',
      message: expect.stringMatching(`${message}$`),
    };
    expect(() => refundAmount(card, ask(asked, standing))).toThrow(expect.objectContaining(refused));
  });

  test.each([
    ['paid', 0, 0, 9_990],
    ['paid', 4_000, 0, 5_990],
    ['refunding', 4_000, 3_000, 2_990],
    ['refunded', 9_990, 0, 0],
  ] as const)(
    'of a charge that is %s with %i returned and %i disputed is made only where as much is left as its caller saw',
    (status, standing, amountDisputed, left) => {
      const intent = { ...card, status, amountDisputed };
      if (left > 0) expect(refundAmount(intent, ask(1, standing, left))).toBe(1);
      for (const seen of [left - 1, left + 1, 9_991])
        expect(() => refundAmount(intent, ask(1, standing, seen))).toThrow(
          expect.objectContaining({
            code: 'REMAINING_CHANGED',
            param: 'refund.expected_remaining',
            message: expect.stringContaining(`is ${seen}, and ${left} is left of pi_1`),
          }),
        );
    },
  );

  test('leaves what the bank took back by itself, and is refused when that is more than there is', () => {
    const disputed = { ...pix, amountDisputed: 3_000 };
    expect(refundAmount(disputed, ask(undefined, 4_000))).toBe(2_990);
    for (const standing of [6_990, 9_000])
      expect(() => refundAmount(disputed, ask(1, standing))).toThrow(
        expect.objectContaining({
          code: 'REFUND_EXCEEDS_BALANCE',
          message: 'refund.amount must be at most 0, what is left of pi_1, got 1',
        }),
      );
  });

  test.each(paymentIntentStatuses.filter((status) => status !== 'paid' && status !== 'refunding'))(
    'of a charge that is %s is refused',
    (status) => {
      const refused = { code: 'INVALID_STATE', message: expect.stringContaining(`is ${status}`) };
      expect(() => refundAmount({ ...card, status }, ask(1))).toThrow(expect.objectContaining(refused));
    },
  );

  test('of a surplus is refused: it goes back by itself', () => {
    for (const status of paymentIntentStatuses) {
      expect(() => refundAmount({ ...pix, status, surplus: true }, ask(1))).toThrow(
        expect.objectContaining({ code: 'INVALID_STATE', message: expect.stringContaining('surplus') }),
      );
    }
  });

  test('of a PIX may be asked for 90 days, to the second; of a card at any time', () => {
    const end = NOW + PIX_REFUND_WINDOW;
    expect(PIX_REFUND_WINDOW).toBe(90 * DAY);
    expect(refundAmount(pix, { ...ask(1), now: end })).toBe(1);
    expect(refundAmount(card, { ...ask(1), now: end + 10 * 365 * DAY })).toBe(1);
    expect(() => refundAmount(pix, { ...ask(1), now: end + 1 })).toThrow(
      expect.objectContaining({ code: 'REFUND_WINDOW_CLOSED', param: 'refund.payment_intent' }),
    );
  });

  test('after refund never comes to more than was paid, and leaves what the others may ask for', () => {
    const asks = fc.array(fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 15_000 }), asks, (amount, wanted) => {
        let standing = 0;
        for (const asked of wanted) {
          const left = amount - standing;
          const isLeft = left > 0 && (asked ?? left) <= left;
          const refund = () => refundAmount({ ...card, amount }, ask(asked, standing));
          if (isLeft) standing += refund();
          else expect(refund).toThrow(expect.objectContaining({ code: 'REFUND_EXCEEDS_BALANCE' }));
          expect(standing).toBeLessThanOrEqual(amount);
        }
      }),
    );
  });
});
