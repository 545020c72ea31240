import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { inDays } from '../../db/partitions.ts';
import { acrossAccounts, run } from '../../db/statement.ts';
import { codeOf } from '../../kernel/errors.ts';
import type { Timestamp } from '../../kernel/time.ts';
import { MERGE_ASKED } from '../../unit-of-work/facts.ts';
import { healthChange, PROVEN_AFTER, UNSTABLE_AFTER } from './rules.ts';

/** The ladder of one event at one endpoint. */
export interface DeliveryRef {
  readonly eventId: string;
  readonly endpointId: string;
  readonly ladder: number;
}

/** How a ladder is named wherever it is named in one word: in the outbox and in its workflow's id. */
export const deliveryKey = ({ eventId, endpointId, ladder }: DeliveryRef): string =>
  `${eventId}/${endpointId}/${ladder}`;

/** What came of one attempt; `gone`: its endpoint was deleted or disabled, and nothing was sent. */
export interface AttemptRecord extends DeliveryRef {
  readonly day: string;
  /** Where it went to. */
  readonly url: string;
  readonly outcome: 'delivered' | 'failed' | 'gone';
  /** Number of the attempt in its ladder; of one that was not made, that of the last. */
  readonly attempt: number;
  readonly at: Timestamp;
  readonly statusCode: number | null;
  readonly failure: string | null;
  readonly detail: string | null;
  readonly answer: string | null;
  readonly durationMs: number;
  /** On the account's clock; null when the ladder is over. */
  readonly nextAttemptAt: Timestamp | null;
}

const FAILURES_IN_A_ROW = '(CASE WHEN h.accepted THEN 0 ELSE w.consecutive_failures END + h.failures)';

/** What went to a former URL says nothing of the one that is there now. */
const IS_PROVING = `(h.accepts > 0 AND NOT w.live_mode AND w.url = h.url AND w.accepted_posts < ${PROVEN_AFTER})`;

/**
 * An attempt counts once: only the next one of its ladder is taken. One in flight when its endpoint was deleted is kept,
 * and still delivers. The first failure asks in the same statement for the ladder's case, which begins with the attempt that it
 * is to make; the end of a ladder inside an advance asks at once, for a case that waits for real time would not know of it.
 */
