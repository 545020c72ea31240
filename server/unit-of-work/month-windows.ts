import type { EntityName } from '@mikro-orm/core';
import { idPrefixOf, isByMonth, monthStartMs } from '../db/months.ts';
import { firstSuffixAt, idTimeMs } from '../kernel/ids.ts';
import { DAY, realTimeMs, SECOND_MS } from '../kernel/time.ts';

/** Ids that one look goes over; absent: to the end. */
export interface IdWindow {
  readonly $gte?: string;
  readonly $lt?: string;
}

/** Months of the first look, which fills nearly every page, and of the second; the third goes over all that is left. */
const MONTHS_AT_ONCE = [2, 8] as const;

/** Clocks of machines differ by less. */
const CLOCKS_DIFFER_BY_MS = DAY * SECOND_MS;

/** The prefix of the ids of a table of months; null: it is none. */
function prefixOf<Row>(entity: EntityName<Row>): string | null {
  // Entities are declared by schemas, each with its table.
  const { tableName } = (entity as { readonly meta: { readonly tableName: string } }).meta;
  return isByMonth(tableName) ? idPrefixOf(tableName) : null;
}

/**
 * The looks of a page of a list, in their order: each plans and reads some months alone, for a plan of all of them takes
 * longer than a page (docs/design/sql.md#months). A list of another table has one, over everything. Nothing that is listed was
 * made after `madeBefore`, in seconds of real time.
 */
export function windowsOf<Row>(
  entity: EntityName<Row>,
  { cursor, isForward, madeBefore }: { cursor: string | null; isForward: boolean; madeBefore?: number | undefined },
): IdWindow[] {
  const prefix = prefixOf(entity);
  if (prefix === null) return [{}];
  const at = (timeMs: number): string => `${prefix}${firstSuffixAt(Math.max(0, timeMs))}`;
  const cursorMs = cursor === null ? null : idTimeMs(cursor);
  const [two, eight] = MONTHS_AT_ONCE;
  if (isForward) {
    const from = cursorMs ?? 0;
    const [first, second] = [at(monthStartMs(from, two)), at(monthStartMs(from, two + eight))];
    return [{ $lt: first }, { $gte: first, $lt: second }, { $gte: second }];
  }
  const latestMs = madeBefore === undefined ? Number.POSITIVE_INFINITY : madeBefore * SECOND_MS + CLOCKS_DIFFER_BY_MS;
  const nowMs = realTimeMs();
  const until = Math.min(cursorMs ?? nowMs, latestMs, nowMs);
  const [first, second] = [at(monthStartMs(until, 1 - two)), at(monthStartMs(until, 1 - two - eight))];
  // Ids of a process whose clock is ahead are among the newest.
  const last = latestMs < nowMs ? { $lt: at(latestMs) } : {};
  return [{ $gte: first, ...last }, { $gte: second, $lt: first }, { $lt: second }];
}
