import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { discountedSubtotal, isCodeOf, refusedCoupon, refusedLines } from '../../server/coupons/rules.ts';
import { totalOf } from '../../server/invoices/rules.ts';
import { cents } from '../../server/kernel/money.ts';

const line = (price: string, product: string, amount: number) => ({ price, product, amount: cents(amount) });
const gold = line('price_gold', 'prod_plan', 9_990);
const silver = line('price_silver', 'prod_plan', 4_990);
const shirt = line('price_shirt', 'prod_shirt', 3_000);
const scope = (products: string[], prices: string[]) => ({ products, prices });

describe('the lines that a coupon applies to', () => {
  test.each([
    ['all of them', null, 17_980],
    ['those of a product', scope(['prod_plan'], []), 14_980],
    ['those of a price', scope([], ['price_silver']), 4_990],
    ['those of either, each once', scope(['prod_plan'], ['price_gold', 'price_shirt']), 17_980],
    ['none', scope(['prod_other'], []), 0],
  ])('%s', (_, applies, subtotal) => {
    expect(discountedSubtotal(applies, [gold, silver, shirt])).toBe(subtotal);
  });

  test('must be there, and come to the minimum before discounts', () => {
    const rules = { appliesTo: scope(['prod_shirt'], []), minimumAmount: 3_000 };
    expect(refusedLines(rules, [gold, shirt])).toBeNull();
    expect(refusedLines({ ...rules, minimumAmount: 3_001 }, [gold, shirt])).toMatch(/^minimum_amount: 3001 .* 3000$/);
    expect(refusedLines(rules, [gold])).toMatch(/^applies_to/);
  });
});

describe('a coupon', () => {
  test('can be redeemed while it is active, up to its last instant', () => {
    expect(refusedCoupon({ active: true, redeemBy: null }, 100)).toBeNull();
    expect(refusedCoupon({ active: true, redeemBy: 100 }, 100)).toBeNull();
    expect(refusedCoupon({ active: true, redeemBy: 99 }, 100)).toMatch(/^redeem_by/);
    expect(refusedCoupon({ active: false, redeemBy: null }, 100)).toMatch(/^active/);
  });

  test.each([
    ['anybody', { active: true }, 'cus_1', true],
    ['anybody whom nobody knows yet', { active: true }, null, true],
    ['its customer', { active: true, customerId: 'cus_1' }, 'cus_1', true],
    ['another customer', { active: true, customerId: 'cus_1' }, 'cus_2', false],
    ['somebody whom nobody knows yet, of one customer alone', { active: true, customerId: 'cus_1' }, null, false],
    ['anybody at its last instant', { active: true, expiresAt: 100 }, 'cus_1', true],
    ['anybody after it', { active: true, expiresAt: 99 }, 'cus_1', false],
    ['anybody, switched off', { active: false }, 'cus_1', false],
  ])('has a code for %s: as said', (_, code, customerId, isTheirs) => {
    expect(isCodeOf(code, { customerId, now: 100 })).toBe(isTheirs);
  });
});

describe('the total with a coupon', () => {
  const lines = [
    { price: 'price_gold', quantity: 1, unitAmount: 9_990 },
    { price: 'price_shirt', quantity: 2, unitAmount: 1_500 },
  ];
  const coupon = (prices: string[] | null) => ({ coupon: { prices } });

  test.each([
    ['a percentage of all lines', { type: 'percentage', percentage: 10, ...coupon(null) }, 12_990 - 1_299],
    ['a percentage of some lines', { type: 'percentage', percentage: 10, ...coupon(['price_shirt']) }, 12_990 - 300],
    ['a fixed amount', { type: 'fixed', amount_cents: 500, ...coupon(null) }, 12_490],
    ['as much of it as some lines come to', { type: 'fixed', amount_cents: 5_000, ...coupon(['price_shirt']) }, 9_990],
    ['as much of it as there is', { type: 'fixed', amount_cents: 99_999, ...coupon(null) }, 0],
  ] as const)('%s', (_, discount, total) => {
    expect(totalOf(lines, [discount], 'd')).toBe(total);
  });

  test('leaves the rest to the discounts behind it, which are counted without it', () => {
    const first = { type: 'percentage', percentage: 50, ...coupon(null) } as const;
    expect(totalOf(lines, [first, { type: 'percentage', percentage: 10 }], 'd')).toBe(6_495 - 650);
    expect(() => totalOf(lines, [first, { type: 'fixed', amount_cents: 6_496 }], 'd')).toThrow('d[0] takes 6496');
  });

  test('is never below zero, and never less than the lines it does not apply to', () => {
    const amounts = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.nat({ max: 999_999 })), {
      minLength: 1,
      maxLength: 9,
    });
    const discount = fc.oneof(
      fc.integer({ min: 1, max: 10_000 }).map((bp) => ({ type: 'percentage' as const, percentage: bp / 100 })),
      fc.integer({ min: 1, max: 9_999_999 }).map((amount_cents) => ({ type: 'fixed' as const, amount_cents })),
    );
    fc.assert(
      fc.property(amounts, discount, (drawn, terms) => {
        const bought = drawn.map(([price, unitAmount]) => ({ price, quantity: 1, unitAmount }));
        const rest = drawn.filter(([price]) => price === 'b').reduce((sum, [, amount]) => sum + amount, 0);
        expect(totalOf(bought, [{ ...terms, ...coupon(['a']) }], 'd')).toBeGreaterThanOrEqual(rest);
      }),
    );
  });
});
