import { isByMonth } from '../db/months.ts';

/** Rows that one statement deletes at most: its locks are few and soon gone. */
export const ROWS_PER_BATCH = 5_000;
/** Ten million rows; what is left after them is deleted the next time. */
const BATCHES_MAX = 2_000;

/** A row has its place, `ctid`, within a partition alone. */
const placeIn = (table: string): string => (isByMonth(table) ? 'id' : 'ctid');

/** SQL that deletes some of the rows of a table for which a condition holds. */
export const deleteSome = (table: string, condition: string): string =>
  `DELETE FROM ${table} WHERE ${placeIn(table)} = ANY (ARRAY(SELECT ${placeIn(table)} FROM ${table} WHERE ${condition} LIMIT ${ROWS_PER_BATCH})) RETURNING 1`;

/** Repeats a deletion, which answers its rows or their number, until it finds less than a whole batch; answers how many it deleted. */
export async function inBatches(deleteOnce: () => Promise<readonly unknown[] | number>): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const gone = await deleteOnce();
    const rows = typeof gone === 'number' ? gone : gone.length;
    deleted += rows;
    if (rows < ROWS_PER_BATCH) break;
  }
  return deleted;
}
