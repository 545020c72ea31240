import type pg from 'pg';
import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';

const ROWS_PER_DELETE = 5_000;
const DELETES_MAX = 2_000;

/** Tables whose rows end by real time (docs/product/requests.md#idempotency): keys after 72 h, windows with their minute, workers with their process. */
const purges = {
  idempotencyKeys: statement(
    'purge_idempotency_keys',
    `DELETE FROM idempotency_key WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM idempotency_key WHERE created_at < now() - interval '72 hours' LIMIT ${ROWS_PER_DELETE})) RETURNING 1`,
  ),
  rateLimitWindows: statement(
    'purge_rate_limits',
    `DELETE FROM rate_limit WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM rate_limit WHERE expire < (extract(epoch FROM now()) * 1000)::bigint LIMIT ${ROWS_PER_DELETE})) RETURNING 1`,
  ),
  workers: statement(
    'purge_heartbeats',
    `DELETE FROM worker_heartbeat WHERE seen_at < now() - interval '1 day' RETURNING 1`,
  ),
} as const;

export type PurgeCounts = Record<keyof typeof purges, number>;

/** Deletes what has had its time, in small transactions. `told` is called between them. */
export async function purge(pool: pg.Pool, told: () => void): Promise<PurgeCounts> {
  const counts: PurgeCounts = { idempotencyKeys: 0, rateLimitWindows: 0, workers: 0 };
  // The keys of a literal are those of its type.
  for (const name of Object.keys(purges) as (keyof typeof purges)[]) {
    for (let round = 0; round < DELETES_MAX; round += 1) {
      const deleted = (await run(pool, purges[name], [])).length;
      counts[name] += deleted;
      told();
      if (deleted < ROWS_PER_DELETE) break;
    }
  }
  return counts;
}
