import type pg from 'pg';
import type { MetricObject } from 'prom-client';
import { SKEW_MAX_MS } from '../db/database-clock.ts';
import { acrossAccounts, run, statement } from '../db/statement.ts';
import { isDiskFull, proveWrite } from '../db/write-proof.ts';
import type { Settings } from '../deps.ts';
import { clockSkewMs } from '../kernel/time.ts';
import type { Degraded, Readiness } from './public.ts';

/** A worker that was seen within this time is there; it tells every two seconds that it is. */
const SEEN_SECONDS = 10;

/** From then on a certificate of an acquirer is everybody's concern: some PSPs take days to issue another. */
const CERTIFICATE_DAYS = 7;

interface Parts {
  readonly everReady: boolean;
  readonly worker: boolean;
  readonly temporal: boolean;
  readonly silent: boolean;
  readonly certificateEnds: boolean;
}

/** What a worker counted, as it wrote it down. */
const SILENT = `'$[*] ? (@.name == "fatura_silent_schedules").values[*] ? (@.value > 0)'`;

const readParts = acrossAccounts<Parts>(
  'read_parts',
  `SELECT EXISTS(SELECT FROM installation) AS "everReady", coalesce(array_agg(DISTINCT served.mode) @> :modes::text[], false) AS worker, coalesce(bool_or(temporal_ok), false) AS temporal,
     coalesce(bool_or(metrics::jsonb @? ${SILENT}), false) AS silent,
     EXISTS(SELECT FROM live_acquirer WHERE certificate_ends_at <= now() + interval '${CERTIFICATE_DAYS} days') AS "certificateEnds"
   FROM worker_heartbeat CROSS JOIN LATERAL unnest(modes) AS served(mode)
   WHERE seen_at > now() - interval '${SEEN_SECONDS} seconds' AND served.mode = ANY (:modes)`,
);

/** A statement of one row answers one. */
const NOTHING: Parts = { everReady: false, worker: false, temporal: false, silent: false, certificateEnds: false };

const readMetrics = statement<{ metrics: MetricObject[] }>(
  'read_worker_metrics',
  `SELECT metrics FROM worker_heartbeat WHERE seen_at > now() - interval '${SEEN_SECONDS} seconds' AND modes && :modes::text[]`,
);

/** Asks PostgreSQL, and by what the workers of the served modes write there, Temporal and the workers (docs/product/requests.md#public-routes). */
export function createReadiness(pool: pg.Pool, { modes }: Pick<Settings, 'modes'>): Readiness {
  /** What a worker said last: without one nobody can say how Temporal is. */
  let wasTemporalUp = false;
  return {
    async check() {
      const answered = await Promise.all([run(pool, readParts, { modes }), proveWrite(pool)]).catch(
        (error: unknown) => ({
          error,
        }),
      );
      if ('error' in answered) {
        const degraded = isDiskFull(answered.error) ? (['disk_full'] as const) : [];
        return { database: false, everReady: false, degraded };
      }
      const [[parts = NOTHING]] = answered;
      const { everReady, worker, silent, certificateEnds } = parts;
      if (worker) wasTemporalUp = parts.temporal;
      const isAmiss: Record<Degraded, boolean> = {
        temporal: !wasTemporalUp,
        worker: !worker,
        schedule: silent,
        acquirer_certificate: certificateEnds,
        clock: Math.abs(clockSkewMs()) > SKEW_MAX_MS,
        disk_full: false,
      };
      // The keys of a literal are those of its type.
      const degraded = (Object.keys(isAmiss) as Degraded[]).filter((part) => isAmiss[part]);
      return { database: true, everReady, degraded };
    },
    async workerMetrics() {
      const rows = await run(pool, readMetrics, { modes }).catch(() => []);
      return rows.map(({ metrics }) => metrics);
    },
  };
}
