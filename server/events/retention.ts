import type pg from 'pg';
import { changePartitions, PARTITIONED } from '../db/partitions.ts';
import { deleteSome, inRounds } from '../db/rounds.ts';
import { DAY, HOUR, realTimeMs, SECOND_MS } from '../kernel/time.ts';
import { LADDER } from './deliveries/rules.ts';
import { EVENT_RETENTION } from './rules.ts';

/** A day's rows go when its last event can neither be queried nor be delivered any more, and a day later (docs/product/events.md#retention). */
const KEPT_SECONDS = EVENT_RETENTION + (LADDER.at(-1) ?? 93 * HOUR) + DAY;

const findPartitions = `SELECT child.relname AS name FROM pg_inherits i
  JOIN pg_class child ON child.oid = i.inhrelid JOIN pg_class parent ON parent.oid = i.inhparent
  WHERE parent.relname = ANY ($1) AND child.relname ~ '_[0-9]{8}$' ORDER BY child.relname`;

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
  const { rows } = await pool.query<{ name: string }>(findPartitions, [[...PARTITIONED]]);
  const counts = { partitionsDropped: 0, partitionsBusy: 0, rowsDeleted: 0 };
  for (const { name } of rows.filter((row) => row.name.slice(-8) < before.replaceAll('-', ''))) {
    if (await changePartitions(pool, `DROP TABLE ${name}`)) counts.partitionsDropped += 1;
    else counts.partitionsBusy += 1;
    told();
  }
  for (const table of PARTITIONED) {
    // Rows of days that had no partition of their own.
    const remove = deleteSome(`${table}_default`, 'day < $1');
    counts.rowsDeleted += await inRounds(async () => (await pool.query(remove, [before])).rows);
    told();
  }
  return counts;
}
