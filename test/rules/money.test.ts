import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cents, isExactPercentage, percentOfHalfUp, split } from '../../server/kernel/money.ts';

const amount = fc.maxSafeNat().map(cents);
const basisPoints = fc.integer({ min: 0, max: 10_000 });

describe('an amount of cents', () => {
  test('is any whole number from 0 to the largest safe integer', () => {
    fc.assert(fc.property(fc.maxSafeNat(), (n) => cents(n) === n));
  });

  test.each([-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, -0.1])('is never %s', (value) => {
    expect(() => cents(value)).toThrow(RangeError);
  });

  test('has only one zero', () => {
    expect(Object.is(cents(-0), 0)).toBe(true);
  });
});

describe('a percentage of an amount', () => {
  test.each([
    [9_990, 10, 999],
    [5, 10, 1], // 0.5 rounds up
    [15, 10, 2],
    [4, 10, 0],
    [100, 12.34, 12],
    [10_000, 12.34, 1_234],
    [1_000_000, 0.07, 700], // 0.07 × 100 is 7.000000000000001 in doubles
    [1, 50, 1],
    [1, 49.99, 0],
    [999_999, 100, 999_999],
    [999_999, 0, 0],
  ])('of %i at %d %% is %i', (total, percentage, expected) => {
    expect(percentOfHalfUp(cents(total), percentage)).toBe(expected);
  });

  test('equals the exact quotient rounded half up, for every amount and every two-decimal percentage', () => {
    fc.assert(
      fc.property(amount, basisPoints, (total, bp) => {
        const exact = (BigInt(total) * BigInt(bp) * 2n + 10_000n) / 20_000n;
        expect(BigInt(percentOfHalfUp(total, bp / 100))).toBe(exact);
      }),
      { numRuns: 2_000 },
    );
  });

  test('reads the percentage as JSON carries it', () => {
    fc.assert(
      fc.property(basisPoints, (bp) => {
        const text = `${Math.floor(bp / 100)}.${String(bp % 100).padStart(2, '0')}`;
        expect(percentOfHalfUp(cents(10_000), JSON.parse(text.replace(/\.?0+$/, '') || '0'))).toBe(bp);
      }),
    );
  });

  test.each([
    12.345,
    0.001,
    33.333333,
    12.340000000000002,
    -1,
    -0.01,
    100.01,
    101,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])('refuses %d, which is not 0 to 100 with two decimals', (percentage) => {
    expect(isExactPercentage(percentage)).toBe(false);
    expect(() => percentOfHalfUp(cents(100), percentage)).toThrow(/at most two decimals/);
  });
});

describe('a split amount', () => {
  test('has parts that sum to the whole, fall by at most one cent and carry the odd cents first', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 1_000 }), (total, parts) => {
        const shares = split(total, parts);
        expect(shares).toHaveLength(parts);
        expect(shares.reduce((sum, share) => sum + BigInt(share), 0n)).toBe(BigInt(total));
        expect(shares).toEqual([...shares].sort((a, b) => b - a));
        expect((shares[0] ?? 0) - (shares.at(-1) ?? 0)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test.each([0, -1, 1.5, 1_001, Number.NaN])('never has %s parts', (parts) => {
    expect(() => split(cents(100), parts)).toThrow(RangeError);
  });
});
