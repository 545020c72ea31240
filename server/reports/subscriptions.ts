import type { ReportQuery, SubscriptionsReport } from '../../contract/reports.ts';
import type { SubscriptionStatus } from '../../contract/subscriptions.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { cents } from '../kernel/money.ts';
import { billOf, type CycleDiscount } from '../subscriptions/rules.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { periodOf, rowOf, valuesOf } from './period.ts';

type Now = SubscriptionsReport['now'];

/** Subscriptions of one status that bill the same. */
interface Alike {
  readonly status: SubscriptionStatus;
  /** Of all items, before discounts. Cents. */
  readonly subtotal: number;
  readonly interval: keyof typeof UNITS_IN_YEAR;
  readonly intervalCount: number;
  readonly discounts: readonly CycleDiscount[];
  readonly count: number;
}

/** All that have not ended, those alike as one. */
const ALIKE = `SELECT b.status, b.subtotal, b.recurring_interval, b.recurring_interval_count, b.discounts, count(*) AS count
  FROM (SELECT s.status, sum(p.unit_amount * m.quantity) AS subtotal, min(p.recurring_interval) AS recurring_interval,
      min(p.recurring_interval_count) AS recurring_interval_count, s.discounts::text AS discounts
    FROM subscription s JOIN subscription_term m ON m.subscription_id = s.id AND m.seq = s.term_seq AND ${mine('m')}
    JOIN price p ON p.id = m.price_id AND ${mine('p')}
    WHERE ${mine('s')} AND s.status <> 'inactive' GROUP BY s.id) b
  GROUP BY 1, 2, 3, 4, 5`;

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
  `SELECT (SELECT coalesce(json_agg(json_build_object('status', a.status, 'subtotal', a.subtotal, 'interval', a.recurring_interval, 'intervalCount', a.recurring_interval_count, 'discounts', a.discounts::json,
       'count', a.count)), '[]') FROM (${ALIKE}) a) AS alike,
   ${byRow('s.created')} AS started, ${byRow('s.ended')} AS canceled`,
);

const MONTHS_IN_YEAR = 12;
/** Days and weeks of a year, for what a subscription brings a month. */
const UNITS_IN_YEAR = { day: 365, week: 52, month: MONTHS_IN_YEAR } as const;

/** What one bills a month: its price in its quantity, less the discounts that last for ever (docs/product/reports.md#subscriptions). */
function monthlyOf({ subtotal, interval, intervalCount, discounts }: Alike): number {
  const { total } = billOf(cents(subtotal), discounts, Number.POSITIVE_INFINITY);
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
