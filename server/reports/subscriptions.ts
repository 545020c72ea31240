import type { ReportQuery, SubscriptionsReport } from '../../contract/reports.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { periodOf, rowOf, valuesOf } from './period.ts';

/** What a subscription bills in a year of a calendar, in cycles of one interval. */
const CYCLES_A_YEAR = `CASE p.recurring_interval WHEN 'month' THEN 12 WHEN 'week' THEN 52 ELSE 365 END`;
const A_MONTH = `round(p.unit_amount::numeric * s.quantity * ${CYCLES_A_YEAR} / (12 * p.recurring_interval_count))`;

const countIn = (status: string): string => `'${status}', count(*) FILTER (WHERE s.status = '${status}')`;

/** How many began or ended in each row, up to the end: `[[row, count], …]`. What nobody ever paid for counts in neither. */
const byRow = (instant: string): string =>
  `(SELECT coalesce(json_agg(json_build_array(n."row", n.count)), '[]') FROM (
     SELECT ${rowOf(instant)} AS "row", count(*) AS count FROM subscription s
     WHERE ${mine('s')} AND s.activated_at IS NOT NULL AND ${instant} < :to GROUP BY 1) n)`;

interface Found {
  readonly now: SubscriptionsReport['now'];
  readonly started: readonly (readonly [row: number, count: number])[];
  readonly canceled: readonly (readonly [row: number, count: number])[];
}

const readSubscriptions = statement<Found>(
  'report_subscriptions',
  `SELECT (SELECT json_build_object(${['active', 'suspended', 'pending'].map(countIn).join(', ')},
       'mrr', coalesce(sum(${A_MONTH}) FILTER (WHERE s.status = 'active'), 0))
     FROM subscription s JOIN price p ON p.id = s.price_id AND ${mine('p')}
     WHERE ${mine('s')} AND s.status <> 'inactive') AS now,
   ${byRow('s.created')} AS started, ${byRow('s.ended')} AS canceled`,
);

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
    now: found.now,
    rows,
    totals: { subscribers_before: before, started: sum('started'), canceled: sum('canceled'), subscribers },
    live_mode: scope.liveMode,
  };
}
