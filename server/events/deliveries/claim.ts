import type pg from 'pg';
import { dayText, inDays } from '../../db/partitions.ts';
import { acrossAccounts, run } from '../../db/statement.ts';
import { askingInTurn } from '../../jobs/round-robin.ts';
import { isLive, type Mode } from '../../kernel/mode.ts';
import { DAY, realTimeMs, SECOND_MS } from '../../kernel/time.ts';
import { DELIVERY_COLUMNS, DELIVERY_JOINS, type DeliveryRow } from './attempt.ts';
import type { Allowances } from './window.ts';

/** Longer than an attempt can take; a worker that died holds its rows no longer. */
export const LEASE_SECONDS = 60;

/**
 * Takes fresh deliveries of the endpoints of `asking`, each up to its allowance, going on after the endpoint that came last.
 *
 * The commit does not wait for the disk: a lease that a crash of the database forgets costs a repetition, as one that runs
 * out does.
 */
const claiming = (name: string, asking: string) =>
  acrossAccounts<DeliveryRow>(
    name,
    `WITH RECURSIVE ${asking}, picked AS (
    SELECT p.* FROM (SELECT id, coalesce((:byEndpoint::jsonb ->> id)::int,
        (SELECT CASE WHEN e.deleted_at IS NOT NULL OR e.status = 'disabled' THEN :max::int
          WHEN e.consecutive_failures > 0 THEN :byDefaultUnwell::int ELSE :byDefault::int END FROM webhook_endpoint e WHERE e.id = asking.id)) AS allowance
      FROM asking WHERE id IS NOT NULL) w,
      LATERAL (SELECT d.event_id, d.endpoint_id, d.ladder FROM delivery d
        WHERE d.live_mode = :liveMode AND d.stage = 'fresh' AND d.day BETWEEN :from AND :to AND d.endpoint_id = w.id AND d.claimable_at <= now()
        ORDER BY d.claimable_at LIMIT w.allowance FOR UPDATE SKIP LOCKED) p
    LIMIT :max
  ), leased AS (
    UPDATE delivery d SET claimable_at = now() + interval '${LEASE_SECONDS} seconds' FROM picked p
    WHERE ${inDays('d.day', ':from', ':to')} AND d.event_id = p.event_id AND d.endpoint_id = p.endpoint_id AND d.ladder = p.ladder
    RETURNING d.day, d.event_id, d.endpoint_id, d.ladder, d.account_id, d.live_mode, d.attempts, d.first_attempt_at
  )
  SELECT ${DELIVERY_COLUMNS} FROM (SELECT set_config('synchronous_commit', 'off', true)) AS hasty CROSS JOIN leased d ${DELIVERY_JOINS}`,
  );

/**
 * Of every endpoint. The index is stepped through from endpoint to endpoint, so neither a receiver with a long backlog nor the
 * number of rows pending makes a claim slower, but the number of endpoints that have something waiting does.
 */
const claimOfAll = claiming(
  'claim_fresh_deliveries',
  askingInTurn({
    table: 'delivery',
    column: 'endpoint_id',
    which: `n.live_mode = :liveMode AND n.stage = 'fresh' AND n.day BETWEEN :from AND :to`,
  }),
);

/** Of the endpoints of some accounts, in the order of the accounts, whatever waits at those of others. */
const claimOfAccounts = claiming(
  'claim_fresh_deliveries_of_accounts',
  `asking(id) AS (SELECT n.id FROM unnest(:accounts::text[]) AS named(account_id) CROSS JOIN LATERAL (SELECT e.id FROM webhook_endpoint e
      WHERE e.account_id = named.account_id AND e.live_mode = :liveMode AND e.deleted_at IS NULL OFFSET 0) n)`,
);

/** Partitions to look into: those of these days nearly always, and now and then every one, for what an outage left. */
export function claimDays(every: boolean): { from: string; to: string } {
  if (every) return { from: '-infinity', to: 'infinity' };
  return { from: dayText(realTimeMs() - DAY * SECOND_MS), to: dayText(realTimeMs() + DAY * SECOND_MS) };
}

/** What a claim takes. */
export interface Claim {
  readonly mode: Mode;
  readonly max: number;
  readonly allowances: Allowances;
}

/** Takes fresh deliveries of some accounts for as long as the lease lasts. */
export const claimNamed = (
  pool: pg.Pool,
  claim: Claim & { readonly accounts: ReadonlySet<string> },
): Promise<DeliveryRow[]> =>
  run(pool, claimOfAccounts, { ...asked(claim), ...claimDays(false), accounts: [...claim.accounts] });

/** The same of all, beginning behind the endpoint `after`; `everyDay`: also of days that nearly never have anything. */
export const claimAll = (
  pool: pg.Pool,
  claim: Claim & { readonly after: string; readonly everyDay: boolean },
): Promise<DeliveryRow[]> =>
  run(pool, claimOfAll, { ...asked(claim), ...claimDays(claim.everyDay), after: claim.after });

const asked = ({ mode, max, allowances: { total: _, byEndpoint, ...byDefaults } }: Claim) => ({
  ...{ liveMode: isLive(mode), max },
  ...{ byEndpoint: JSON.stringify(byEndpoint), ...byDefaults },
});

/** It is claimed again once the budget that it waits for may have room. */
export const putOff = acrossAccounts(
  'put_off_delivery',
  `UPDATE delivery d SET claimable_at = now() + make_interval(secs => :seconds)
   WHERE d.day = :day AND d.event_id = :eventId AND d.endpoint_id = :endpointId AND d.ladder = :ladder AND d.stage = 'fresh'`,
);
