import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cents } from '../../../server/kernel/money.ts';
import { part, restOf } from '../../../server/subscriptions/proration.ts';

const amounts = fc.integer({ min: 0, max: 10_000_000_000 }).map(cents);
const days = fc.integer({ min: 1, max: 1_200 });
/** A period, with days within it in their order. */
const cuts = days.chain((of) =>
  fc.tuple(
    fc.constant(of),
    fc.array(fc.integer({ min: 0, max: of }), { maxLength: 8 }).map((at) => at.toSorted((one, other) => one - other)),
  ),
);

describe('parts of an amount', () => {
  test('sum to it over any cut of its period, and none is negative', () => {
    fc.assert(
      fc.property(amounts, cuts, (amount, [of, at]) => {
        const bounds = [0, ...at, of];
        const parts = bounds.slice(1).map((to, index) => part(amount, { from: bounds[index] ?? 0, to, days: of }));
        expect(parts.reduce((sum, one) => sum + one, 0)).toBe(amount);
      }),
      { numRuns: 2_000 },
    );
  });

  test('are never further than half a cent from what the days come to', () => {
    fc.assert(
      fc.property(amounts, days, fc.nat(), (amount, of, n) => {
        const gone = n % (of + 1);
        const left = restOf(amount, { gone, days: of });
        expect(Math.abs(left - (amount * (of - gone)) / of)).toBeLessThanOrEqual(0.5 + 1e-3);
      }),
    );
  });

  test('of a chain of changes: what was charged less what was credited is what was consumed', () => {
    const chain = cuts.chain(([of, at]) =>
      fc.tuple(fc.constant(of), fc.constant([0, ...at]), fc.array(amounts, { minLength: 9, maxLength: 9 })),
    );
    fc.assert(
      fc.property(chain, ([of, at, nets]) => {
        const net = (index: number) => nets[index] ?? cents(0);
        let charged: number = net(0);
        for (const [index, gone] of at.entries())
          if (index > 0) charged += restOf(net(index), { gone, days: of }) - restOf(net(index - 1), { gone, days: of });
        const consumed = at.map((from, index) => part(net(index), { from, to: at[index + 1] ?? of, days: of }));
        expect(charged).toBe(consumed.reduce((sum, one) => sum + one, 0));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    [{ from: -1, to: 1, days: 2 }],
    [{ from: 1, to: 0, days: 2 }],
    [{ from: 0, to: 3, days: 2 }],
    [{ from: 0, to: 0, days: 0 }],
  ])('of days that are none of the period are refused: %j', (span) => {
    expect(() => part(cents(1), span)).toThrow(RangeError);
  });
});

/** Old net, new net, days of the period, days gone; the credit and the charge of a change then. Cents. */
const worked = [
  ['a month up on 10 February', 4_990, 9_990, 28, 10, 3_208, 6_422],
  ['and back on 20 February', 9_990, 4_990, 28, 20, 2_854, 1_426],
  ['a month of 31 days', 4_990, 9_990, 31, 1, 4_829, 9_668],
  ['three seats to five', 8_970, 14_950, 30, 15, 4_485, 7_475],
  ['a year', 119_880, 239_880, 366, 108, 84_506, 169_096],
  ['under a discount of half', 2_495, 4_995, 31, 15, 1_288, 2_578],
  ['under two discounts', 2_691, 7_191, 31, 15, 1_389, 3_711],
  ['behind a discount', 4_990, 9_990, 31, 15, 2_575, 5_156],
  ['a month down', 9_990, 4_990, 28, 10, 6_422, 3_208],
  ['on the first day', 4_990, 9_990, 28, 0, 4_990, 9_990],
  ['on the date it ends', 4_990, 9_990, 28, 28, 0, 0],
] as const;

test.each(worked)('a change credits and charges what is left: %s', (_, before, after, of, gone, credit, charge) => {
  expect(restOf(cents(before), { gone, days: of })).toBe(credit);
  expect(restOf(cents(after), { gone, days: of })).toBe(charge);
});
