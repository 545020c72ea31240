import type pg from 'pg';
import { mine, readIn, statement } from '../db/statement.ts';
import { firstSuffixAt, idDay, idTimeMs } from '../kernel/ids.ts';
import { type ClockScope, DAY, MINUTE, realTimeMs, SECOND_MS, type Timestamp } from '../kernel/time.ts';
import { COMMITS_WITHIN_MS } from '../unit-of-work/watermark.ts';

/** Where events are looked for: by their instants, both included, and by their ids, both left out. */
export interface IdRange {
  readonly from: Timestamp;
  readonly to: Timestamp;
  readonly above: string;
  readonly below: string;
}

/** How far the clocks of two of our machines may be apart, with room. */
const CLOCKS_DIFFER_MS = MINUTE * SECOND_MS;

/**
 * An id is made after the instant of its event, and before the transaction may commit no more. So of two events the one that
 * happened later has an id that is no further behind than this.
 */
const SLACK_MS = COMMITS_WITHIN_MS + CLOCKS_DIFFER_MS;

export const eventIdAt = (timeMs: number): string => `evt_${firstSuffixAt(timeMs)}`;

const edge = (name: string, { reach, order }: { reach: string; order: 'ASC' | 'DESC' }) =>
  statement<{ id: string }>(
    name,
    `SELECT s.event_id AS id FROM event_delivery_status s WHERE ${mine('s')} AND s.created ${reach} ORDER BY s.created ${order} LIMIT 1`,
  );

const findFirst = edge('find_first_event_since', { reach: '>= :at', order: 'ASC' });
const findLast = edge('find_last_event_until', { reach: '<= :at', order: 'DESC' });

const timeOf = (id: string): number => idTimeMs(id) ?? 0;

/**
 * The ids among which the events of a range of instants are. An account's clock goes forward alone, so ids are in the order of
 * instants but for the slack; what lies in that is told apart by its instant. Null: there are no such events.
 */
export async function idRangeOf(
  pool: pg.Pool,
  scope: ClockScope,
  { from, to }: { from: Timestamp; to: Timestamp | null },
): Promise<IdRange | null> {
  const [[first], [last]] = await Promise.all([
    readIn(pool, scope, findFirst, { at: from }),
    to === null ? [] : readIn(pool, scope, findLast, { at: to }),
  ]);
  if (first === undefined || (to !== null && last === undefined)) return null;
  const belowMs = last === undefined ? realTimeMs() + DAY * SECOND_MS : timeOf(last.id) + SLACK_MS;
  return {
    from,
    to: to ?? Number.MAX_SAFE_INTEGER,
    above: eventIdAt(timeOf(first.id) - SLACK_MS),
    below: eventIdAt(belowMs),
  };
}

/** The days of all of a range. */
export const daysOf = ({ above, below }: Pick<IdRange, 'above' | 'below'>): Days => ({
  first: idDay(above) ?? '1970-01-01',
  last: idDay(below) ?? dayAt(realTimeMs() + DAY * SECOND_MS),
});

/** Days of a window, both included. */
export interface Days {
  readonly first: string;
  readonly last: string;
}

/** Each window is so much longer than the one before it. */
const GROWTH = 4;

const dayAt = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);
const timeOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/**
 * The days of a range in the order they are read in, few at first: a page is nearly always full before the second window,
 * and what is rare is found by few looks.
 */
export function* windowsOf(
  { above, below }: Pick<IdRange, 'above' | 'below'>,
  { backward, firstDays }: { backward: boolean; firstDays: number },
): Generator<Days> {
  const { first, last } = daysOf({ above, below });
  const [firstMs, lastMs] = [timeOfDay(first), timeOfDay(last)];
  const step = DAY * SECOND_MS;
  let days = firstDays;
  let doneMs = 0;
  for (const allMs = lastMs - firstMs + step; doneMs < allMs; days *= GROWTH) {
    const endMs = Math.min(allMs, doneMs + days * step) - step;
    yield backward
      ? { first: dayAt(firstMs + doneMs), last: dayAt(firstMs + endMs) }
      : { first: dayAt(lastMs - endMs), last: dayAt(lastMs - doneMs) };
    doneMs = endMs + step;
  }
}
