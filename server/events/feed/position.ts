import { FEED_SEEN_MAX } from '../../../contract/event-feed.ts';
import { firstSuffixAt, idDay } from '../../kernel/ids.ts';
import { refuseCursor } from '../../unit-of-work/lists.ts';

/** The most events of one answer. */
const PAGE_MAX = 100;

/** As many rows as hold a page and one more, whatever of them was told before. */
export const ROWS_MAX = PAGE_MAX + FEED_SEEN_MAX + 1;

/** How far a reader of the feed is; its cursor says no more and no less. */
export interface Position {
  /** All that is or will be committed up to this id was told. */
  readonly after: string;
  /** The events beyond it that were told too, in the order of their ids. */
  readonly seen: readonly string[];
}

const eventId = (suffix: string): string => `evt_${suffix}`;
const suffixOf = (id: string): string => id.slice(id.indexOf('_') + 1);

/** Where reading begins that starts at an instant of real time, or at a watermark. */
export const positionAt = (suffix: string): Position => ({ after: eventId(suffix), seen: [] });

export const positionSince = (seconds: number): Position => positionAt(firstSuffixAt(seconds * 1_000));

export const cursorOf = ({ after, seen }: Position): string => [after, ...seen.map(suffixOf)].join('.');

export function positionOf(cursor: string): Position {
  const [after = '', ...seen] = cursor.split('.');
  if (idDay(after) === null) throw refuseCursor('cursor is none of this feed', 'cursor');
  return { after, seen: seen.map(eventId) };
}

/** A page cut out of what lies behind a position. */
export interface Cut<Row> {
  readonly taken: readonly Row[];
  readonly next: Position;
  /** Whether more waits to be told at once. */
  readonly more: boolean;
}

const later = (one: string, other: string): string => (one > other ? one : other);

/**
 * Takes the first page of rows behind a position, in the order of their ids. What lies beyond the watermark is told at once and
 * remembered, for rows with older ids may still be committed: those are told when they are (docs/design/event-feed.md#cursor).
 * Rows that are cut off after a number of bytes say so: then there is more.
 */
export function cutPage<Row extends { readonly id: string }>(
  rows: readonly Row[],
  { position, watermark, isCut }: { position: Position; watermark: string; isCut: boolean },
): Cut<Row> {
  const settledBefore = eventId(watermark);
  const known = new Set(position.seen);
  const unseen = rows.filter(({ id }) => !known.has(id));
  const early = position.seen.filter((id) => id >= settledBefore).length;
  const settled = unseen.filter(({ id }) => id < settledBefore);
  const overtakable = unseen.slice(settled.length, settled.length + FEED_SEEN_MAX - early);
  const taken = [...settled, ...overtakable].slice(0, PAGE_MAX);
  const isCutBehind = isCut && taken.length > 0;
  const more = isCutBehind || settled.length + overtakable.length > taken.length || rows.length === ROWS_MAX;
  const last = taken.at(-1)?.id;
  const reached = more && last !== undefined && last < settledBefore ? last : settledBefore;
  const after = later(position.after, reached);
  const seen = [...position.seen, ...taken.map(({ id }) => id)].filter((id) => id > after).sort();
  return { taken, next: { after, seen }, more };
}
