import type pg from 'pg';
import { PROCESS_NAMES, STATEMENT_TIMEOUT_MS } from '../db/database.ts';
import { run, statement } from '../db/statement.ts';
import { firstSuffixAt, newSuffix } from '../kernel/ids.ts';
import { realTimeMs } from '../kernel/time.ts';
import { type ProcessRing, SEEN_WITHIN_SECONDS } from '../sealing/key-check.ts';

/** A transaction reaches the database within so long of its beginning, or begins anew with younger ids. */
export const REACHES_WITHIN_MS = 500;

/** Events are told within so long of their transaction's beginning, so that their ids are near their instants. */
export const COMMITS_WITHIN_MS = 30_000;

/** Ids of another process may be so much older than its transaction: what is on its way, and the clocks of two machines. */
const OTHERS_MS = 2 * REACHES_WITHIN_MS;

/** A session that we may not look into shows no state: it may have a transaction open for as long as one may last. */
const UNSEEN = `CASE WHEN state IS NULL THEN statement_timestamp() - interval '${STATEMENT_TIMEOUT_MS + COMMITS_WITHIN_MS} ms' END`;

/** A process that is there may be about to begin one: behind a pooler it has no connection of its own meanwhile. */
const ABOUT_TO_BEGIN = `SELECT statement_timestamp() FROM encryption_ring
  WHERE process <> :process AND NOT is_stopped AND seen_at > now() - interval '${SEEN_WITHIN_SECONDS} seconds' LIMIT 1`;

/** The real instant of the oldest transaction that another process has open or may be about to begin; null: there is no other process. */
const findOthers = statement<{ oldestMs: number | null }>(
  'oldest_transaction_of_others',
  `SELECT floor(extract(epoch FROM least(min(coalesce(xact_start, ${UNSEEN})), (${ABOUT_TO_BEGIN}))) * 1000)::bigint AS "oldestMs"
   FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '${PROCESS_NAMES}%'
     AND application_name <> current_setting('application_name')`,
);

export interface Watermark {
  /** Counts a transaction as one that may still insert rows; to be called when it has ended. */
  begin(): (end: 'known' | 'unknown') => void;
  /** The suffix of an id before which no row commits any more (docs/design/transactions.md#reading-forward). */
  find(): Promise<string>;
}

/** The low watermark of ids: rows with older ids are all committed or rolled back, so a reader may go past them. */
export function createWatermark(pool: pg.Pool, { process }: Pick<ProcessRing, 'process'>): Watermark {
  const under = new Set<{ readonly beganAtMs: number }>();
  return {
    begin() {
      const own = { beganAtMs: realTimeMs() };
      under.add(own);
      return (end) => {
        // The database may still commit what a lost connection was told to.
        if (end === 'unknown') setTimeout(() => under.delete(own), STATEMENT_TIMEOUT_MS).unref();
        else under.delete(own);
      };
    },
    async find() {
      // Before the look at the others, and both before the rows are read: what begins later has younger ids.
      const oldestOwn = Math.min(...[...under].map(({ beganAtMs }) => beganAtMs));
      const own = Number.isFinite(oldestOwn) ? firstSuffixAt(oldestOwn) : newSuffix();
      const [others] = await run(pool, findOthers, { process });
      if (others === undefined || others.oldestMs === null) return own;
      const ofOthers = firstSuffixAt(others.oldestMs - OTHERS_MS);
      if (own > ofOthers) return ofOthers;
      return own;
    },
  };
}
