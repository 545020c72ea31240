import type { Subscription } from '@fatura/sdk';
import { array, assert, integer, option, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { billOf, monthlyOf } from '../../../dashboard/screens/subscriptions/charges.ts';
import { cents } from '../../../server/kernel/money.ts';
import { billOf as billOfService } from '../../../server/subscriptions/rules.ts';

type Discount = Subscription['discounts']['data'][number];
type Interval = Subscription['item']['price']['interval'];

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

test('a later bill comes to what the service makes of it', () => {
  const rule = property(integer({ min: 0, max: 100_000 }), discounts, integer({ min: 2, max: 8 }), (unit, off, n) => {
    const { total } = billOfService(cents(unit * 3), off, n);
    expect(billOf(subscribed({ unitAmount: unit, quantity: 3, discounts: off }), n)).toBe(total);
  });
  assert(rule, { numRuns: 500 });
});

test('only an active subscription brings something a month', () => {
  for (const status of ['pending', 'suspended', 'inactive'] as const)
    expect(monthlyOf(subscribed({}, { status }))).toBeNull();
});

test.each([
  ['month', 1, 9_990],
  ['month', 12, 833],
  ['week', 1, 43_290],
  ['day', 1, 303_863],
] as const)('R$ 99,90 each %s × %i is %i cents a month', (interval, count, monthly) => {
  expect(monthlyOf(subscribed({ interval, count, discounts: [percentOff(50, 2)] }))).toBe(monthly);
});
