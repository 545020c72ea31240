import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SubscriptionDiscountInput } from '../../../contract/subscription-discounts.ts';
import { BillingError } from '../../../server/kernel/errors.ts';
import { discountBill, refuseExcess, type SubscriptionDiscount } from '../../../server/subscriptions/discounts.ts';

const percent = (percentage: number, cycles: number | null = null): SubscriptionDiscount => ({
  type: 'percentage',
  percentage,
  amount: null,
  cycles,
});
const fixed = (amount: number, cycles: number | null = null): SubscriptionDiscount => ({
  type: 'fixed',
  percentage: null,
  amount,
  cycles,
});

const item = (unitAmount: number, { id = 'price_gold', productId = 'prod_plan' } = {}) => ({
  quantity: 1,
  price: { id, productId, unitAmount },
});
type Item = ReturnType<typeof item>;

const lineOf = ({ quantity, price: { id: price, unitAmount } }: Item) => ({
  ...{ price, quantity, unitAmount },
  kind: 'recurring' as const,
});

/** The n-th bill of one item. */
const billOf = (subtotal: number, discounts: readonly SubscriptionDiscount[], bill: number) =>
  discountBill([lineOf(item(subtotal))], { items: [item(subtotal)], discounts, bill });

/** What each discount of the n-th bill takes off, and what is left. */
function billed(subtotal: number, discounts: readonly SubscriptionDiscount[], n: number) {
  const { applied, total } = billOf(subtotal, discounts, n);
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
    expect(() => refuseExcess([item(1_000)], [percent(50), fixed(501), fixed(9_999)])).toThrow(
      expect.objectContaining({
        code: 'DISCOUNT_EXCEEDS_SUBTOTAL',
        param: 'subscription.discounts[1]',
        message: 'subscription.discounts[1] takes 501 cents off, 500 are left of the subtotal',
      }),
    );
  });
});

describe('the bill of a cycle with a coupon', () => {
  const gold = item(10_000);
  const extra = item(3_000, { id: 'price_extra', productId: 'prod_extra' });
  const setup = { price: 'price_setup', quantity: 1, unitAmount: 5_000, kind: 'setup' as const, invoiceItem: 'ii_1' };
  const proration = { ...setup, price: 'price_gold', unitAmount: 700, kind: 'proration' as const };
  const coupon = (
    terms: SubscriptionDiscount,
    applies: { products?: string[]; prices?: string[] } | null = null,
    ofSetup: string[] = [],
  ): SubscriptionDiscount => ({
    ...terms,
    ...{ redemption: 'rdm_1', coupon: 'cpn_1', promotion_code: null, description: 'Dez', setup: ofSetup },
    applies_to: applies === null ? null : { products: [], prices: [], ...applies },
  });
  const all = [lineOf(gold), lineOf(extra), setup, proration];
  const decided = (discounts: readonly SubscriptionDiscount[], bill = 1) => {
    const { applied, net, total } = discountBill(all, { items: [gold, extra], discounts, bill });
    return { off: applied.map(({ off }) => off), net, waited: total - net };
  };

  test.each([
    ['all that recurs', coupon(percent(10)), [1_300], 11_700, 5_700],
    ['a product alone', coupon(percent(10), { products: ['prod_extra'] }), [300], 12_700, 5_700],
    ['a price alone', coupon(percent(10), { prices: ['price_gold'] }), [1_000], 12_000, 5_700],
    ['cents up to what a product comes to', coupon(fixed(4_000), { products: ['prod_extra'] }), [3_000], 10_000, 5_700],
    ['nothing that it applies to', coupon(percent(10), { products: ['prod_other'] }), [0], 13_000, 5_700],
    [
      'a setup fee that it names',
      coupon(percent(10), { prices: ['price_setup'] }, ['price_setup']),
      [500],
      13_000,
      5_200,
    ],
    [
      'a setup fee beside an item',
      coupon(fixed(12_000), { prices: ['price_gold', 'price_setup'] }, ['price_setup']),
      [12_000],
      3_000,
      3_700,
    ],
  ])('takes something off %s', (_, discount, off, net, waited) => {
    expect(decided([discount])).toEqual({ off, net, waited });
  });

  test('leaves the rest of what recurs to the discounts behind it', () => {
    const first = coupon(percent(50), { products: ['prod_extra'] });
    expect(decided([first, percent(10), fixed(99_999)])).toEqual({
      off: [1_500, 1_150, 10_350],
      net: 0,
      waited: 5_700,
    });
  });

  test('is without it once it has lasted', () => {
    expect(decided([coupon(percent(10, 2))], 2).off).toEqual([1_300]);
    expect(decided([coupon(percent(10, 2))], 3)).toEqual({ off: [], net: 13_000, waited: 5_700 });
  });

  test('takes no more than there is without a refusal, but leaves the others no more than that', () => {
    expect(() => refuseExcess([gold], [coupon(fixed(99_999))])).not.toThrow();
    expect(() => refuseExcess([gold], [coupon(fixed(9_000)), fixed(1_001)])).toThrow(
      'subscription.discounts[0] takes 1001 cents off, 1000 are left',
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
        const { applied, total } = billOf(subtotal, list, n);
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
        const later = billOf(subtotal, lasting, 2);
        const isClamped = later.applied.some(
          (one) => one.discount.type === 'fixed' && one.off < (one.discount.amount ?? 0),
        );
        const refuse = () => refuseExcess([item(subtotal)], lasting);
        if (isClamped) expect(refuse).toThrow(BillingError);
        else expect(refuse).not.toThrow();
        expect(billOf(subtotal, lasting, 1)).toEqual(later);
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
