import type pg from 'pg';
import { run } from '../db/database.ts';
import { type OutboxKind, outboxKinds } from '../db/facts.ts';
import { type Statement, statement } from '../db/statement.ts';
import { realTimeMs, SECOND_MS } from '../kernel/time.ts';

/** A case that is late by less may simply be at work; nor is one asked for anew more often. */
const LATE_SECONDS = 180;
/** A clock that is advanced moves all the time: one that stands still for so long is asked for anew, as often as a run comes. */
const STANDING_SECONDS = 15;
/** Asked for in one run; what is left is asked for in the next. */
const ROWS_MAX = 5_000;

/** Asks for what is late, the latest first, from where the last run stopped; `late` has the columns key, account_id and since. */
const recovery = (name: string, kind: OutboxKind, late: string): Statement =>
  statement(
    name,
    `WITH picked AS (
       SELECT late.key, late.account_id, late.since FROM (${late}) late
       WHERE (late.since, late.key COLLATE "C") > ($1::timestamptz, $2::text)
         AND NOT EXISTS (SELECT FROM outbox o WHERE o.kind = '${kind}' AND o.key = late.key COLLATE "default")
       ORDER BY late.since, late.key COLLATE "C" LIMIT $3
     ), asked AS (
       INSERT INTO outbox (kind, key, account_id) SELECT '${kind}', key, account_id FROM picked
       ON CONFLICT (kind, key) DO NOTHING
     )
     SELECT since::text AS since, key FROM picked ORDER BY picked.since, picked.key COLLATE "C"`,
  );

/** By how many seconds the clock of an account `a` is ahead of real time. */
const clockOf = (row: string): string => `CASE WHEN ${row}.live_mode THEN 0 ELSE a.sandbox_offset_seconds END`;
const nowOf = (row: string): string => `extract(epoch FROM now()) + ${clockOf(row)}`;
/** An instant of an account in real time, so that accounts compare. */
const realOf = (instant: string, row: string): string => `to_timestamp(${instant} - ${clockOf(row)})`;

/** What is under way by the database has a case; one that Temporal lost is asked for again. Harmless where it exists. */
const recoveries = {
  'webhook-delivery': recovery(
    'recover_ladders',
    'webhook-delivery',
    `SELECT d.event_id || '/' || d.endpoint_id || '/' || d.ladder AS key, d.account_id, d.claimable_at AS since FROM delivery d
     WHERE d.stage = 'ladder' AND d.claimable_at < now() - interval '${LATE_SECONDS} seconds'`,
  ),
  'charge-reconciliation': recovery(
    'recover_charges',
    'charge-reconciliation',
    `SELECT c.intent_id AS key, c.account_id, c.deadline_at AS since FROM charge_attempt c
     WHERE c.status = 'sent' AND c.deadline_at < now() - interval '${LATE_SECONDS} seconds'`,
  ),
  'refund-settlement': recovery(
    'recover_refunds',
    'refund-settlement',
    `SELECT p.intent_id AS key, p.account_id, min(${realOf('coalesce(p.retry_at, p.created)', 'p')}) AS since
     FROM refund_part p JOIN account a ON a.id = p.account_id
     WHERE p.status = 'refunding' AND coalesce(p.retry_at, p.created) + ${LATE_SECONDS} < ${nowOf('p')}
     GROUP BY p.intent_id, p.account_id`,
  ),
  'pix-settlement': recovery(
    'recover_settlements',
    'pix-settlement',
    `SELECT s.key, s.account_id, min(s.since) AS since FROM (
       SELECT c.id AS key, c.account_id, ${realOf('c.confirmed_at', 'c')} AS since
       FROM pix_charge c JOIN account a ON a.id = c.account_id
       WHERE c.confirmed_at IS NOT NULL AND c.confirmed_at + ${LATE_SECONDS} < ${nowOf('c')}
       UNION ALL SELECT r.txid, r.account_id, ${realOf('r.paid_at', 'r')}
       FROM pix_receipt r JOIN account a ON a.id = r.account_id WHERE r.intent_id IS NULL) s
     GROUP BY s.key, s.account_id`,
  ),
  'pix-expiry': recovery(
    'recover_expiries',
    'pix-expiry',
    `SELECT c.id AS key, c.account_id, ${realOf('c.created', 'c')} AS since
     FROM pix_charge c JOIN account a ON a.id = c.account_id WHERE c.state = 'retiring'`,
  ),
  collection: recovery(
    'recover_collections',
    'collection',
    `SELECT i.subscription_id AS key, i.account_id, to_timestamp(min(i.wake_at)) AS since FROM invoice i
     WHERE i.wake_at < extract(epoch FROM now())::bigint - ${LATE_SECONDS} AND i.in_case
     GROUP BY i.subscription_id, i.account_id`,
  ),
  'test-clock': recovery(
    'recover_test_clocks',
    'test-clock',
    `SELECT a.id AS key, a.id AS account_id, now() AS since FROM account a
     WHERE a.clock_target IS NOT NULL AND a.clock_moved_at < now() - interval '${STANDING_SECONDS} seconds'`,
  ),
} as const satisfies Record<OutboxKind, Statement>;

/** How far one kind was gone through, run by run, up to its end; what gets late meanwhile comes after it. */
interface Sweep {
  readonly begunAtMs: number;
  readonly since: string;
  readonly key: string;
  readonly ended: boolean;
}

type Sweeps = Map<OutboxKind, Sweep>;

/** Of each process its own: one that starts anew begins with the latest again. */
const sweepsOf = new WeakMap<pg.Pool, Sweeps>();

function sweepAt(sweeps: Sweeps, kind: OutboxKind, nowMs: number): Sweep {
  const sweep = sweeps.get(kind);
  const isOver = sweep?.ended === true && nowMs - sweep.begunAtMs >= LATE_SECONDS * SECOND_MS;
  return sweep === undefined || isOver ? { begunAtMs: nowMs, since: '-infinity', key: '', ended: false } : sweep;
}

export interface RecoveryOptions {
  readonly rowsMax?: number;
  readonly nowMs?: number;
}

// Every kind has its entry.
const zeroOfEach = () => Object.fromEntries(outboxKinds.map((kind) => [kind, 0])) as Record<OutboxKind, number>;

/** Asks anew for every case that should be at work and is late; answers how many of each kind. */
export async function recoverCases(pool: pg.Pool, options: RecoveryOptions = {}): Promise<Record<OutboxKind, number>> {
  const { rowsMax = ROWS_MAX, nowMs = realTimeMs() } = options;
  const sweeps: Sweeps = sweepsOf.get(pool) ?? new Map();
  sweepsOf.set(pool, sweeps);
  const counted = zeroOfEach();
  for (const kind of outboxKinds) {
    const sweep = sweepAt(sweeps, kind, nowMs);
    const rows = await run<{ since: string; key: string }>(pool, recoveries[kind], [sweep.since, sweep.key, rowsMax]);
    sweeps.set(kind, { ...sweep, ...rows.at(-1), ended: rows.length < rowsMax });
    counted[kind] = rows.length;
  }
  return counted;
}
