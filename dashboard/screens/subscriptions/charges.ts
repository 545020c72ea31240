import type { Invoice, Subscription } from '@fatura/sdk';
import { fromAbsolute, toCalendarDateTime, toZoned } from '@internationalized/date';
import { itemsSubtotal } from '../../parts/items-subtotal.ts';
import { TIME_ZONE } from '../../texts/time-zone.ts';

const MS_IN_SECOND = 1_000;
const BASIS_POINTS_IN_WHOLE = 10_000;
const BASIS_POINTS_IN_PERCENT = 100;
const MONTHS_IN_YEAR = 12;
/** Days and weeks of a year, for what a subscription brings a month. */
const UNITS_IN_YEAR = { day: 365, week: 52, month: MONTHS_IN_YEAR } as const;

type Price = Pick<Subscription['item']['price'], 'interval' | 'interval_count'>;
type Discount = Subscription['discounts']['data'][number];

const durations = {
  day: (count: number) => ({ days: count }),
  week: (count: number) => ({ weeks: count }),
  month: (count: number) => ({ months: count }),
} as const;

/** When the n-th cycle after the anchor's begins, by the rule of the service (docs/product/subscriptions.md#calendar). */
export function cycleStart(anchor: number, { interval, interval_count: count }: Price, n: number): number {
  const from = toCalendarDateTime(fromAbsolute(anchor * MS_IN_SECOND, TIME_ZONE));
  const start = toZoned(from.add(durations[interval](count * n)), TIME_ZONE, 'compatible');
  return Math.floor(start.toDate().getTime() / MS_IN_SECOND);
}

function offOf(left: number, { percentage, amount }: Discount): number {
  if (percentage === null) return Math.min(amount ?? 0, left);
  const basisPoints = Math.round(percentage * BASIS_POINTS_IN_PERCENT);
  return Math.floor((left * basisPoints + BASIS_POINTS_IN_WHOLE / 2) / BASIS_POINTS_IN_WHOLE);
}

/** What the n-th bill comes to, the first being 1: the discounts that last so long, each on what the former ones left. */
export function billOf({ items, discounts }: Pick<Subscription, 'items' | 'discounts'>, n: number): number {
  const lasting = discounts.data.filter(({ cycles }) => cycles === null || n <= cycles);
  return lasting.reduce((left, discount) => left - offOf(left, discount), itemsSubtotal(items));
}

/** Cents a month: the prices in their quantities, less the discounts that last for ever; null: it brings nothing now. */
export function monthlyOf(subscription: Subscription): number | null {
  if (subscription.status !== 'active') return null;
  const { interval, interval_count: count } = subscription.item.price;
  const perMonth = UNITS_IN_YEAR[interval] / MONTHS_IN_YEAR / count;
  return Math.round(billOf(subscription, Number.POSITIVE_INFINITY) * perMonth);
}

/** Bills that have to be counted to know which discounts still last; 0: none need be. */
export const billsThatCount = ({ discounts }: Subscription): number =>
  Math.max(0, ...discounts.data.map(({ cycles }) => cycles ?? 0));

export interface NextCharge {
  readonly at: number;
  readonly cents: number;
  /** That of a period which was billed ahead; null: the bill is still to be made. */
  readonly invoice: Pick<Invoice, 'id' | 'status'> | null;
}

/** Longer than any subscription lasts: one by days for 27 years. */
const CYCLES_MAX = 10_000;
const SHOWN = 3;

/**
 * The next charges of an active subscription as it stands: when its periods to come begin, and what their bills come to.
 * `bills` is how many were made, `latest` the newest of them.
 */
export function nextCharges(
  subscription: Subscription,
  { bills, latest }: { bills: number; latest: Invoice | null },
): readonly NextCharge[] {
  const {
    status,
    current_period_end: end,
    billing_cycle_anchor: anchor,
    cancel_at: endsAt,
    pause,
    item,
  } = subscription;
  if (status !== 'active' || end === null) return [];
  // After a pause the anchor is the end of the period under way.
  let n = 0;
  while (n < CYCLES_MAX && cycleStart(anchor, item.price, n) < end) n += 1;
  const isAhead = latest?.period_start === end;
  return Array.from({ length: SHOWN }, (_, k) => {
    const at = cycleStart(anchor, item.price, n + k);
    if (k === 0 && isAhead && latest !== null) return { at, cents: latest.total, invoice: latest };
    return { at, cents: billOf(subscription, bills + k + (isAhead ? 0 : 1)), invoice: null };
  }).filter(({ at }) => (endsAt == null || at < endsAt) && (pause == null || at < pause.since));
}
