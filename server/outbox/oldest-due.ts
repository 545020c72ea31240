import { run, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';

const QUEUES = ['outbox', 'deliveries', 'billing'] as const;

/** Each is the first entry of a partial index; fresh deliveries are as many as wait. */
const findAges = statement<Record<(typeof QUEUES)[number], number>>(
  'oldest_due_rows',
  `SELECT greatest(0, coalesce(extract(epoch FROM now() - (SELECT min(due_at) FROM outbox)), 0))::float8 AS outbox,
     greatest(0, coalesce(extract(epoch FROM now() - least(
       (SELECT min(claimable_at) FROM delivery WHERE stage = 'fresh'),
       (SELECT min(claimable_at) FROM delivery WHERE stage = 'ladder'))), 0))::float8 AS deliveries,
     greatest(0, coalesce(extract(epoch FROM now()) - least(
       (SELECT min(wake_at) FROM subscription WHERE wake_at IS NOT NULL),
       (SELECT min(wake_at) FROM invoice WHERE wake_at IS NOT NULL),
       (SELECT min(wake_at) FROM checkout_session WHERE wake_at IS NOT NULL)), 0))::float8 AS billing`,
);

/** Measures how long the oldest row of each queue has been due. */
export async function measureOldestDue({ pool, metrics }: Pick<Deps, 'pool' | 'metrics'>): Promise<void> {
  const [ages] = await run(pool, findAges, {});
  for (const queue of QUEUES) metrics.oldestDue.set({ queue }, ages?.[queue] ?? 0);
}
