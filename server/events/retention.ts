import type pg from 'pg';
import { changePartitions, PARTITIONED } from '../db/partitions.ts';
import { run, statement } from '../db/statement.ts';
import { inBatches, ROWS_PER_BATCH } from '../jobs/batched-delete.ts';
import { DAY, HOUR, realTimeMs, SECOND_MS } from '../kernel/time.ts';
import { LADDER } from './deliveries/rules.ts';
import { EVENT_RETENTION } from './rules.ts';

/** A day's rows go when its last event can neither be queried nor be delivered any more, and a day later (docs/product/events.md#retention). */
const KEPT_SECONDS = EVENT_RETENTION + (LADDER.at(-1) ?? 93 * HOUR) + DAY;

interface Partition {
  readonly parent: string;
  readonly day: string;
}

const findPartitions = statement<Partition>(
  'find_partitions',
  `SELECT parent.relname AS parent, to_date(right(child.relname, 8), 'YYYYMMDD') AS day FROM pg_inherits i
   JOIN pg_class child ON child.oid = i.inhrelid JOIN pg_class parent ON parent.oid = i.inhparent
   WHERE parent.relname = ANY (:tables) AND child.relname ~ '_[0-9]{8}$' ORDER BY child.relname`,
);

const dropPartition = statement('drop_partition', 'SELECT drop_partition(:parent::text, :day::date)');

const deleteStrays = statement<{ deleted: number }>(
  'delete_strays',
  `SELECT delete_strays(:parent::text, :before::date, ${ROWS_PER_BATCH}) AS deleted`,
);

/** The first day that is kept. */
export function firstKeptDay(nowMs: number): string {
  return new Date(nowMs - KEPT_SECONDS * SECOND_MS).toISOString().slice(0, 10);
}

/** Drops the events whose time is over, with their deliveries. `told` is called between tables. */
export async function dropOldEvents(
  pool: pg.Pool,
  told: () => void,
): Promise<{ partitionsDropped: number; partitionsBusy: number; rowsDeleted: number }> {
  const before = firstKeptDay(realTimeMs());
  const partitions = await run(pool, findPartitions, { tables: [...PARTITIONED] });
  const counts = { partitionsDropped: 0, partitionsBusy: 0, rowsDeleted: 0 };
  for (const { parent, day } of partitions.filter((partition) => partition.day < before)) {
    if (await changePartitions(pool, dropPartition, { parent, day })) counts.partitionsDropped += 1;
    else counts.partitionsBusy += 1;
    told();
  }
  for (const parent of PARTITIONED) {
    // Rows of days that had no partition of their own.
    counts.rowsDeleted += await inBatches(
      async () => (await run(pool, deleteStrays, { parent, before }))[0]?.deleted ?? 0,
    );
    told();
  }
  return counts;
}
