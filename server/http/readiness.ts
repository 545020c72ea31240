import type pg from 'pg';
import type { MetricObject } from 'prom-client';
import { acrossAccounts, run, statement } from '../db/statement.ts';
import type { Degraded, Readiness } from './public.ts';

/** A worker that was seen within this time is there; it tells every two seconds that it is. */
const SEEN_SECONDS = 10;

/** From then on a certificate of an acquirer is everybody's concern: some PSPs take days to issue another. */
const CERTIFICATE_DAYS = 7;

const readParts = acrossAccounts<{ worker: boolean; temporal: boolean; certificateEnds: boolean }>(
  'read_parts',
  `SELECT count(*) > 0 AS worker, coalesce(bool_or(temporal_ok), false) AS temporal,
     EXISTS(SELECT FROM live_acquirer WHERE certificate_ends_at <= now() + interval '${CERTIFICATE_DAYS} days') AS "certificateEnds"
   FROM worker_heartbeat WHERE seen_at > now() - interval '${SEEN_SECONDS} seconds'`,
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
      const parts = await run(pool, readParts, {}).catch(() => null);
      if (parts === null) {
        return { database: false, everReady: answered.temporal && answered.worker, degraded: [] };
      }
      const now = parts[0] ?? { worker: false, temporal: false, certificateEnds: false };
      answered.worker ||= now.worker;
      answered.temporal ||= now.temporal;
      // Without a worker nobody can say how Temporal is: what it said last stands.
      const isAmiss: Record<Degraded, boolean> = {
        temporal: now.worker ? !now.temporal : !answered.temporal,
        worker: !now.worker,
        acquirer_certificate: now.certificateEnds,
      };
      const degraded = (['temporal', 'worker', 'acquirer_certificate'] as const).filter((part) => isAmiss[part]);
      return { database: true, everReady: answered.temporal && answered.worker, degraded };
    },
    async workerMetrics() {
      const rows = await run(pool, readMetrics, {}).catch(() => []);
      return rows.map(({ metrics }) => metrics);
    },
  };
}
