import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { type AttemptRecord, deliveryKey, writeAttempts } from './record.ts';

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

const isBadRow = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && BAD_ROW.test(String(error.code));

/**
 * Writes attempts in batches, one batch at a time: what comes while one is written makes up the next.
 *
 * While the database is away it keeps them and tries again; after a crash their leases run out and they are sent anew.
 */
export function createRecorder(options: { pool: pg.Pool; logger: Logger; onLadders?: () => void }): Recorder {
  const { pool, logger } = options;
  const queue: Waiting[] = [];
  let unwritten = 0;
  let closing = false;
  let writing: Promise<void> | null = null;

  const writeOnce = async (batch: readonly Waiting[]): Promise<void> => {
    const written = await writeAttempts(
      pool,
      batch.map(({ record }) => record),
    );
    if ([...written.values()].includes('ladder')) options.onLadders?.();
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
