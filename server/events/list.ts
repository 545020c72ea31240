import type { z } from 'zod';
import {
  type DeliveryStatus,
  deliveryStatuses,
  type Event,
  type EventListQuery,
  eventTypes,
} from '../../contract/events.ts';
import { beforeHorizon, readCursor, refuseCursor } from '../db/lists.ts';
import { readOrdered } from '../db/planned.ts';
import { mine, placed, readIn, type Statement, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { idDay, idTimeMs } from '../kernel/ids.ts';
import { type Page, pageLimit, toPage } from '../kernel/pages.ts';
import { type ClockScope, DAY, SECOND_MS } from '../kernel/time.ts';
import { EVENT_RETENTION } from './rules.ts';
import { type Days, eventIdAt, type Span, spanOf, windowsOf } from './spans.ts';

type Query = z.output<typeof EventListQuery>;

interface EventRow {
  id: string;
  body: string;
}

type Order = 'ASC' | 'DESC';

/** What each statement looks among; `id` is the column that orders it. */
const among = (row: string, id: string): string =>
  `${mine(row)} AND ${row}.day BETWEEN :first::date AND :last::date AND ${row}.created BETWEEN :from AND :to
   AND ${row}.${id} > :above AND ${row}.${id} < :below`;

const everything = (order: Order): string =>
  `SELECT e.id, e.body FROM event e WHERE ${among('e', 'id')} ORDER BY e.id ${order} LIMIT :limit`;

/** A look at each type with each result, all of them in the order of the list: no page reads past what it does not show. */
const byTypeAndStatus = (order: Order): string => `SELECT e.id, e.body FROM (
    SELECT s.day, s.event_id FROM unnest(:statuses::text[]) AS wanted(status) CROSS JOIN unnest(:types::text[]) AS kind(type)
    CROSS JOIN LATERAL (SELECT t.day, t.event_id FROM event_standing t
      WHERE t.status = wanted.status AND t.type = kind.type AND ${among('t', 'event_id')} ORDER BY t.event_id ${order} LIMIT :limit) s
    ORDER BY s.event_id ${order} LIMIT :limit
  ) p JOIN event e ON e.day = p.day AND e.id = p.event_id AND ${mine('e')} AND e.day BETWEEN :first::date AND :last::date
  ORDER BY e.id ${order}`;

/** The events of one object are few and found by an index of their own; OFFSET keeps the planner from walking the list instead. */
const byObject = (order: Order): string => `SELECT e.id, e.body
  FROM (SELECT * FROM event e WHERE e.related @> ARRAY[:related::text] AND e.day BETWEEN :first::date AND :last::date OFFSET 0) e
  JOIN event_standing s ON s.day = e.day AND s.event_id = e.id AND s.day BETWEEN :first::date AND :last::date
  WHERE ${among('e', 'id')} AND e.type = ANY (:types::text[]) AND s.status = ANY (:statuses::text[])
  ORDER BY e.id ${order} LIMIT :limit`;

const inBothOrders = (name: string, sql: (order: Order) => string): Readonly<Record<Order, Statement<EventRow>>> => ({
  DESC: statement(`list_events_${name}`, sql('DESC')),
  ASC: statement(`list_events_${name}_forward`, sql('ASC')),
});

const listEverything = inBothOrders('all', everything);
const listByTypeAndStatus = inBothOrders('by_type_and_status', byTypeAndStatus);
const listByObject = inBothOrders('by_object', byObject);

const cursorExists = statement(
  'event_cursor_exists',
  `SELECT FROM event e WHERE e.day = :day AND e.id = :id AND ${mine('e')}`,
);

type Reading = Pick<Deps, 'pool' | 'clock' | 'horizon'>;

/** The ids that a page begins at and may go on to. */
async function boundsOf(
  deps: Reading,
  scope: ClockScope,
  query: Query,
): Promise<Partial<Pick<Span, 'above' | 'below'>>> {
  const cursor = readCursor(query);
  if (cursor === null) return {};
  const day = idDay(cursor.id);
  const found = day === null ? [] : await readIn(deps.pool, scope, cursorExists, { day, id: cursor.id });
  if (found.length === 0)
    throw refuseCursor(`${cursor.param} names no object of this list: ${cursor.id}`, cursor.param);
  if (cursor.param === 'starting_after') return { below: cursor.id };
  return { above: cursor.id, below: beforeHorizon(cursor.id, await deps.horizon.find()) };
}

/** Nothing tells of an object before it is made, but for what the clocks of two of our processes may differ by. */
function sinceObject(related: string | undefined): string | undefined {
  const madeMs = related === undefined ? null : idTimeMs(related);
  return madeMs === null ? undefined : eventIdAt(Math.max(0, madeMs - DAY * SECOND_MS));
}

const later = (one: string, other: string | undefined): string => (other !== undefined && other > one ? other : one);
const sooner = (one: string, other: string | undefined): string => (other !== undefined && other < one ? other : one);

/** Reads one window. */
type Look = (days: Days, limit: number) => Promise<EventRow[]>;

function lookFor(deps: Reading, scope: ClockScope, { query, span }: { query: Query; span: Span }): Look {
  const order = query.ending_before === undefined ? 'DESC' : 'ASC';
  const { type: types = eventTypes, related_object: related, delivery_status: status } = query;
  const statuses: readonly DeliveryStatus[] = status === undefined ? deliveryStatuses : [status];
  if (related !== undefined)
    return (days, limit) =>
      readIn(deps.pool, scope, listByObject[order], { ...span, ...days, limit, related, types, statuses });
  const filtered = query.type !== undefined || status !== undefined;
  return (days, limit) => {
    const common = { ...span, ...days, limit };
    return filtered
      ? readOrdered(
          deps.pool,
          listByTypeAndStatus[order],
          placed(listByTypeAndStatus[order], { ...common, types, statuses }, scope),
        )
      : readOrdered(deps.pool, listEverything[order], placed(listEverything[order], common, scope));
  };
}

/** Events of the last 30 days, newest first by id. */
export async function listEvents(deps: Reading, scope: ClockScope, query: Query): Promise<Page<Event>> {
  const limit = pageLimit(query) + 1;
  const bounds = await boundsOf(deps, scope, query);
  const since = deps.clock.now(scope) - EVENT_RETENTION;
  const { created_gte: from = since, created_lte: to = null } = query;
  const within = await spanOf(deps.pool, scope, { from: Math.max(since, from), to });
  const rows: EventRow[] = [];
  if (within !== null) {
    const above = later(later(within.above, bounds.above), sinceObject(query.related_object));
    const span = { ...within, above, below: sooner(within.below, bounds.below) };
    const look = lookFor(deps, scope, { query, span });
    for (const days of windowsOf(span, { backward: query.ending_before !== undefined })) {
      rows.push(...(await look(days, limit - rows.length)));
      if (rows.length >= limit) break;
    }
  }
  // The text was frozen from a view of the contract.
  return toPage(rows, { query, url: '/api/v1/events', view: (row) => JSON.parse(row.body) as Event });
}
