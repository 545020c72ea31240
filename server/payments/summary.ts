import type { Summary } from '../../contract/summary.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { civilDay, daysBefore, isoDate } from '../kernel/brazil.ts';
import type { Scope } from '../unit-of-work/tx.ts';

const WEEK_DAYS = 7;

/** Payments from one instant up to another, as JSON. */
const received = (from: string, to: string): string => `(SELECT json_build_object(
    'pix', coalesce(sum(p.amount) FILTER (WHERE p.payment_method_type = 'pix'), 0),
    'card', coalesce(sum(p.amount) FILTER (WHERE p.payment_method_type = 'card'), 0),
    'total', coalesce(sum(p.amount), 0), 'count', count(*))
  FROM payment_intent p WHERE ${mine('p')} AND NOT p.surplus AND p.paid_at >= ${from} AND p.paid_at < ${to})`;

/** The sum and the number of rows of the day, as JSON. */
const figure = (amount: string, rows: string, instant: string): string =>
  `(SELECT json_build_object('amount', coalesce(sum(${amount}), 0), 'count', count(*)) FROM ${rows} AND ${instant} >= :from AND ${instant} < :to)`;

const readSummary = statement<
  Pick<Summary, 'received' | 'due_today' | 'refunded' | 'failed'> & { before: Summary['received'] }
>(
  'read_summary',
  `SELECT ${received(':from', ':to')} AS received, ${received(':beforeFrom', ':beforeTo')} AS before,
    ${figure('i.total', `invoice i WHERE ${mine('i')} AND i.status = 'open'`, 'i.due_at')} AS due_today,
    ${figure('r.amount', `refund_part r WHERE ${mine('r')} AND r.status = 'refunded' AND r.reason <> 'surplus'`, 'r.completed_at')} AS refunded,
    ${figure('p.amount', `payment_intent p WHERE ${mine('p')}`, 'p.failed_at')} AS failed`,
);

/** The figures of a civil day, `yyyy-mm-dd` (docs/product/summary.md). */
export async function retrieveSummary(deps: Deps, scope: Scope, asked: string | undefined): Promise<Summary> {
  const date = asked ?? isoDate(deps.clock.now(scope));
  const dayBefore = daysBefore(date, WEEK_DAYS);
  const { from: beforeFrom, to: beforeTo } = civilDay(dayBefore);
  const [found] = await readIn(deps.pool, scope, readSummary, { ...civilDay(date), beforeFrom, beforeTo });
  if (found === undefined) throw new Error('a statement of one row answered none');
  const { before, ...figures } = found;
  return {
    object: 'summary',
    date,
    ...figures,
    compared: { date: dayBefore, received: before },
    live_mode: scope.liveMode,
  };
}
