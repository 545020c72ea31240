import type { ReportQuery, SubscriptionsReport } from '../../contract/reports.ts';
import type { SubscriptionStatus } from '../../contract/subscriptions.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { takeOff } from '../invoices/rules.ts';
import type { SubscriptionDiscount } from '../subscriptions/discounts.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { periodOf, rowOf, valuesOf } from './period.ts';

type Now = SubscriptionsReport['now'];

/** Subscriptions of one status that bill the same. */
interface Alike {
  readonly status: SubscriptionStatus;
  /** Of all items, before discounts. Cents. */
  readonly subtotal: number;
  /** Of those that its coupon applies to; null: none. */
  readonly ofCoupon: number | null;
  readonly interval: keyof typeof UNITS_IN_YEAR;
  readonly intervalCount: number;
  /** Those that last for ever. */
  readonly discounts: readonly (Pick<SubscriptionDiscount, 'type' | 'percentage' | 'amount'> & { ofCoupon: boolean })[];
  readonly count: number;
}

/** SQL: the discounts that last for ever of a subscription, without what tells two of the same terms apart. */
const FOR_EVER = `(SELECT coalesce(json_agg(json_build_object('type', d ->> 'type', 'percentage', d -> 'percentage', 'amount', d -> 'amount',
    'ofCoupon', d ->> 'redemption' IS NOT NULL) ORDER BY place), '[]')
  FROM json_array_elements(s.discounts) WITH ORDINALITY AS given (d, place) WHERE d ->> 'cycles' IS NULL)::text`;

/** SQL: whether the coupon of a subscription, which is the first of its discounts, applies to an item. */
const APPLIES = `json_typeof(s.discounts #> '{0,applies_to}') IS DISTINCT FROM 'object'
  OR p.id IN (SELECT json_array_elements_text(s.discounts #> '{0,applies_to,prices}'))
  OR p.product_id IN (SELECT json_array_elements_text(s.discounts #> '{0,applies_to,products}'))`;

/** All that have not ended, those alike as one. */
const ALIKE = `SELECT b.status, b.subtotal, b.of_coupon, b.recurring_interval, b.recurring_interval_count, b.discounts, count(*) AS count
  FROM (SELECT s.status, sum(p.unit_amount * m.quantity) AS subtotal, sum(p.unit_amount * m.quantity) FILTER (WHERE ${APPLIES}) AS of_coupon,
      min(p.recurring_interval) AS recurring_interval, min(p.recurring_interval_count) AS recurring_interval_count, ${FOR_EVER} AS discounts
    FROM subscription s JOIN subscription_term m ON m.subscription_id = s.id AND m.seq = s.term_seq AND ${mine('m')}
    JOIN price p ON p.id = m.price_id AND ${mine('p')}
    WHERE ${mine('s')} AND s.status <> 'inactive' GROUP BY s.id) b
  GROUP BY 1, 2, 3, 4, 5, 6`;

/** How many began or ended in each row, up to the end: `[[row, count], …]`. What nobody ever paid for counts in neither. */
const byRow = (instant: string): string =>
  `(SELECT coalesce(json_agg(json_build_array(n."row", n.count)), '[]') FROM (
     SELECT ${rowOf(instant)} AS "row", count(*) AS count FROM subscription s
     WHERE ${mine('s')} AND s.activated_at IS NOT NULL AND ${instant} < :to GROUP BY 1) n)`;

interface Found {
  readonly alike: readonly Alike[];
  readonly started: readonly (readonly [row: number, count: number])[];
  readonly canceled: readonly (readonly [row: number, count: number])[];
}

const readSubscriptions = statement<Found>(
  'report_subscriptions',
  `SELECT (SELECT coalesce(json_agg(json_build_object('status', a.status, 'subtotal', a.subtotal, 'ofCoupon', a.of_coupon, 'interval', a.recurring_interval, 'intervalCount', a.recurring_interval_count, 'discounts', a.discounts::json,
       'count', a.count)), '[]') FROM (${ALIKE}) a) AS alike,
   ${byRow('s.created')} AS started, ${byRow('s.ended')} AS canceled`,
);

const MONTHS_IN_YEAR = 12;
/** Days and weeks of a year, for what a subscription brings a month. */
const UNITS_IN_YEAR = { day: 365, week: 52, month: MONTHS_IN_YEAR } as const;

/** Stands for the prices that a coupon applies to. */
const APPLIED = 'applied';

/** What one bills a month: its price in its quantity, less the discounts that last for ever (docs/product/reports.md#subscriptions). */
function monthlyOf({ subtotal, ofCoupon, interval, intervalCount, discounts }: Alike): number {
  const { total } = takeOff(
    [
      { price: APPLIED, quantity: 1, unitAmount: ofCoupon ?? 0 },
      { quantity: 1, unitAmount: subtotal - (ofCoupon ?? 0) },
    ],
    discounts.map(({ type, percentage, amount, ofCoupon: isCoupon }) => ({
      ...(type === 'percentage' ? { type, percentage: percentage ?? 0 } : { type, amount_cents: amount ?? 0 }),
      ...(isCoupon && { coupon: { prices: [APPLIED] } }),
    })),
  );
  return Math.round(total * (UNITS_IN_YEAR[interval] / MONTHS_IN_YEAR / intervalCount));
}

function nowOf(alike: readonly Alike[]): Now {
  const of = (status: Alike['status']) => alike.filter((one) => one.status === status);
  const count = (status: Alike['status']): number => of(status).reduce((sum, one) => sum + one.count, 0);
  const mrr = of('active').reduce((sum, one) => sum + one.count * monthlyOf(one), 0);
  return {
    active: count('active'),
    paused: count('paused'),
    suspended: count('suspended'),
    pending: count('pending'),
    mrr,
  };
}

/** Subscriptions that began and ended, and how they stand (docs/product/reports.md#subscriptions). */
export async function reportSubscriptions(deps: Deps, scope: Scope, query: ReportQuery): Promise<SubscriptionsReport> {
  const period = periodOf(query);
  const { edges, to } = valuesOf(period);
  const [found] = await readIn(deps.pool, scope, readSubscriptions, { edges, to });
  if (found === undefined) throw new Error('a statement of one row answered none');
  const [began, ended] = [new Map(found.started), new Map(found.canceled)];
  const before = (began.get(0) ?? 0) - (ended.get(0) ?? 0);
  let subscribers = before;
  const rows = period.rows.map((days, at) => {
    const [started, canceled] = [began.get(at + 1) ?? 0, ended.get(at + 1) ?? 0];
    subscribers += started - canceled;
    return { ...days, started, canceled, subscribers };
  });
  const sum = (what: 'started' | 'canceled'): number => rows.reduce((total, row) => total + row[what], 0);
  return {
    object: 'subscriptions_report',
    from: query.from,
    until: query.until,
    by: period.by,
    now: nowOf(found.alike),
    rows,
    totals: { subscribers_before: before, started: sum('started'), canceled: sum('canceled'), subscribers },
    live_mode: scope.liveMode,
  };
}
