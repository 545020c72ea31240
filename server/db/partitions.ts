import type pg from 'pg';
import { codeOf, UNIQUE_VIOLATION } from '../kernel/errors.ts';
import { DAY, realTimeMs, SECOND_MS } from '../kernel/time.ts';
import { monthStartMs, PARTITIONED_BY_MONTH } from './months.ts';
import { run, type Statement, statement, type Values } from './statement.ts';

export const PARTITIONED = ['event', 'event_delivery_status', 'delivery', 'delivery_attempt'] as const;

/** Days made ahead: longer than any outage of the run that makes them. */
const DAYS_AHEAD = 14;
/** Months made ahead: what they hold has no other place, and each is one more that a look for the newest rows opens. */
const MONTHS_AHEAD = 3;

/** The UTC day of an instant, as partitions are named by it. */
export const dayText = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/**
 * SQL: days between two that a statement is called with. Partitions are chosen by it, and rows are found by no index of the day:
 * on a day that is still empty that would look best, and would read all of it when it has filled.
 */
export const inDays = (day: string, first: string, last: string): string =>
  `(${day} = ${first} OR ${day} BETWEEN ${first} AND ${last})`;

interface Part {
  readonly parent: string;
  /** The day, or the first one of the month. */
  readonly day: string;
}

const ahead = (count: number, parents: readonly string[], dayOf: (later: number) => string): Part[] =>
  Array.from({ length: count + 1 }, (_, later) => dayOf(later)).flatMap((day) =>
    parents.map((parent) => ({ parent, day })),
  );

/** The partitions of today and the time to come. */
export function partitionsAhead(): Part[] {
  const now = realTimeMs();
  return [
    ...ahead(DAYS_AHEAD, PARTITIONED, (later) => dayText(now + later * DAY * SECOND_MS)),
    ...ahead(MONTHS_AHEAD, PARTITIONED_BY_MONTH, (later) => dayText(monthStartMs(now, later))),
  ];
}

/**
 * Makes the partitions that are missing, but for those whose table is too busy now: there is a next time. One that cannot be made
 * keeps no other from being made; what stood in its way is thrown then.
 */
export async function ensurePartitions(pool: pg.Pool): Promise<number> {
  let made = 0;
  const errors: unknown[] = [];
  for (const part of partitionsAhead()) {
    try {
      if (await makePartition(pool, part)) made += 1;
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return made;
}

const missingMonths = statement<{ name: string }>(
  'find_missing_months',
  'SELECT n.name FROM unnest(:names::text[]) AS n (name) WHERE to_regclass(n.name) IS NULL',
);

/** The months up to the next one that have no partition: rows made in them would be refused. */
export async function findMissingMonths(pool: pg.Pool, nowMs = realTimeMs()): Promise<string[]> {
  const months = ahead(1, PARTITIONED_BY_MONTH, (later) => dayText(monthStartMs(nowMs, later)));
  const names = months.map(({ parent, day }) => `${parent}_${day.slice(0, 7).replace('-', '')}`);
  return (await run(pool, missingMonths, { names })).map(({ name }) => name);
}

const CHECK_VIOLATION = '23514';
const LOCK_NOT_AVAILABLE = '55P03';
const DUPLICATE_TABLE = '42P07';

/** The schema is the owner's: the database itself makes and drops partitions, of these tables and days alone. */
const partitionMaker = statement<{ made: boolean }>(
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

/** Whether it was made: another process may do so at this moment, and meets us in the catalog, and a day whose rows went to the default partition keeps them there. */
export async function makePartition(target: pg.Pool | pg.ClientBase, part: Part): Promise<boolean> {
  try {
    const [row] = await run(target, partitionMaker, { ...part });
    return row?.made === true;
  } catch (error) {
    const code = codeOf(error);
    if (code === CHECK_VIOLATION || code === DUPLICATE_TABLE || code === UNIQUE_VIOLATION) return false;
    throw error;
  }
}
