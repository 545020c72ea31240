import type { z } from 'zod';
import { deliveryStatuses, type Event, type EventListQuery, eventTypes } from '../../contract/events.ts';
import { readAdapted, readOrdered } from '../db/plan-hints.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { idDay, idTimeMs } from '../kernel/ids.ts';
import { type Page, pageLimit, toPage, writtenText } from '../kernel/pages.ts';
import { type ClockScope, DAY, SECOND_MS } from '../kernel/time.ts';
import type { ReadPlace } from '../unit-of-work/late-reads.ts';
import { belowWatermark, readCursor, refuseCursor } from '../unit-of-work/lists.ts';
import { type From, readForPage } from '../unit-of-work/page-rows.ts';
import { type Days, daysOf, eventIdAt, type IdRange, idRangeOf, windowsOf } from './id-ranges.ts';
import {
  type EventRow,
  listByNarrowWalk,
  listByObject,
  listByTypeAndStatus,
  listByWalk,
  listEverything,
  NARROW_WALK_MAX,
  type Order,
  WALK_MAX,
} from './lists.ts';
import { EVENT_RETENTION } from './rules.ts';

type Query = z.output<typeof EventListQuery>;
type Reading = Pick<ReadPlace, 'pool' | 'watermark'> & Pick<Deps, 'clock'>;

const cursorExists = statement(
  'event_cursor_exists',
  `SELECT FROM event e WHERE e.day = :day AND e.id = :id AND ${mine('e')}`,
);

/** The ids that a page begins at and may go on to. */
async function boundsOf(
  deps: Reading,
  scope: ClockScope,
  query: Query,
): Promise<Partial<Pick<IdRange, 'above' | 'below'>>> {
  const cursor = readCursor(query);
  if (cursor === null) return {};
  const day = idDay(cursor.id);
  const found = day === null ? [] : await readIn(deps.pool, scope, cursorExists, { day, id: cursor.id });
  if (found.length === 0)
    throw refuseCursor(`${cursor.param} names no object of this list: ${cursor.id}`, cursor.param);
  if (cursor.param === 'starting_after') return { below: cursor.id };
  return { above: cursor.id, below: belowWatermark(cursor.id, await deps.watermark.find()) };
}

/** Nothing tells of an object before it is made, but for what the clocks of two of our processes may differ by. */
function sinceObject(related: string | undefined): string | undefined {
  const madeMs = related === undefined ? null : idTimeMs(related);
  return madeMs === null ? undefined : eventIdAt(Math.max(0, madeMs - DAY * SECOND_MS));
}

const later = (one: string, other: string | undefined): string => (other !== undefined && other > one ? other : one);
const sooner = (one: string, other: string | undefined): string => (other !== undefined && other < one ? other : one);

/** A list as it is asked for: whose, of what, among which ids, and how many rows at most. */
interface Asked {
  readonly deps: Reading;
  readonly scope: ClockScope;
  readonly query: Query;
  readonly order: Order;
  readonly limit: number;
}

/** How many days are looked at first: a page is nearly always full after them. */
const FIRST_DAYS = 2;
/** The day of an object that much is told of is long enough. */
const FIRST_DAYS_OF_OBJECT = 1;

/** Fills a page window by window. */
async function readWindows(
  { order, limit }: Asked,
  {
    range,
    firstDays,
    look,
  }: { range: IdRange; firstDays: number; look: (days: Days, left: number) => Promise<EventRow[]> },
): Promise<EventRow[]> {
  const rows: EventRow[] = [];
  for (const days of windowsOf(range, { backward: order === 'ASC', firstDays })) {
    rows.push(...(await look(days, limit - rows.length)));
    if (rows.length >= limit) break;
  }
  return rows;
}

function readEvents(asked: Asked, range: IdRange): Promise<EventRow[]> {
  const { deps, scope, query, order } = asked;
  const { type, delivery_status: status } = query;
  const filters = { types: type ?? eventTypes, statuses: status === undefined ? deliveryStatuses : [status] };
  const isFiltered = type !== undefined || status !== undefined;
  const look = (days: Days, limit: number) => {
    const list = isFiltered ? listByTypeAndStatus[order] : listEverything[order];
    const values = { ...range, ...days, limit, ...(isFiltered ? filters : {}) };
    return readOrdered(deps.pool, scope, { prepared: list, values });
  };
  return readWindows(asked, { range, firstDays: FIRST_DAYS, look });
}

