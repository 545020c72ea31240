import { type AgingReport, agingBuckets } from '../../contract/reports.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { civilDay, daysBefore, isoDate } from '../kernel/brazil.ts';
import type { Scope } from '../unit-of-work/tx.ts';

/** The days late at which an age ends and the next one begins, from the oldest to what is to come. */
const AGES_BEGIN = [90, 60, 30, 0] as const;

const readAges = statement<{ row: number; amount: number; count: number }>(
  'report_aging',
  `SELECT width_bucket(i.due_at, :edges::bigint[]) AS "row", sum(i.total)::bigint AS amount, count(*) AS count
   FROM invoice i WHERE ${mine('i')} AND i.status = 'open' GROUP BY 1`,
);

/** Open invoices by the days since they were due (docs/product/reports.md#aging). */
export async function reportAging(deps: Deps, scope: Scope): Promise<AgingReport> {
  const date = isoDate(deps.clock.now(scope));
  // What was due 90 days before is so many days late until that day is over.
  const edges = AGES_BEGIN.map((days) => civilDay(daysBefore(date, days)).from);
  const found = await readIn(deps.pool, scope, readAges, { edges });
  const oldest = agingBuckets.length - 1;
  const rows = agingBuckets.map((age, at) => {
    const { amount = 0, count = 0 } = found.find(({ row }) => row === oldest - at) ?? {};
    return { age, amount, count };
  });
  const totals = rows.reduce((sum, { amount, count }) => ({ amount: sum.amount + amount, count: sum.count + count }), {
    amount: 0,
    count: 0,
  });
  return { object: 'aging_report', date, rows, totals, live_mode: scope.liveMode };
}
