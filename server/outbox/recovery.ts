import type pg from 'pg';
import { acrossAccounts, run, type Statement } from '../db/statement.ts';
import { realTimeMs, SECOND_MS } from '../kernel/time.ts';
import { LATE_SECONDS, type OutboxKind, outboxKinds, placesOf, type Waiting } from '../waiting.ts';

/** Asked for in one run; what is left is asked for in the next. */
const ROWS_MAX = 5_000;

const lateOf = ({ table, key, waits, due, lateSeconds }: Waiting): string =>
  `SELECT ${key} AS key, w.account_id, ${due.since} AS since FROM ${table} w JOIN account a ON a.id = w.account_id
   WHERE ${waits}${lateSeconds === undefined ? '' : ` AND ${due.isLate(lateSeconds)}`}`;

/** All that is late of a kind, once each: with the columns key, account_id and since. */
function lateKeys(kind: OutboxKind): string {
  const found = placesOf(kind);
  const late = found.map(lateOf).join(' UNION ALL ');
  if (!found.some(({ several }) => several)) return late;
  return `SELECT key, account_id, min(since) AS since FROM (${late}) each GROUP BY key, account_id`;
}

/** Asks for what is late of a kind, the latest first, from where the last run stopped. Harmless where the case exists. */
const recovery = (kind: OutboxKind): Statement<{ since: string; key: string }> =>
  acrossAccounts(
    `recover_${kind.replaceAll('-', '_')}`,
    `WITH picked AS (
       SELECT late.key, late.account_id, late.since FROM (${lateKeys(kind)}) late
       WHERE (late.since, late.key COLLATE "C") > (:since::timestamptz, :key::text)
         AND NOT EXISTS (SELECT FROM outbox o WHERE o.kind = '${kind}' AND o.key = late.key COLLATE "default")
       ORDER BY late.since, late.key COLLATE "C" LIMIT :rowsMax
     ), asked AS (
       INSERT INTO outbox (kind, key, account_id) SELECT '${kind}', key, account_id FROM picked
       ON CONFLICT (kind, key) DO NOTHING
     )
     SELECT since::text AS since, key FROM picked ORDER BY picked.since, picked.key COLLATE "C"`,
  );

/** What is under way by the database has a case; one that Temporal lost is asked for again. */
const recoveries = outboxKinds.map((kind) => [kind, recovery(kind)] as const);

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
  for (const [kind, recover] of recoveries) {
    const sweep = sweepAt(sweeps, kind, nowMs);
    const { since, key } = sweep;
    const rows = await run(pool, recover, { since, key, rowsMax });
    sweeps.set(kind, { ...sweep, ...rows.at(-1), ended: rows.length < rowsMax });
    counted[kind] = rows.length;
  }
  return counted;
}
