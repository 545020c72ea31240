import type pg from 'pg';
import { run } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { DAY, realTimeMs, SECOND_MS } from '../../kernel/time.ts';
import { DELIVERY_COLUMNS, DELIVERY_JOINS, type DeliveryRow } from './row.ts';
import type { Allowances } from './window.ts';

/** Longer than an attempt can take; a worker that died holds its rows no longer. */
const LEASE_SECONDS = 60;

/**
 * Takes fresh deliveries endpoint by endpoint, each up to its allowance, going on after the endpoint that came last.
 *
 * The index is stepped through from endpoint to endpoint, so neither a receiver with a long backlog nor the number of rows
 * pending makes a claim slower.
 */
const claimFresh = statement<DeliveryRow>(
  'claim_fresh_deliveries',
  `WITH RECURSIVE waiting(id) AS (
    (SELECT d.endpoint_id FROM delivery d
      WHERE d.stage = 'fresh' AND d.day BETWEEN :from AND :to AND d.endpoint_id > :after ORDER BY d.endpoint_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.endpoint_id FROM delivery d
      WHERE d.stage = 'fresh' AND d.day BETWEEN :from AND :to AND d.endpoint_id > w.id ORDER BY d.endpoint_id LIMIT 1)
    FROM waiting w WHERE w.id IS NOT NULL
  ), picked AS (
    SELECT p.* FROM (SELECT id, coalesce((:byEndpoint::jsonb ->> id)::int, CASE WHEN
        (SELECT e.consecutive_failures > 0 FROM webhook_endpoint e WHERE e.id = waiting.id) THEN :byDefaultUnwell::int ELSE :byDefault::int END) AS allowance
      FROM waiting WHERE id IS NOT NULL) w,
      LATERAL (SELECT d.day, d.event_id, d.endpoint_id, d.ladder FROM delivery d
        WHERE d.stage = 'fresh' AND d.day BETWEEN :from AND :to AND d.endpoint_id = w.id AND d.claimable_at <= now()
        ORDER BY d.claimable_at LIMIT w.allowance FOR UPDATE SKIP LOCKED) p
    LIMIT :max
  ), leased AS (
    UPDATE delivery d SET claimable_at = now() + interval '${LEASE_SECONDS} seconds' FROM picked p
    WHERE d.day = p.day AND d.event_id = p.event_id AND d.endpoint_id = p.endpoint_id AND d.ladder = p.ladder
    RETURNING d.day, d.event_id, d.endpoint_id, d.ladder, d.account_id, d.live_mode, d.attempts, d.first_attempt_at
  )
  SELECT ${DELIVERY_COLUMNS} FROM leased d ${DELIVERY_JOINS}`,
);

const dayText = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** Partitions to look into: those of these days nearly always, and now and then every one, for what an outage left. */
function daysOf(every: boolean): { from: string; to: string } {
  if (every) return { from: '-infinity', to: 'infinity' };
  return { from: dayText(realTimeMs() - DAY * SECOND_MS), to: dayText(realTimeMs() + DAY * SECOND_MS) };
}

export interface Claim {
  readonly max: number;
  readonly allowances: Allowances;
  /** The endpoint to go on after. */
  readonly after: string;
  readonly everyDay: boolean;
}

export function claimDeliveries(pool: pg.Pool, claim: Claim): Promise<DeliveryRow[]> {
  const { byEndpoint, byDefault, byDefaultUnwell } = claim.allowances;
  const allowances = { byEndpoint: JSON.stringify(byEndpoint), byDefault, byDefaultUnwell };
  return run(pool, claimFresh, { ...daysOf(claim.everyDay), after: claim.after, max: claim.max, ...allowances });
}
