import type { Subscription } from '@fatura/sdk';
import { itemsSubtotal } from '../../parts/items-subtotal.ts';

const BASIS_POINTS_IN_WHOLE = 10_000;
const BASIS_POINTS_IN_PERCENT = 100;
const MONTHS_IN_YEAR = 12;
/** Days and weeks of a year, for what a subscription brings a month. */
const UNITS_IN_YEAR = { day: 365, week: 52, month: MONTHS_IN_YEAR } as const;

type Discount = Subscription['discounts']['data'][number];

function offOf(left: number, { percentage, amount }: Discount): number {
  if (percentage === null) return Math.min(amount ?? 0, left);
  const basisPoints = Math.round(percentage * BASIS_POINTS_IN_PERCENT);
  return Math.floor((left * basisPoints + BASIS_POINTS_IN_WHOLE / 2) / BASIS_POINTS_IN_WHOLE);
}

/** What a discount is measured by: a coupon's, which stands first, of the items that it applies to. */
function baseOf(left: number, { applies_to: scope }: Discount, { data }: Subscription['items']): number {
  if (scope === null) return left;
  const applied = data.filter(({ price }) => scope.prices.includes(price.id) || scope.products.includes(price.product));
  return itemsSubtotal({ data: applied });
}

/** What the n-th bill comes to, the first being 1: the discounts that last so long, each on what the former ones left. */
export function billOf({ items, discounts }: Pick<Subscription, 'items' | 'discounts'>, n: number): number {
  const lasting = discounts.data.filter(({ cycles }) => cycles === null || n <= cycles);
  return lasting.reduce(
    (left, discount) => left - offOf(baseOf(left, discount, items), discount),
    itemsSubtotal(items),
  );
}

/** Cents a month: the prices in their quantities, less the discounts that last for ever; null: it brings nothing now. */
export function monthlyOf(subscription: Subscription): number | null {
  if (subscription.status !== 'active') return null;
  const { interval, interval_count: count } = subscription.item.price;
  const perMonth = UNITS_IN_YEAR[interval] / MONTHS_IN_YEAR / count;
  return Math.round(billOf(subscription, Number.POSITIVE_INFINITY) * perMonth);
}
