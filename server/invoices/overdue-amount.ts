import { acrossAccounts, run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { civilDay, isoDate } from '../kernel/brazil.ts';
import { realTimeMs, SECOND_MS } from '../kernel/time.ts';

/** Read from the index `invoice_due` alone; accounts of the sandbox have days of their own. */
const sumOverdue = acrossAccounts<{ amount: number }>(
  'sum_overdue',
  `SELECT coalesce(sum(i.total), 0)::float8 AS amount FROM invoice i
   WHERE i.live_mode AND i.status = 'open' AND i.due_at < :today`,
);

/** It changes slowly. */
const REST_MS = 15 * SECOND_MS;
/** A look at very many rests so many times as long as it took. */
const REST = 200;

/** What measures how much live invoices are overdue by; while it rests, the last figure stands. */
export function createOverdueMeasure({
  pool,
  clock,
  metrics,
}: Pick<Deps, 'pool' | 'clock' | 'metrics'>): () => Promise<void> {
  let restsUntilMs = 0;
  return async () => {
    const begunMs = realTimeMs();
    if (begunMs < restsUntilMs) return;
    const [found] = await run(pool, sumOverdue, { today: civilDay(isoDate(clock.real())).from });
    const endedMs = realTimeMs();
    restsUntilMs = endedMs + Math.max(REST_MS, (endedMs - begunMs) * REST);
    metrics.business.overdue.set(found?.amount ?? 0);
  };
}