const recordAttempts = acrossAccounts<DeliveryRef>(
  'record_attempts',
  `WITH result AS (
    SELECT * FROM unnest(:eventIds::text[], :endpointIds::text[], :ladders::int[], :outcomes::text[], :attempts::int[], :instants::bigint[], :statusCodes::int[], :failures::text[],
      :details::text[], :answers::text[], :durations::int[], :nextInstants::bigint[]) AS r(event_id, endpoint_id, ladder, outcome, attempt, at, status_code, failure,
      detail, answer, duration_ms, next_at)
  ), written AS (
    UPDATE delivery d SET
      attempts = r.attempt,
      first_attempt_at = CASE WHEN r.outcome = 'gone' THEN d.first_attempt_at ELSE coalesce(d.first_attempt_at, r.at) END,
      status = CASE WHEN r.outcome = 'delivered' THEN 'delivered'
        WHEN r.outcome = 'failed' AND d.stage <> 'done' AND r.next_at IS NOT NULL THEN 'pending' ELSE 'failed' END,
      stage = CASE WHEN r.outcome = 'failed' AND d.stage <> 'done' AND r.next_at IS NOT NULL THEN 'ladder' ELSE 'done' END,
      next_attempt_at = CASE WHEN r.outcome = 'failed' AND d.stage <> 'done' THEN r.next_at END,
      claimable_at = CASE WHEN r.next_at IS NULL THEN now() ELSE now() + make_interval(secs => r.next_at - r.at) END
    FROM result r
    WHERE ${inDays('d.day', ':firstDay', ':lastDay')} AND d.event_id = r.event_id AND d.endpoint_id = r.endpoint_id AND d.ladder = r.ladder
      AND CASE WHEN r.outcome = 'gone' THEN d.status = 'pending' AND d.attempts = r.attempt
        ELSE d.status <> 'delivered' AND d.attempts = r.attempt - 1 END
    RETURNING d.day, d.event_id, d.endpoint_id, d.ladder, d.account_id, d.live_mode, d.stage, d.claimable_at, r.outcome, r.attempt, r.at, r.status_code,
      r.failure, r.detail, r.answer, r.duration_ms
  ), attempted AS (
    INSERT INTO delivery_attempt (day, event_id, endpoint_id, ladder, attempt, at, status_code, failure, detail, answer, duration_ms)
    SELECT day, event_id, endpoint_id, ladder, attempt, at, status_code, failure, detail, answer, duration_ms
    FROM written WHERE outcome <> 'gone'
  ), enqueued AS (
    INSERT INTO outbox (kind, key, account_id, live_mode, due_at)
    SELECT 'webhook-delivery', event_id || '/' || endpoint_id || '/' || ladder, account_id, live_mode,
      CASE WHEN stage = 'ladder' THEN claimable_at ELSE now() END
    FROM written w WHERE stage = 'ladder' AND attempt = 1
      OR stage = 'done' AND attempt > 1 AND NOT live_mode AND EXISTS (SELECT FROM account a WHERE a.id = w.account_id AND a.clock_held_at IS NOT NULL)
    ${MERGE_ASKED}
  ), health AS (
    UPDATE webhook_endpoint w SET
      consecutive_failures = ${FAILURES_IN_A_ROW},
      status = CASE WHEN w.status = 'disabled' THEN w.status WHEN ${FAILURES_IN_A_ROW} >= ${UNSTABLE_AFTER} THEN 'unstable' ELSE 'active' END,
      failing_since = CASE WHEN h.accepted THEN h.failing_since ELSE coalesce(w.failing_since, h.failing_since) END,
      warned_at = CASE WHEN h.accepted THEN NULL ELSE w.warned_at END,
      accepted_posts = CASE WHEN ${IS_PROVING} THEN least(${PROVEN_AFTER}, w.accepted_posts + h.accepts) ELSE w.accepted_posts END
    FROM unnest(:healthIds::text[], :accepted::boolean[], :failureCounts::int[], :failingSince::bigint[], :urls::text[], :accepts::int[])
      AS h(id, accepted, failures, failing_since, url, accepts)
    WHERE w.id = h.id AND (h.failures > 0 OR w.failing_since IS NOT NULL OR w.consecutive_failures > 0 OR ${IS_PROVING})
  )
  SELECT event_id AS "eventId", endpoint_id AS "endpointId", ladder FROM written`,
);

/** How many of the attempts the URL of the last one accepted. */
function acceptsOf(attempts: readonly AttemptRecord[]): { url: string; accepts: number } {
  const url = attempts.at(-1)?.url ?? '';
  const accepted = attempts.filter((attempt) => attempt.outcome === 'delivered' && attempt.url === url);
  return { url, accepts: accepted.length };
}

function healthColumns(records: readonly AttemptRecord[]) {
  const made = records.filter((record) => record.outcome !== 'gone');
  const changes = [...Map.groupBy(made, (record) => record.endpointId)].map(([id, attempts]) => ({
    id,
    ...healthChange(attempts.map(({ outcome, at }) => ({ accepted: outcome === 'delivered', at }))),
    ...acceptsOf(attempts),
  }));
  return {
    healthIds: changes.map((change) => change.id),
    accepted: changes.map((change) => change.accepted),
    failureCounts: changes.map((change) => change.failures),
    failingSince: changes.map((change) => change.failingSince),
    urls: changes.map((change) => change.url),
    accepts: changes.map((change) => change.accepts),
  };
}

