import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InvoiceStatus } from '../../contract/invoices.ts';
import type { DiscountInput } from '../../contract/lines.ts';
import {
  type InvoiceAction,
  invoiceMoves,
  nextInvoiceStatus,
  subtotalOf,
  totalOf,
} from '../../server/invoices/rules.ts';
import { BillingError } from '../../server/kernel/errors.ts';

const line = fc.record({
  quantity: fc.integer({ min: 1, max: 999 }),
  unitAmount: fc.integer({ min: 0, max: 999_999 }),
});
const lines = fc.array(line, { minLength: 1, maxLength: 100 });
const percentage = fc.integer({ min: 1, max: 10_000 }).map((points) => points / 100);
const percentageDiscount = percentage.map((value): DiscountInput => ({ type: 'percentage', percentage: value }));
const fixedDiscount = fc
  .integer({ min: 1, max: 1_000_000 })
  .map((value): DiscountInput => ({ type: 'fixed', amount_cents: value }));
const discounts = fc.array(fc.oneof(percentageDiscount, fixedDiscount), { maxLength: 10 });

const oneLine = (unitAmount: number) => [{ quantity: 1, unitAmount }];

/** The same rule in exact rational arithmetic: half up to the cent, discount after discount. */
function referenceTotal(subtotal: number, applied: readonly DiscountInput[]): bigint | null {
  let running = BigInt(subtotal);
  for (const discount of applied) {
    const off =
      discount.type === 'fixed'
        ? BigInt(discount.amount_cents)
        : (running * BigInt(Math.round(discount.percentage * 100)) * 2n + 10_000n) / 20_000n;
    if (off > running) return null;
    running -= off;
  }
  return running;
}

describe('the total of an invoice', () => {
  test('is what exact arithmetic gives, for any lines and discounts', () => {
    fc.assert(
      fc.property(lines, discounts, (items, applied) => {
        const expected = referenceTotal(subtotalOf(items), applied);
        if (expected === null) expect(() => totalOf(items, applied, 'd')).toThrow(BillingError);
        else expect(BigInt(totalOf(items, applied, 'd'))).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test('never leaves zero to the subtotal', () => {
    fc.assert(
      fc.property(lines, fc.array(percentageDiscount, { maxLength: 10 }), (items, applied) => {
        const total = totalOf(items, applied, 'd');
        expect(total).toBeGreaterThanOrEqual(0);
        expect(total).toBeLessThanOrEqual(subtotalOf(items));
      }),
    );
  });

  test.each([
    { subtotal: 1000, applied: [{ type: 'percentage', percentage: 10 }], total: 900 },
    { subtotal: 5, applied: [{ type: 'percentage', percentage: 10 }], total: 4 }, // 0.5 rounds up
    { subtotal: 999, applied: [{ type: 'percentage', percentage: 12.34 }], total: 876 },
    { subtotal: 1000, applied: [{ type: 'fixed', amount_cents: 1000 }], total: 0 },
    { subtotal: 1000, applied: [{ type: 'percentage', percentage: 100 }], total: 0 },
    {
      subtotal: 1000,
      applied: [
        { type: 'percentage', percentage: 50 },
        { type: 'fixed', amount_cents: 100 },
        { type: 'percentage', percentage: 50 },
      ],
      total: 200,
    },
  ] satisfies { subtotal: number; applied: DiscountInput[]; total: number }[])(
    'of $subtotal with $applied is $total',
    ({ subtotal, applied, total }) => {
      expect(totalOf(oneLine(subtotal), applied, 'd')).toBe(total);
    },
  );

  test('is refused when a discount takes more than is left, naming it', () => {
    const applied: DiscountInput[] = [
      { type: 'percentage', percentage: 50 },
      { type: 'fixed', amount_cents: 501 },
    ];
    expect(() => totalOf(oneLine(1000), applied, 'invoice.discounts')).toThrow(
      expect.objectContaining({ code: 'DISCOUNT_EXCEEDS_SUBTOTAL', param: 'invoice.discounts[1]' }),
    );
  });
});

describe('the moves of an invoice', () => {
  const statuses: InvoiceStatus[] = ['draft', 'open', 'paid', 'uncollectible', 'void'];
  const actions: InvoiceAction[] = ['finalize', 'pay', 'void', 'mark_uncollectible'];
  const allowed = new Map([
    ['draft finalize', 'open'],
    ['draft void', 'void'],
    ['open pay', 'paid'],
    ['open void', 'void'],
    ['open mark_uncollectible', 'uncollectible'],
    ['uncollectible pay', 'paid'],
    ['uncollectible void', 'void'],
  ]);

  test('are those of the table and no others', () => {
    for (const status of statuses) {
      for (const action of actions) {
        const expected = allowed.get(`${status} ${action}`);
        const move = () => nextInvoiceStatus({ id: 'in_1', status }, action);
        if (expected === undefined) expect(move).toThrow(expect.objectContaining({ code: 'INVALID_STATE' }));
        else expect(move()).toBe(expected);
      }
    }
    expect(Object.keys(invoiceMoves).sort()).toEqual([...statuses].sort());
  });
});
