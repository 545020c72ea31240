import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SubscriptionDiscountInput } from '../../../contract/subscription-discounts.ts';
import { BillingError } from '../../../server/kernel/errors.ts';
import { cents } from '../../../server/kernel/money.ts';
import { billOf, type CycleDiscount, refuseExcess } from '../../../server/subscriptions/rules.ts';

const percent = (percentage: number, cycles: number | null = null): CycleDiscount => ({
  type: 'percentage',
  percentage,
  amount: null,
  cycles,
});
const fixed = (amount: number, cycles: number | null = null): CycleDiscount => ({
  type: 'fixed',
  percentage: null,
  amount,
  cycles,
});

/** What each discount of the n-th bill takes off, and what is left. */
function billed(subtotal: number, discounts: readonly CycleDiscount[], n: number) {
  const { applied, total } = billOf(cents(subtotal), discounts, n);
  return { off: applied.map(({ off }) => off), total };
}

describe('the bill of a cycle', () => {
  test.each([
    { why: 'nothing off', subtotal: 9_990, discounts: [], n: 1, off: [], total: 9_990 },
    { why: 'half a cent rounds up', subtotal: 5, discounts: [percent(10)], n: 1, off: [1], total: 4 },
    { why: 'two decimals', subtotal: 9_990, discounts: [percent(33.33)], n: 1, off: [3_330], total: 6_660 },
    { why: 'a fixed one', subtotal: 9_990, discounts: [fixed(500)], n: 1, off: [500], total: 9_490 },
    {
      why: 'in order: percent of the whole, then cents',
      subtotal: 10_000,
      discounts: [percent(50), fixed(1_000)],
      n: 1,
      off: [5_000, 1_000],
      total: 4_000,
    },
    {
      why: 'in order: cents, then percent of the rest',
      subtotal: 10_000,
      discounts: [fixed(1_000), percent(50)],
      n: 1,
      off: [1_000, 4_500],
      total: 4_500,
    },
    { why: 'all of it', subtotal: 9_990, discounts: [percent(100)], n: 1, off: [9_990], total: 0 },
    { why: 'all of it in cents', subtotal: 9_990, discounts: [fixed(9_990)], n: 1, off: [9_990], total: 0 },
    { why: 'in its last cycle', subtotal: 1_000, discounts: [percent(10, 3)], n: 3, off: [100], total: 900 },
    { why: 'after its last cycle', subtotal: 1_000, discounts: [percent(10, 3)], n: 4, off: [], total: 1_000 },
    {
      why: 'one that is over makes room for the next',
      subtotal: 1_000,
      discounts: [percent(50, 1), fixed(200)],
      n: 2,
      off: [200],
      total: 800,
    },
    { why: 'for ever', subtotal: 1_000, discounts: [fixed(1)], n: 9_999, off: [1], total: 999 },
    { why: 'clamped later', subtotal: 300, discounts: [fixed(500)], n: 2, off: [300], total: 0 },
    { why: 'nothing left later', subtotal: 300, discounts: [fixed(300), fixed(1)], n: 2, off: [300, 0], total: 0 },
    { why: 'of nothing', subtotal: 0, discounts: [percent(50)], n: 1, off: [0], total: 0 },
  ])('$why: $subtotal in bill $n is $total', ({ subtotal, discounts, n, off, total }) => {
    expect(billed(subtotal, discounts, n)).toEqual({ off, total });
  });

  test('names the first discount that takes more than the first bill has', () => {
    expect(() => refuseExcess(cents(1_000), [percent(50), fixed(501), fixed(9_999)])).toThrow(
      expect.objectContaining({
        code: 'DISCOUNT_EXCEEDS_SUBTOTAL',
        param: 'subscription.discounts[1]',
        message: 'subscription.discounts[1] takes 501 cents off, 500 are left of the subtotal',
      }),
    );
  });
});

const cycles = fc.option(fc.integer({ min: 1, max: 5 }), { nil: null });
const percentage = fc.integer({ min: 1, max: 10_000 }).map((points) => points / 100);
const discount = fc.oneof(
  fc.record({ type: fc.constant('percentage' as const), percentage, amount: fc.constant(null), cycles }),
  fc.record({
    type: fc.constant('fixed' as const),
    percentage: fc.constant(null),
    amount: fc.integer({ min: 1, max: 1_000_000 }),
    cycles,
  }),
);
const discounts = fc.array(discount, { maxLength: 10 });
const subtotals = fc.integer({ min: 0, max: 999 * 999_999 });

describe('any bill', () => {
  test('is its subtotal less what each discount takes, none of them negative', () => {
    fc.assert(
      fc.property(subtotals, discounts, fc.integer({ min: 2, max: 7 }), (subtotal, list, n) => {
        const { applied, total } = billOf(cents(subtotal), list, n);
        const off = applied.reduce((sum, one) => sum + one.off, 0);
        expect(total + off).toBe(subtotal);
        expect(total).toBeGreaterThanOrEqual(0);
        for (const one of applied) expect(one.off).toBeGreaterThanOrEqual(0);
        expect(applied.map((one) => one.discount)).toEqual(list.filter((one) => n <= (one.cycles ?? n)));
      }),
      { numRuns: 2_000 },
    );
  });

  test('is refused for a new subscription where a discount is clamped, and only there', () => {
    fc.assert(
      fc.property(subtotals, discounts, (subtotal, list) => {
        const lasting = list.map((one) => ({ ...one, cycles: null }));
        const later = billOf(cents(subtotal), lasting, 2);
        const isClamped = later.applied.some(
          (one) => one.discount.type === 'fixed' && one.off < (one.discount.amount ?? 0),
        );
        const refuse = () => refuseExcess(cents(subtotal), lasting);
        if (isClamped) expect(refuse).toThrow(BillingError);
        else expect(refuse).not.toThrow();
        expect(billOf(cents(subtotal), lasting, 1)).toEqual(later);
      }),
      { numRuns: 2_000 },
    );
  });

  test('can be made of every percentage that the contract takes', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 100, noNaN: true }), fc.integer({ min: 1, max: 10_000 }), (any, points) => {
        for (const value of [any, points / 100, Number(any.toFixed(2))]) {
          const { success } = SubscriptionDiscountInput.safeParse({ type: 'percentage', percentage: value });
          if (success) expect(billed(10_000, [percent(value)], 1).total).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});
