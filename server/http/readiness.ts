import type pg from 'pg';
import type { MetricObject } from 'prom-client';
import { run, statement } from '../db/statement.ts';
import type { Readiness } from './public.ts';

/** A worker that was seen within this time is there; it tells every two seconds that it is. */
const SEEN_SECONDS = 10;

const readWorkers = statement<{ worker: boolean; temporal: boolean }>(
  'read_workers',
  `SELECT count(*) > 0 AS worker, coalesce(bool_or(temporal_ok), false) AS temporal FROM worker_heartbeat
   WHERE seen_at > now() - interval '${SEEN_SECONDS} seconds'`,
);

const readMetrics = statement<{ metrics: MetricObject[] }>(
  'read_worker_metrics',
  `SELECT metrics FROM worker_heartbeat WHERE seen_at > now() - interval '${SEEN_SECONDS} seconds'`,
);

/** Asks PostgreSQL, and by what the workers write there, Temporal and the workers (docs/product/requests.md#public-routes). */
export function createReadiness(pool: pg.Pool): Readiness {
  const answered = { temporal: false, worker: false };
  return {
    async check() {
      const parts = await run(pool, readWorkers, {}).catch(() => null);
      if (parts === null) {
        return { database: false, everReady: answered.temporal && answered.worker, degraded: [] };
      }
      const now = parts[0] ?? { worker: false, temporal: false };
      answered.worker ||= now.worker;
      answered.temporal ||= now.temporal;
      // Without a worker nobody can say how Temporal is: what it said last stands.
      const isAway = { temporal: now.worker ? !now.temporal : !answered.temporal, worker: !now.worker };
      const degraded = (['temporal', 'worker'] as const).filter((part) => isAway[part]);
      return { database: true, everReady: answered.temporal && answered.worker, degraded };
    },
    async workerMetrics() {
      const rows = await run(pool, readMetrics, {}).catch(() => []);
      return rows.map(({ metrics }) => metrics);
    },
  };
}
