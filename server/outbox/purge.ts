import type pg from 'pg';
import { acrossAccounts, run, statement } from '../db/statement.ts';
import { deleteSome, inBatches } from '../jobs/batched-delete.ts';

/** Tables whose rows end by real time (docs/product/requests.md#idempotency): keys after 72 h, windows with their minute, counts of e-mails with their day, workers with their process. */
const purges = {
  idempotencyKeys: acrossAccounts(
    'purge_idempotency_keys',
    deleteSome('idempotency_key', `created_at < now() - interval '72 hours'`),
  ),
  rateLimitWindows: statement(
    'purge_rate_limits',
    deleteSome('rate_limit', 'expire < (extract(epoch FROM now()) * 1000)::bigint'),
  ),
  mailCounts: statement('purge_mail_counts', deleteSome('mail_count', `day < current_date - 2`)),
  workers: statement('purge_heartbeats', deleteSome('worker_heartbeat', `seen_at < now() - interval '1 day'`)),
} as const;

type PurgeCounts = Record<keyof typeof purges, number>;

/** Deletes what has had its time, in small transactions. `told` is called between them. */
export async function purge(pool: pg.Pool, told: () => void): Promise<PurgeCounts> {
  const counts: PurgeCounts = { idempotencyKeys: 0, rateLimitWindows: 0, mailCounts: 0, workers: 0 };
  // The keys of a literal are those of its type.
  for (const name of Object.keys(purges) as (keyof typeof purges)[]) {
    counts[name] = await inBatches(async () => {
      told();
      return (await run(pool, purges[name], [])).length;
    });
  }
  return counts;
}
