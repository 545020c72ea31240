import type pg from 'pg';
import { codeOf } from '../kernel/errors.ts';
import { DAY, realTimeMs, SECOND_MS } from '../kernel/time.ts';
import { run, type Statement, statement, type Values } from './statement.ts';

export const PARTITIONED = ['event', 'event_standing', 'delivery', 'delivery_attempt'] as const;

/** Days made ahead: longer than any outage of the run that makes them. */
const DAYS_AHEAD = 14;

/** The UTC day of an instant, as partitions are named by it. */
export const dayText = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/**
 * SQL: days between two that a statement is called with. Partitions are chosen by it, and rows are found by no index of the day:
 * on a day that is still empty that would look best, and would read all of it when it has filled.
 */
export const inDays = (day: string, first: string, last: string): string =>
  `(${day} = ${first} OR ${day} BETWEEN ${first} AND ${last})`;

/** Makes the partitions of today and the days to come. A day whose rows already went to the default partition keeps them there. */
export async function ensurePartitions(pool: pg.Pool): Promise<number> {
  let made = 0;
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead += 1) {
    const day = dayText(realTimeMs() + ahead * DAY * SECOND_MS);
    for (const parent of PARTITIONED) made += await ensurePartition(pool, { parent, day });
  }
  return made;
}

const CHECK_VIOLATION = '23514';
const LOCK_NOT_AVAILABLE = '55P03';
const DUPLICATE_TABLE = '42P07';
/** Another process made it at this moment, rows of the day went to the default partition, or the table is too busy: there is a next time. */
const PASSING: readonly (string | null)[] = [CHECK_VIOLATION, LOCK_NOT_AVAILABLE, DUPLICATE_TABLE];

/** The schema is the owner's: the database itself makes and drops partitions, of these tables and days alone. */
const makePartition = statement<{ made: boolean }>(
  'make_partition',
  'SELECT make_partition(:parent::text, :day::date) AS made',
);

/** Has the database change partitions; false when their table is too busy to be locked now. */
export async function changePartitions(pool: pg.Pool, change: Statement, values: Values): Promise<boolean> {
  try {
    await run(pool, change, values);
    return true;
  } catch (error) {
    if (codeOf(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

async function ensurePartition(pool: pg.Pool, part: { parent: string; day: string }): Promise<number> {
  try {
    const [row] = await run(pool, makePartition, part);
    return row?.made === true ? 1 : 0;
  } catch (error) {
    if (error instanceof Error && PASSING.includes(codeOf(error))) return 0;
    throw error;
  }
}
