import type { Summary } from '../../contract/summary.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { civilDay, daysBefore, isoDate } from '../kernel/brazil.ts';
import type { Scope } from '../unit-of-work/tx.ts';

const WEEK_DAYS = 7;

const sumOf = (condition: string): string => `coalesce(sum(p.amount) FILTER (WHERE ${condition}), 0)::float8`;

/** Payments from one instant up to another. */
const readReceived = statement<Summary['received']>(
  'summarize_payments',
  `SELECT ${sumOf(`p.payment_method_type = 'pix'`)} AS pix, ${sumOf(`p.payment_method_type = 'card'`)} AS card,
     ${sumOf('true')} AS total, count(*)::int AS count
   FROM payment_intent p WHERE ${mine('p')} AND NOT p.surplus AND p.paid_at >= :from AND p.paid_at < :to`,
);

const figure = (name: string, amount: string, rows: string) =>
  statement<Summary['failed']>(
    name,
    `SELECT coalesce(sum(${amount}), 0)::float8 AS amount, count(*)::int AS count FROM ${rows}`,
  );

const readDue = figure(
  'summarize_due_invoices',
  'i.total',
  `invoice i WHERE ${mine('i')} AND i.status = 'open' AND i.due_at >= :from AND i.due_at < :to`,
);
const readRefunded = figure(
  'summarize_refunds',
  'r.amount',
  `refund_part r WHERE ${mine('r')} AND r.status = 'refunded' AND r.reason <> 'surplus' AND r.completed_at >= :from AND r.completed_at < :to`,
);
const readFailed = figure(
  'summarize_declines',
  'p.amount',
  `payment_intent p WHERE ${mine('p')} AND p.failed_at >= :from AND p.failed_at < :to`,
);

/** The figures of a civil day, `yyyy-mm-dd` (docs/product/summary.md). */
export async function retrieveSummary(deps: Deps, scope: Scope, asked: string | undefined): Promise<Summary> {
  const date = asked ?? isoDate(deps.clock.now(scope));
  const before = daysBefore(date, WEEK_DAYS);
  const day = civilDay(date);
  const [[received], [due], [refunded], [failed], [compared]] = await Promise.all([
    readIn(deps.pool, scope, readReceived, day),
    readIn(deps.pool, scope, readDue, day),
    readIn(deps.pool, scope, readRefunded, day),
    readIn(deps.pool, scope, readFailed, day),
    readIn(deps.pool, scope, readReceived, civilDay(before)),
  ]);
  if (!received || !due || !refunded || !failed || !compared) throw new Error('an aggregate answered no row');
  return {
    object: 'summary',
    date,
    received,
    due_today: due,
    refunded,
    failed,
    compared: { date: before, received: compared },
    live_mode: scope.liveMode,
  };
}