/** Writes attempts with all that follows from them in one statement; answers the keys of the ladders it moved. */
export async function writeAttempts(pool: pg.Pool, records: readonly AttemptRecord[]): Promise<Set<string>> {
  const days = records.map((record) => record.day).sort();
  const rows = await run(pool, recordAttempts, {
    firstDay: days[0],
    lastDay: days.at(-1),
    eventIds: records.map((record) => record.eventId),
    endpointIds: records.map((record) => record.endpointId),
    ladders: records.map((record) => record.ladder),
    outcomes: records.map((record) => record.outcome),
    attempts: records.map((record) => record.attempt),
    instants: records.map((record) => record.at),
    statusCodes: records.map((record) => record.statusCode),
    failures: records.map((record) => record.failure),
    details: records.map((record) => record.detail),
    answers: records.map((record) => record.answer),
    durations: records.map((record) => record.durationMs),
    nextInstants: records.map((record) => record.nextAttemptAt),
    ...healthColumns(records),
  });
  return new Set(rows.map(deliveryKey));
}

const BATCH_MAX = 400;
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 2_000;
/** SQLSTATE classes of rows that no repetition makes good: data exception, integrity violation. */
const BAD_ROW = /^2[23]/;

export interface Recorder {
  /** Resolves, once it is committed, to whether the attempt was taken: false when its ladder had moved on already. */
  record(record: AttemptRecord): Promise<boolean>;
  /** Attempts not yet committed. */
  readonly waiting: number;
  /** Gives up what cannot be written; the rest is written first. */
  close(): Promise<void>;
}

interface Waiting {
  readonly record: AttemptRecord;
  readonly taken: PromiseWithResolvers<boolean>;
}

const isBadRow = (error: unknown): boolean => BAD_ROW.test(codeOf(error) ?? '');

/**
 * Writes attempts in batches, one batch at a time: what comes while one is written makes up the next.
 *
 * While the database is away it keeps them and tries again; after a crash their leases run out and they are sent anew.
 */
export function createRecorder({ pool, logger }: { pool: pg.Pool; logger: Logger }): Recorder {
  const queue: Waiting[] = [];
  let unwritten = 0;
  let closing = false;
  let writing: Promise<void> | null = null;

  const writeOnce = async (batch: readonly Waiting[]): Promise<void> => {
    const written = await writeAttempts(
      pool,
      batch.map(({ record }) => record),
    );
    for (const { record, taken } of batch) taken.resolve(written.has(deliveryKey(record)));
  };

  const giveUp = ({ record, taken }: Waiting, error: unknown): void => {
    logger.error({ err: error, delivery: deliveryKey(record) }, 'an attempt could not be recorded');
    taken.reject(error);
  };

  const write = async (batch: readonly Waiting[]): Promise<void> => {
    for (let retryMs = RETRY_FIRST_MS; ; retryMs = Math.min(retryMs * 2, RETRY_MAX_MS)) {
      try {
        return await writeOnce(batch);
      } catch (error) {
        const [only] = batch;
        if (closing || (isBadRow(error) && batch.length === 1 && only !== undefined)) {
          for (const waiting of batch) giveUp(waiting, error);
          return;
        }
        if (isBadRow(error)) {
          const half = Math.ceil(batch.length / 2);
          await write(batch.slice(0, half));
          return write(batch.slice(half));
        }
        logger.warn({ err: error, attempts: batch.length }, 'attempts wait to be recorded');
        await sleep(retryMs);
      }
    }
  };

  const drain = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH_MAX);
      await write(batch);
      unwritten -= batch.length;
    }
    writing = null;
  };

  return {
    get waiting() {
      return unwritten;
    },
    record(record) {
      const taken = Promise.withResolvers<boolean>();
      queue.push({ record, taken });
      unwritten += 1;
      // Results of one tick of the event loop go together.
      writing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(drain);
      return taken.promise;
    },
    async close() {
      closing = true;
      await writing;
    },
  };
}
