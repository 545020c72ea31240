import type { z } from 'zod';
import type { EventFeed, EventFeedQuery } from '../../../contract/event-feed.ts';
import type { Event } from '../../../contract/events.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { invalidParameter } from '../../kernel/errors.ts';
import { idDay } from '../../kernel/ids.ts';
import { PAGE_BYTES_MAX } from '../../kernel/pages.ts';
import { realTime, realTimeMs } from '../../kernel/time.ts';
import type { ReadPlace } from '../../unit-of-work/late-reads.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import { EVENT_RETENTION } from '../rules.ts';
import {
  type Cut,
  cursorOf,
  cutPage,
  type Position,
  positionAt,
  positionOf,
  positionSince,
  ROWS_MAX,
} from './position.ts';
import type { FeedWatch } from './watch.ts';

type Query = z.output<typeof EventFeedQuery>;

interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  /** Of it and of those before it. */
  readonly bytes: number;
}

/** A reader of one type may have far to go; an answer with nothing of it comes after so long at the latest. */
const READ_ON_MS = 2_000;

const readForward = statement<EventRow>(
  'read_events_forward',
  `SELECT f.id, f.type, f.body, f.bytes FROM (
     SELECT n.*, sum(octet_length(n.body)) OVER (ORDER BY n.id) AS bytes FROM (
       SELECT e.id, e.type, e.body FROM event e
       WHERE ${mine('e')} AND e.day >= :day::date AND e.id > :after AND e.id <> ALL (:seen::text[])
       ORDER BY e.id LIMIT ${ROWS_MAX}) n) f
   WHERE f.bytes - octet_length(f.body) < ${PAGE_BYTES_MAX} ORDER BY f.id`,
);

/** What the feed needs beside a request. */
export interface FeedDeps extends Pick<Deps, 'pool' | 'watermark' | 'late'> {
  readonly watch: FeedWatch;
}

/** A request whose answer may wait for events. */
export interface FeedRequest {
  readonly query: Query;
  /** Aborted when nobody waits for the answer any more, or when it is to be given at once. */
  readonly ended: AbortSignal;
  /** Called before it waits: what comes then is no latency. */
  readonly onWait: () => void;
}

async function pageAfter(
  deps: Pick<ReadPlace, 'pool' | 'watermark'>,
  scope: Scope,
  position: Position,
): Promise<Cut<EventRow>> {
  // Before the rows are read: what commits later has younger ids than these.
  const watermark = await deps.watermark.find();
  const { after, seen } = position;
  const rows = await readIn(deps.pool, scope, readForward, { after, day: idDay(after), seen });
  const isCut = Number(rows.at(-1)?.bytes ?? 0) >= PAGE_BYTES_MAX;
  return cutPage(rows, { position, watermark, isCut });
}

/** Where a request begins to read; events are kept for so long in real time, whatever the account's clock says. */
async function beginningOf(deps: FeedDeps, scope: Scope, { cursor, since }: Query): Promise<Position> {
  if (cursor !== undefined && since !== undefined) {
    throw invalidParameter('since', 'since must be absent where there is a cursor');
  }
  const oldest = positionSince(realTime() - EVENT_RETENTION);
  if (cursor === undefined && since === undefined) {
    // What is there already, beyond the watermark too, is not new.
    const { next } = await pageAfter(deps, scope, positionAt(await deps.watermark.find()));
    return next;
  }
  const asked = cursor === undefined ? positionSince(since ?? 0) : positionOf(cursor);
  return asked.after < oldest.after ? { ...asked, after: oldest.after } : asked;
}

/** What of an account happened after a position; where that is nothing yet, the answer waits for it as asked. */
export async function readFeed(
  deps: FeedDeps,
  scope: Scope,
  { query, ended, onWait }: FeedRequest,
): Promise<EventFeed> {
  const waitMs = (query.wait ?? 0) * 1_000;
  const leave = waitMs > 0 ? deps.watch.enter(scope) : () => {};
  try {
    const startedMs = realTimeMs();
    let position = await beginningOf(deps, scope, query);
    for (;;) {
      const from = position;
      const { taken, next, more } = await deps.late.run((place) => pageAfter(place, scope, from));
      const data = taken.filter(({ type }) => query.type?.some((wanted) => wanted === type) ?? true);
      const spentMs = realTimeMs() - startedMs;
      const isOver = more ? spentMs > READ_ON_MS : spentMs >= waitMs || ended.aborted;
      if (data.length > 0 || isOver) return view(data, next, !more);
      position = next;
      if (more) continue;
      onWait();
      await deps.watch.next(scope, position, { ms: waitMs - spentMs, signal: ended });
    }
  } finally {
    leave();
  }
}

const view = (rows: readonly EventRow[], next: Position, isCaughtUp: boolean): EventFeed => ({
  object: 'event_feed',
  // The text was frozen from a view of the contract.
  data: rows.map(({ body }) => JSON.parse(body) as Event),
  cursor: cursorOf(next),
  caught_up: isCaughtUp,
});
