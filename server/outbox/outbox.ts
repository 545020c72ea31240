import type pg from 'pg';
import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { OutboxKind } from '../waiting.ts';

/** Work asked for in a committed transaction; `version` grows each time it is asked for again. */
export interface OutboxRow {
  readonly id: number;
  readonly kind: OutboxKind;
  readonly key: string;
  readonly accountId: string;
  readonly version: number;
  readonly failures: number;
}

/** A relay that died holds its rows no longer than this. */
const LEASE_SECONDS = 60;
const BACKOFF_FIRST_SECONDS = 1;
const BACKOFF_MAX_SECONDS = 300;

const claimRows = statement(
  'claim_outbox',
  `UPDATE outbox o SET due_at = now() + interval '${LEASE_SECONDS} seconds'
   FROM (SELECT id FROM outbox WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
   WHERE o.id = due.id
   RETURNING o.id, o.kind, o.key, o.account_id AS "accountId", o.version, o.failures`,
);

/** Takes rows that are due, the longest waiting first, for as long as the lease lasts. */
export function claimOutbox(pool: pg.Pool, max: number): Promise<OutboxRow[]> {
  return run<OutboxRow & Record<string, unknown>>(pool, claimRows, [max]);
}

const deleteRows = statement(
  'complete_outbox',
  `DELETE FROM outbox o USING unnest($1::bigint[], $2::int[]) AS done(id, version)
   WHERE o.id = done.id AND o.version = done.version`,
);

/** Removes rows whose work was started, unless it was asked for again meanwhile: then they are due once more. */
export async function completeOutbox(pool: pg.Pool, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await run(pool, deleteRows, [rows.map((row) => row.id), rows.map((row) => row.version)]);
}

const postponeRows = statement(
  'fail_outbox',
  `UPDATE outbox o SET failures = o.failures + 1, due_at = now() + make_interval(secs => failed.wait)
   FROM unnest($1::bigint[], $2::int[], $3::float8[]) AS failed(id, version, wait)
   WHERE o.id = failed.id AND o.version = failed.version`,
);

/** Seconds until a row that failed so often is tried again. */
export const backoffSeconds = (failures: number): number =>
  Math.min(BACKOFF_MAX_SECONDS, BACKOFF_FIRST_SECONDS * 2 ** Math.min(failures, 16));

/** Keeps rows whose work could not be started, each for a longer while than the last time. */
export async function failOutbox(pool: pg.Pool, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  const waits = rows.map((row) => backoffSeconds(row.failures));
  await run(pool, postponeRows, [rows.map((row) => row.id), rows.map((row) => row.version), waits]);
}

const releaseRows = statement(
  'release_outbox',
  `UPDATE outbox o SET due_at = now() FROM unnest($1::bigint[], $2::int[]) AS kept(id, version)
   WHERE o.id = kept.id AND o.version = kept.version`,
);

/** Gives rows back untouched: not they failed, but whoever takes them. */
export async function releaseOutbox(pool: pg.Pool, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await run(pool, releaseRows, [rows.map((row) => row.id), rows.map((row) => row.version)]);
}
