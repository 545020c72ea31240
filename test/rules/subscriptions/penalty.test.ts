import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cents } from '../../../server/kernel/money.ts';
import type { Items } from '../../../server/subscriptions/decide.ts';
import { countTerm, penaltyAt, type Termed, termEnd } from '../../../server/subscriptions/penalty.ts';
import { cyclePeriod } from '../../../server/subscriptions/rules.ts';

const at = (day: string): number => Date.parse(`${day}T15:00:00Z`) / 1_000;
const START = at('2027-03-15');
const MONTHLY = { interval: 'month', intervalCount: 1 } as const;

const items = (unitAmount: number): Items => [
  {
    id: 'si_1',
    created: START,
    quantity: 1,
    price: { id: 'price_1', unitAmount, productName: 'Plano', ...MONTHLY } as Items[0]['price'],
  },
];

type Term = Pick<Termed, 'termCycles' | 'penaltyType' | 'penaltyValue'>;

/** One that has begun so many of its cycles. */
function begun(term: Term, cycles: number, discounts: Termed['discounts'] = []): Termed {
  const subscription = {
    ...term,
    ...{ termCyclesLeft: term.termCycles, termDays: null, status: 'active', discounts },
    ...{ billingCycleAnchor: START, anchorCycle: 1, cycle: 0, billedCycle: 0, bills: 0 },
  } as Termed;
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    const period = cyclePeriod(START, MONTHLY, cycle - 1);
    Object.assign(subscription, { cycle, billedCycle: cycle, bills: cycle });
    Object.assign(subscription, { currentPeriodStart: period.start, currentPeriodEnd: period.end });
    countTerm({ subscription, items: items(8_990) }, period);
  }
  return subscription;
}

const percent = (percentage: number, cycles = 12): Term => ({
  ...{ termCycles: cycles, penaltyType: 'remaining_percentage', penaltyValue: percentage * 100 },
});
const benefit = (amount: number): Term => ({
  ...{ termCycles: 12, penaltyType: 'declining_amount', penaltyValue: amount },
});
const penalty = (subscription: Termed, now: number): number => penaltyAt({ subscription, items: items(8_990) }, now);

describe('the penalty of an end before the minimum term', () => {
  test('is a percentage of the cycles that have not begun', () => {
    expect(penalty(begun(percent(20), 4), at('2027-07-01'))).toBe(14_384);
  });

  test('takes the discounts that those bills would have', () => {
    const half = { type: 'percentage', percentage: 50, amount: null, cycles: 6 } as const;
    // Bills 5 and 6 of twelve are halved.
    expect(penalty(begun(percent(20), 4, [half]), at('2027-07-01'))).toBe(Math.round((2 * 4_495 + 6 * 8_990) * 0.2));
  });

  test('of a benefit declines by the day', () => {
    const subscription = begun(benefit(24_000), 5);
    expect(subscription.termDays).toBe(366);
    expect(penalty(subscription, at('2027-07-15'))).toBe(16_000);
    expect(penalty(begun(benefit(24_000), 1), START)).toBe(24_000);
    expect(penalty(begun(benefit(24_000), 12), at('2028-03-15'))).toBe(0);
  });

  test('is nothing before the first payment, in the last cycle of a percentage, and once the term is over', () => {
    expect(penalty(begun(percent(20), 0), START)).toBe(0);
    expect(penalty(begun(percent(20), 12), at('2028-03-01'))).toBe(0);
    const over = begun(benefit(24_000), 13);
    expect(over).toMatchObject({ termCycles: null, termCyclesLeft: null, termDays: null, penaltyType: null });
    expect(penalty(over, at('2028-03-20'))).toBe(0);
  });

  test('the term ends with its last cycle', () => {
    const end = (cycles: number) => termEnd({ subscription: begun(percent(20), cycles), items: items(8_990) });
    expect(end(0)).toBeNull();
    for (const cycles of [1, 4, 12]) expect(end(cycles)).toBe(at('2028-03-15'));
    expect(end(13)).toBeNull();
  });

  test('never grows, day by day, and is at most the benefit', () => {
    const days = fc.integer({ min: 0, max: 360 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), days, days, (amount, one, other) => {
        const on = (day: number): number => {
          const now = START + day * 86_400;
          let cycles = 1;
          while (cyclePeriod(START, MONTHLY, cycles).start <= now) cycles += 1;
          return penalty(begun(benefit(amount), cycles), now);
        };
        expect(on(Math.max(one, other))).toBeLessThanOrEqual(on(Math.min(one, other)));
        expect(on(0)).toBe(cents(amount));
      }),
    );
  });
});