/** Looks of a narrow walk, before the index of the object is asked. */
const NARROW_WALKS_MAX = 3;

/** A part of the list that was looked through, and where it ends; null: with the list. */
interface Walked {
  readonly rows: EventRow[];
  readonly rest: IdRange | null;
}

const isNarrow = ({ type, delivery_status: status }: Query): boolean =>
  type !== undefined || (status !== undefined && status !== 'delivered');

async function walkOnce({ deps, scope, query, order, limit }: Asked, range: IdRange, related: string): Promise<Walked> {
  const { type: types = eventTypes, delivery_status: status = null } = query;
  const narrow = isNarrow(query);
  const list = (narrow ? listByNarrowWalk : listByWalk)[order];
  const filters = narrow ? { statuses: status === null ? deliveryStatuses : [status] } : { status };
  const values = { ...range, ...daysOf(range), related, types, ...filters, limit };
  const found = await readOrdered(deps.pool, scope, { prepared: list, values });
  const rows = found.flatMap(({ id, body }) => (id === null || body === null ? [] : [{ id, body }]));
  const [{ walked = 0, reached = null } = {}] = found;
  if (reached === null || walked < (narrow ? NARROW_WALK_MAX : WALK_MAX)) return { rows, rest: null };
  return { rows, rest: order === 'DESC' ? { ...range, below: reached } : { ...range, above: reached } };
}

/** Events of one object: among the next few thousand that filters let through first, then by what they tell of. */
async function readEventsOf(asked: Asked, all: IdRange, related: string): Promise<EventRow[]> {
  const { deps, scope, query, order, limit } = asked;
  const rows: EventRow[] = [];
  let range = all;
  for (let walks = 0; walks < (isNarrow(query) ? NARROW_WALKS_MAX : 1); walks += 1) {
    const walked = await walkOnce({ ...asked, limit: limit - rows.length }, range, related);
    rows.push(...walked.rows);
    if (rows.length >= limit || walked.rest === null) return rows;
    range = walked.rest;
  }
  const filters = { related, types: query.type ?? eventTypes, status: query.delivery_status ?? null };
  const list = listByObject[order];
  const look = (days: Days, left: number) =>
    readAdapted(deps.pool, scope, { prepared: list, values: { ...range, ...days, ...filters, limit: left } });
  const left = { ...asked, limit: limit - rows.length };
  return [...rows, ...(await readWindows(left, { range, firstDays: FIRST_DAYS_OF_OBJECT, look }))];
}

/** Events of the last 30 days, newest first by id; they may be some seconds late. */
export const listEvents = (
  { late, clock }: Pick<Deps, 'late' | 'clock'>,
  scope: ClockScope,
  query: Query,
): Promise<Page<Event>> => late.run((place) => pageAt({ ...place, clock }, scope, query));

async function pageAt(deps: Reading, scope: ClockScope, query: Query): Promise<Page<Event>> {
  const bounds = await boundsOf(deps, scope, query);
  const since = deps.clock.now(scope) - EVENT_RETENTION;
  const { created_gte: from = since, created_lte: to = null, related_object: related } = query;
  const within = await idRangeOf(deps.pool, scope, { from: Math.max(since, from), to });
  const order = query.ending_before === undefined ? 'DESC' : 'ASC';
  const asked = { deps, scope, query, order } as const;
  const read = async ({ behind, limit }: From) => {
    if (within === null) return [];
    const further = behind === undefined ? {} : { [order === 'DESC' ? 'below' : 'above']: behind };
    const rows = await readIn30Days({ ...asked, limit }, { within, bounds: { ...bounds, ...further }, related });
    // The text was frozen from a view of the contract.
    return rows.map(({ id: at, body }) => ({ at, ...writtenText(body) }));
  };
  const url = '/api/v1/events';
  return toPage(await readForPage({ scope, url, limit: pageLimit(query) + 1 }, read), { query, url });
}

function readIn30Days(
  asked: Asked,
  {
    within,
    bounds,
    related,
  }: { within: IdRange; bounds: Partial<Pick<IdRange, 'above' | 'below'>>; related: string | undefined },
): Promise<EventRow[]> {
  const above = later(later(within.above, bounds.above), sinceObject(related));
  const range = { ...within, above, below: sooner(within.below, bounds.below) };
  return related === undefined ? readEvents(asked, range) : readEventsOf(asked, range, related);
}
