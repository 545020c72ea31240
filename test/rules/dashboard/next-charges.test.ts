import type { Invoice, Subscription } from '@fatura/sdk';
import { array, assert, constantFrom, integer, option, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import {
  billOf,
  billsThatCount,
  cycleStart,
  monthlyOf,
  nextCharges,
} from '../../../dashboard/screens/subscriptions/charges.ts';
import { cents } from '../../../server/kernel/money.ts';
import { billOf as billOfService, cycleStart as cycleStartOfService } from '../../../server/subscriptions/rules.ts';

type Discount = Subscription['discounts']['data'][number];
type Interval = Subscription['item']['price']['interval'];

const at = (text: string): number => Date.parse(text) / 1_000;

const percentOff = (percentage: number, cycles: number | null): Discount => ({
  type: 'percentage',
  percentage,
  amount: null,
  cycles,
});

interface Terms {
  readonly unitAmount?: number;
  readonly quantity?: number;
  readonly interval?: Interval;
  readonly count?: number;
  readonly discounts?: readonly Discount[];
}

/** An active subscription; what no rule asks of it is left out. */
function subscribed(
  { unitAmount = 9_990, quantity = 1, interval = 'month', count = 1, discounts = [] }: Terms = {},
  rest: Partial<Subscription> = {},
): Subscription {
  const price = { unit_amount: unitAmount, interval, interval_count: count };
  return {
    status: 'active',
    item: { quantity, price },
    items: { data: [{ quantity, price }] },
    discounts: { data: discounts },
    ...rest,
  } as Subscription;
}

const discounts = array(
  record({
    percentage: option(integer({ min: 1, max: 10_000 }).map((bp) => bp / 100)),
    amount: integer({ min: 1, max: 20_000 }),
    cycles: option(integer({ min: 1, max: 5 })),
  }).map(
    ({ percentage, amount, cycles }): Discount =>
      percentage === null ? { type: 'fixed', percentage, amount, cycles } : percentOff(percentage, cycles),
  ),
  { maxLength: 4 },
);

test('cycles begin when those of the service do', () => {
  const anchors = integer({ min: at('2015-01-01T00:00:00Z'), max: at('2030-12-31T23:59:59Z') });
  const intervals = constantFrom<Interval>('day', 'week', 'month');
  const counts = integer({ min: 1, max: 12 });
  const rule = property(anchors, intervals, counts, integer({ min: 0, max: 40 }), (anchor, interval, count, n) => {
    const ours = cycleStart(anchor, { interval, interval_count: count }, n);
    expect(ours).toBe(cycleStartOfService(anchor, { interval, intervalCount: count }, n));
  });
  assert(rule, { numRuns: 500 });
});

test('a later bill comes to what the service makes of it', () => {
  const rule = property(integer({ min: 0, max: 100_000 }), discounts, integer({ min: 2, max: 8 }), (unit, off, n) => {
    const { total } = billOfService(cents(unit * 3), off, n);
    expect(billOf(subscribed({ unitAmount: unit, quantity: 3, discounts: off }), n)).toBe(total);
  });
  assert(rule, { numRuns: 500 });
});

const ofDay31 = { billing_cycle_anchor: at('2027-01-31T15:00:00Z'), current_period_end: at('2027-02-28T15:00:00Z') };

test('the next charges come from the anchor, and discounts end where they do', () => {
  const subscription = subscribed({ quantity: 2, discounts: [percentOff(10, 3)] }, ofDay31);
  expect(billsThatCount(subscription)).toBe(3);
  expect(nextCharges(subscription, { bills: 1, latest: null })).toEqual([
    { at: at('2027-02-28T15:00:00Z'), cents: 17_982, invoice: null },
    { at: at('2027-03-31T15:00:00Z'), cents: 17_982, invoice: null },
    { at: at('2027-04-30T15:00:00Z'), cents: 19_980, invoice: null },
  ]);
});

test('a period that was billed ahead shows its invoice', () => {
  const subscription = subscribed({ discounts: [percentOff(50, 2)] }, ofDay31);
  const latest = { id: 'in_1', status: 'open', total: 4_995, period_start: ofDay31.current_period_end } as Invoice;
  expect(nextCharges(subscription, { bills: 2, latest }).map(({ cents: sum, invoice }) => [sum, invoice?.id])).toEqual([
    [4_995, 'in_1'],
    [9_990, undefined],
    [9_990, undefined],
  ]);
});

test('only an active subscription has charges to come, and brings something a month', () => {
  for (const status of ['pending', 'suspended', 'inactive'] as const) {
    const subscription = subscribed({}, { ...ofDay31, status });
    expect(nextCharges(subscription, { bills: 1, latest: null })).toEqual([]);
    expect(monthlyOf(subscription)).toBeNull();
  }
});

test.each([
  ['month', 1, 9_990],
  ['month', 12, 833],
  ['week', 1, 43_290],
  ['day', 1, 303_863],
] as const)('R$ 99,90 each %s × %i is %i cents a month', (interval, count, monthly) => {
  expect(monthlyOf(subscribed({ interval, count, discounts: [percentOff(50, 2)] }))).toBe(monthly);
});
