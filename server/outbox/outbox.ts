import type pg from 'pg';
import { acrossAccounts, run, type Statement } from '../db/statement.ts';
import { askingInTurn } from '../jobs/round-robin.ts';
import type { OutboxKind } from '../waiting.ts';

/** Work asked for in a committed transaction; `version` grows each time it is asked for again. */
export interface OutboxRow {
  readonly id: number;
  readonly kind: OutboxKind;
  readonly key: string;
  readonly accountId: string;
  readonly version: number;
  readonly failures: number;
  /** The part of a trace that asked for it; null: none did. */
  readonly traceparent: string | null;
}

/** A relay that died holds its rows no longer than this. */
const LEASE_SECONDS = 60;
const BACKOFF_FIRST_SECONDS = 1;
const BACKOFF_MAX_SECONDS = 300;

/** Ladders are apart: thousands of one account wait when its receiver is away, and what is about its money must not wait behind them. */
const KINDS = { ladders: `kind = 'webhook-delivery'`, others: `kind <> 'webhook-delivery'` } as const;
export type OutboxWork = keyof typeof KINDS;

const claiming = (work: OutboxWork) =>
  acrossAccounts<OutboxRow>(
    `claim_outbox_${work}`,
    `WITH RECURSIVE ${askingInTurn({ table: 'outbox', column: 'account_id', which: `n.live_mode = :liveMode AND n.${KINDS[work]}` })}, due AS (
     SELECT d.id FROM asking a,
       LATERAL (SELECT r.id FROM outbox r WHERE r.live_mode = :liveMode AND r.${KINDS[work]} AND r.account_id = a.id AND r.due_at <= now()
         ORDER BY r.due_at LIMIT :share FOR UPDATE SKIP LOCKED) d
     LIMIT :max
   )
   UPDATE outbox o SET due_at = now() + interval '${LEASE_SECONDS} seconds' FROM due WHERE o.id = due.id
   RETURNING o.id, o.kind, o.key, o.account_id AS "accountId", o.version, o.failures, o.traceparent`,
  );

const claims = { ladders: claiming('ladders'), others: claiming('others') } as const;

/** What a claim may take: rows of which work and mode, and how many of each account and together. */
export interface OutboxClaim {
  readonly liveMode: boolean;
  readonly work: OutboxWork;
  /** The account to go on after. */
  readonly after: string;
  readonly share: number;
  readonly max: number;
}

/** Takes rows that are due, account by account, the longest waiting of each first, for as long as the lease lasts. */
export const claimOutbox = (pool: pg.Pool, { work, ...claim }: OutboxClaim): Promise<OutboxRow[]> =>
  run(pool, claims[work], claim);

/** Changes claimed rows, but none that was asked for again meanwhile. */
async function change(
  pool: pg.Pool,
  prepared: Statement,
  { rows, ...more }: { readonly rows: readonly OutboxRow[]; readonly failed?: number; readonly waits?: number[] },
): Promise<void> {
  if (rows.length === 0) return;
  await run(pool, prepared, { ids: rows.map(({ id }) => id), versions: rows.map(({ version }) => version), ...more });
}

const deleteRows = acrossAccounts(
  'complete_outbox',
  `DELETE FROM outbox o USING unnest(:ids::bigint[], :versions::int[]) AS done(id, version)
   WHERE o.id = done.id AND o.version = done.version`,
);

/** Removes rows whose work was started, unless it was asked for again meanwhile: then they are due once more. */
export const completeOutbox = (pool: pg.Pool, rows: readonly OutboxRow[]): Promise<void> =>
  change(pool, deleteRows, { rows });

const giveBack = acrossAccounts(
  'give_back_outbox',
  `UPDATE outbox o SET failures = o.failures + :failed::int, due_at = now() + make_interval(secs => kept.wait)
   FROM unnest(:ids::bigint[], :versions::int[], :waits::float8[]) AS kept(id, version, wait)
   WHERE o.id = kept.id AND o.version = kept.version`,
);

/** Seconds until a row that failed so often is tried again. */
export const backoffSeconds = (failures: number): number =>
  Math.min(BACKOFF_MAX_SECONDS, BACKOFF_FIRST_SECONDS * 2 ** Math.min(failures, 16));

/** Keeps rows whose work could not be started, each for a longer while than the last time. */
export const failOutbox = (pool: pg.Pool, rows: readonly OutboxRow[]): Promise<void> =>
  change(pool, giveBack, { rows, failed: 1, waits: rows.map(({ failures }) => backoffSeconds(failures)) });

/** Gives rows back untouched: not they failed, but whoever takes them. */
export const releaseOutbox = (pool: pg.Pool, rows: readonly OutboxRow[]): Promise<void> =>
  change(pool, giveBack, { rows, failed: 0, waits: rows.map(() => 0) });
