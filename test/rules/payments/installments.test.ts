import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type InstallmentTerms, installmentsAllowed, installmentsByTerms } from '../../../server/catalog/rules.ts';
import { type Cents, cents } from '../../../server/kernel/money.ts';

const enough = cents(999_999);
const oneTime: InstallmentTerms = { cardInstallmentsEnabled: true, maxCardInstallments: 12, recurrence: null };
const every = (intervalCount: number, interval: 'day' | 'week' | 'month'): InstallmentTerms => ({
  ...oneTime,
  recurrence: { interval, intervalCount },
});

describe('installments of a price', () => {
  test.each<[string, InstallmentTerms, number, number]>([
    ['a one-time price may allow twelve', oneTime, 999_999, 12],
    ['its own maximum holds', { ...oneTime, maxCardInstallments: 6 }, 999_999, 6],
    ['disabled means one', { ...oneTime, cardInstallmentsEnabled: false }, 999_999, 1],
    ['a day allows none', every(1, 'day'), 999_999, 1],
    ['many days allow none', every(365, 'day'), 999_999, 1],
    ['a week allows none', every(1, 'week'), 999_999, 1],
    ['many weeks allow none', every(52, 'week'), 999_999, 1],
    ['one month allows none', every(1, 'month'), 999_999, 1],
    ['two months allow two', every(2, 'month'), 999_999, 2],
    ['eleven months allow eleven', every(11, 'month'), 999_999, 11],
    ['twelve months allow twelve', every(12, 'month'), 999_999, 12],
    ['three years allow twelve', every(36, 'month'), 999_999, 12],
    ['the smaller of recurrence and maximum holds', { ...every(6, 'month'), maxCardInstallments: 3 }, 999_999, 3],
    ['nothing to pay is paid in one', oneTime, 0, 1],
    ['below R$ 5,00 there is one', oneTime, 499, 1],
    ['R$ 5,00 is one', oneTime, 500, 1],
    ['R$ 9,99 is one', oneTime, 999, 1],
    ['R$ 10,00 is two', oneTime, 1_000, 2],
    ['R$ 59,99 is eleven', oneTime, 5_999, 11],
    ['R$ 60,00 is twelve', oneTime, 6_000, 12],
    ['an invoice of many units is split by its total', every(2, 'month'), 99_999_900, 2],
  ])('%s', (_, terms, total, most) => {
    expect(installmentsAllowed(terms, cents(total))).toBe(most);
  });

  const anyTotal = fc.integer({ min: 0, max: 100_000_000 }).map(cents);
  const anyTerms: fc.Arbitrary<InstallmentTerms> = fc.record({
    cardInstallmentsEnabled: fc.boolean(),
    maxCardInstallments: fc.integer({ min: 1, max: 12 }),
    recurrence: fc.option(
      fc.record({
        interval: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
        intervalCount: fc.integer({ min: 1, max: 36 }),
      }),
    ),
  });
  const holds = (property: (terms: InstallmentTerms, total: Cents) => void) =>
    fc.assert(fc.property(anyTerms, anyTotal, property), { numRuns: 2_000 });

  test('are 1 to the maximum set, and 12 at most', () => {
    holds((terms, total) => {
      const most = installmentsAllowed(terms, total);
      expect(Number.isInteger(most)).toBe(true);
      expect(most).toBeGreaterThanOrEqual(1);
      expect(most).toBeLessThanOrEqual(Math.min(12, terms.maxCardInstallments));
    });
  });

  test('are never below R$ 5,00 each when there are several', () => {
    holds((terms, total) => {
      const most = installmentsAllowed(terms, total);
      if (most > 1) expect(total / most).toBeGreaterThanOrEqual(500);
    });
  });

  test('are as many as the rules leave: one more breaks a rule', () => {
    holds((terms, total) => {
      const more = installmentsAllowed(terms, total) + 1;
      const isBroken =
        !terms.cardInstallmentsEnabled ||
        more > 12 ||
        more > terms.maxCardInstallments ||
        total < more * 500 ||
        (terms.recurrence !== null && (terms.recurrence.interval !== 'month' || more > terms.recurrence.intervalCount));
      expect(isBroken).toBe(true);
    });
  });

  test('do not shrink as the total grows, up to what the price itself allows', () => {
    holds((terms, total) => {
      const more = cents(total + 500);
      expect(installmentsAllowed(terms, more)).toBeGreaterThanOrEqual(installmentsAllowed(terms, total));
      expect(installmentsAllowed(terms, enough)).toBe(installmentsByTerms(terms));
    });
  });
});
