import type { Subscription } from '@fatura/sdk';
import { array, assert, constantFrom, integer, option, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { billOf, monthlyOf } from '../../../dashboard/screens/subscriptions/charges.ts';
import { discountBill, type SubscriptionDiscount } from '../../../server/subscriptions/discounts.ts';
import { subscribedWithoutCoupon } from '../../support/factories.ts';

type Discount = Subscription['discounts']['data'][number];
type Interval = Subscription['item']['price']['interval'];

const percentOff = (percentage: number, cycles: number | null): Discount => ({
  ...subscribedWithoutCoupon,
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
  /** Whether it has a second item of another product. */
  readonly isBeside?: boolean;
}

/** An active subscription; what no rule asks of it is left out. */
function subscribed(
  { unitAmount = 9_990, quantity = 1, interval = 'month', count = 1, discounts = [], isBeside = false }: Terms = {},
  rest: Partial<Subscription> = {},
): Subscription {
  const price = { id: 'price_gold', product: 'prod_plan', unit_amount: unitAmount, interval, interval_count: count };
  const beside = { ...price, id: 'price_extra', product: 'prod_extra' };
  return {
    status: 'active',
    item: { quantity, price },
    items: { data: [{ quantity, price }, ...(isBeside ? [{ quantity: 1, price: beside }] : [])] },
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
      percentage === null
        ? { ...subscribedWithoutCoupon, type: 'fixed', percentage, amount, cycles }
        : percentOff(percentage, cycles),
  ),
  { maxLength: 4 },
);

/** The first discount as a coupon gives it, of a product alone or of all. */
const scopes = constantFrom<Discount['applies_to'] | undefined>(
  undefined,
  null,
  { products: ['prod_plan'], prices: [] },
  { products: [], prices: ['price_extra'] },
);
const withCoupon = ([first, ...others]: Discount[], scope: Discount['applies_to'] | undefined): Discount[] =>
  first === undefined || scope === undefined
    ? others
    : [{ ...first, redemption: 'rdm_1', applies_to: scope }, ...others];

/** As the service keeps it. */
const kept = ({ type, percentage, amount, cycles, redemption, applies_to }: Discount): SubscriptionDiscount => ({
  ...{ type, percentage, amount, cycles },
  ...(redemption !== null && { redemption, applies_to }),
});

test('a later bill comes to what the service makes of it', () => {
  const rule = property(
    integer({ min: 0, max: 100_000 }),
    discounts,
    scopes,
    integer({ min: 2, max: 8 }),
    (unit, drawn, scope, n) => {
      const off = withCoupon(drawn, scope);
      const shown = subscribed({ unitAmount: unit, quantity: 3, discounts: off, isBeside: true });
      const items = shown.items.data.map(({ quantity, price: { id, product, unit_amount } }) => ({
        quantity,
        price: { id, productId: product, unitAmount: unit_amount },
      }));
      const lines = items.map(({ quantity, price: { id: price, unitAmount } }) => ({ price, quantity, unitAmount }));
      expect(billOf(shown, n)).toBe(discountBill(lines, { items, discounts: off.map(kept), bill: n }).total);
    },
  );
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
