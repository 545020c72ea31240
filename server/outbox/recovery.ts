import type pg from 'pg';
import { acrossAccounts, run, type Statement } from '../db/statement.ts';
import { isLive, type Mode } from '../kernel/mode.ts';
import { realTimeMs, SECOND_MS } from '../kernel/time.ts';
import { LATE_SECONDS, type OutboxKind, outboxKinds, placesOf, type Waiting } from '../waiting.ts';

/** Asked for in one run; what is left is asked for in the next. */
const ROWS_MAX = 5_000;

const lateOf = ({ table, key, waits, due, lateSeconds }: Waiting): string =>
  `SELECT ${key} AS key, w.account_id, ${due.since} AS since FROM ${table} w JOIN account a ON a.id = w.account_id
   WHERE w.live_mode = :liveMode AND ${waits}${lateSeconds === undefined ? '' : ` AND ${due.isLate(lateSeconds)}`}`;

/** All that is late of a kind, once each: with the columns key, account_id and since. */
function lateKeys(kind: OutboxKind): string {
  const found = placesOf(kind);
  const late = found.map(lateOf).join(' UNION ALL ');
  if (!found.some(({ several }) => several)) return late;
  return `SELECT key, account_id, min(since) AS since FROM (${late}) each GROUP BY key, account_id`;
}

interface Asked {
  since: string;
  key: string;
  accountId: string;
}

/**
 * Asks for what is late of a kind: of each account the latest first, from where the last run stopped, and one of each account
 * before two of any. Harmless where the case exists.
 */
const recovery = (kind: OutboxKind): Statement<Asked> =>
  acrossAccounts(
    `recover_${kind.replaceAll('-', '_')}`,
    `WITH picked AS (
       SELECT late.key, late.account_id, late.since,
         row_number() OVER (PARTITION BY late.account_id ORDER BY late.since, late.key COLLATE "C") AS turn
       FROM (${lateKeys(kind)}) late
       WHERE (late.since, late.key COLLATE "C") > (
           coalesce((:asked::jsonb -> late.account_id ->> 'since')::timestamptz, '-infinity'), coalesce(:asked::jsonb -> late.account_id ->> 'key', ''))
         AND NOT EXISTS (SELECT FROM outbox o WHERE o.kind = '${kind}' AND o.key = late.key COLLATE "default")
       ORDER BY turn, late.since, late.key COLLATE "C" LIMIT :rowsMax
     ), asked AS (
       INSERT INTO outbox (kind, key, account_id, live_mode) SELECT '${kind}', key, account_id, :liveMode FROM picked
       ON CONFLICT (kind, key) DO NOTHING
     )
     SELECT since::text AS since, key, account_id AS "accountId" FROM picked ORDER BY turn`,
  );

/** What is in flight by the database has a case; one that Temporal lost is asked for again. */
const recoveries = outboxKinds.map((kind) => [kind, recovery(kind)] as const);

/** How far one kind was gone through, run by run, up to its end; what gets late meanwhile comes after it. */
interface Sweep {
  readonly begunAtMs: number;
  /** By account, the last that was asked for. */
  readonly asked: ReadonlyMap<string, { since: string; key: string }>;
  readonly ended: boolean;
}

type Sweeps = Map<`${Mode} ${OutboxKind}`, Sweep>;

/** Of each process its own: one that starts anew begins with the latest again. */
const sweepsOf = new WeakMap<pg.Pool, Sweeps>();

function sweepAt(sweep: Sweep | undefined, nowMs: number): Sweep {
  const isOver = sweep?.ended === true && nowMs - sweep.begunAtMs >= LATE_SECONDS * SECOND_MS;
  return sweep === undefined || isOver ? { begunAtMs: nowMs, asked: new Map(), ended: false } : sweep;
}

export interface RecoveryOptions {
  readonly mode: Mode;
  readonly rowsMax?: number;
  readonly nowMs?: number;
}

// Every kind has its entry.
const zeroOfEach = () => Object.fromEntries(outboxKinds.map((kind) => [kind, 0])) as Record<OutboxKind, number>;

/** Asks anew for every case of a mode that should be at work and is late; answers how many of each kind. */
export async function recoverCases(pool: pg.Pool, options: RecoveryOptions): Promise<Record<OutboxKind, number>> {
  const { mode, rowsMax = ROWS_MAX, nowMs = realTimeMs() } = options;
  const sweeps: Sweeps = sweepsOf.get(pool) ?? new Map();
  sweepsOf.set(pool, sweeps);
  const counted = zeroOfEach();
  for (const [kind, recover] of recoveries) {
    const sweep = sweepAt(sweeps.get(`${mode} ${kind}`), nowMs);
    const seen = JSON.stringify(Object.fromEntries(sweep.asked));
    const rows = await run(pool, recover, { asked: seen, liveMode: isLive(mode), rowsMax });
    const asked = new Map([...sweep.asked, ...rows.map(({ accountId, ...last }) => [accountId, last] as const)]);
    sweeps.set(`${mode} ${kind}`, { ...sweep, asked, ended: rows.length < rowsMax });
    counted[kind] = rows.length;
  }
  return counted;
}
