import type { z } from 'zod';
import type { DeliveryStatus, Event, EventListQuery } from '../../contract/events.ts';
import { beforeHorizon, readCursor, refuseCursor } from '../db/lists.ts';
import { mine, readIn, type Statement, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { idDay } from '../kernel/ids.ts';
import { type Page, pageLimit, toPage } from '../kernel/pages.ts';
import type { ClockScope } from '../kernel/time.ts';
import { EVENT_RETENTION } from './rules.ts';

type Query = z.output<typeof EventListQuery>;

/** A condition of the list by a short name, with the values of the parameters that it brings. */
interface Condition {
  readonly name: string;
  readonly sql: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The newest ladder at each endpoint counts: `deliveryStatus` of the rules, in SQL. */
const STATUS_OF_EVENT = `(
  SELECT CASE WHEN bool_or(n.status = 'failed') THEN 'failed' WHEN bool_or(n.status = 'pending') THEN 'pending'
    WHEN count(*) > 0 THEN 'delivered' ELSE 'not_sent' END
  FROM (
    SELECT DISTINCT ON (d.endpoint_id) d.status FROM delivery d
    WHERE d.day = e.day AND d.event_id = e.id ORDER BY d.endpoint_id, d.ladder DESC
  ) n)`;

/** Unsettled and failed deliveries are few among many events: the search begins at the indexes that hold them alone. */
const UNACCEPTED = `SELECT d.day, d.event_id FROM delivery d
  WHERE ${mine('d')} AND (d.stage = 'ladder' OR d.status = 'failed')`;
const FRESH = `SELECT d.day, d.event_id FROM delivery d WHERE d.stage = 'fresh'
  AND d.endpoint_id IN (SELECT w.id FROM webhook_endpoint w WHERE ${mine('w')})`;

const CANDIDATES: Record<DeliveryStatus, readonly string[]> = {
  failed: [UNACCEPTED],
  pending: [UNACCEPTED, FRESH],
  delivered: [],
  not_sent: [],
};

const NOT_SENT: Condition = {
  name: 'not_sent',
  sql: 'NOT EXISTS (SELECT FROM delivery d WHERE d.day = e.day AND d.event_id = e.id)',
  values: {},
};

function byStatus(status: DeliveryStatus): Condition {
  if (status === 'not_sent') return NOT_SENT;
  const candidates = CANDIDATES[status];
  const among = candidates.length === 0 ? '' : ` AND (e.day, e.id) IN (${candidates.join(' UNION ALL ')})`;
  return { name: status, sql: `${STATUS_OF_EVENT} = '${status}'${among}`, values: {} };
}

/** A day of slack: the clocks of two of our processes may differ. */
const sinceObject = (id: string): Condition[] => {
  const day = idDay(id);
  return day === null ? [] : [{ name: 's', sql: `e.day >= :objectDay::date - 1`, values: { objectDay: day } }];
};

function filtersOf(query: Query): Condition[] {
  const conditions: Condition[] = [];
  const { type: types, related_object: related, created_gte: from, created_lte: to, delivery_status: status } = query;
  if (types !== undefined) conditions.push({ name: 't', sql: 'e.type = ANY (:types::text[])', values: { types } });
  if (related !== undefined) {
    conditions.push(...sinceObject(related));
  }
  if (from !== undefined) conditions.push({ name: 'f', sql: 'e.created >= :from', values: { from } });
  if (to !== undefined) conditions.push({ name: 'u', sql: 'e.created <= :to', values: { to } });
  if (status !== undefined) conditions.push(byStatus(status));
  return conditions;
}

interface EventRow {
  id: string;
  body: string;
}

/** The events of one object are few and found by their own index; OFFSET keeps the planner from walking the list instead. */
const sourceOf = (related: string | undefined): Condition =>
  related === undefined
    ? { name: '', sql: 'event', values: {} }
    : {
        name: 'r',
        sql: '(SELECT * FROM event e WHERE e.related @> :related::text[] OFFSET 0)',
        values: { related: [related] },
      };

interface ListShape {
  readonly source: Condition;
  readonly conditions: readonly Condition[];
  readonly backward: boolean;
}

/** There are as many statements as combinations of filters. */
function buildList({ source, conditions, backward }: ListShape): Statement<EventRow> {
  const where = conditions.map(({ sql }) => sql).join(' AND ');
  const name = [source, ...conditions].map((part) => part.name).join('');
  return statement<EventRow>(
    `list_events_${backward ? 'backward' : 'forward'}_${name}`,
    `SELECT e.id, e.body FROM ${source.sql} e WHERE ${where} ORDER BY e.id ${backward ? 'ASC' : 'DESC'} LIMIT :limit`,
  );
}

const cursorExists = statement(
  'event_cursor_exists',
  `SELECT FROM event e WHERE e.day = :day AND e.id = :id AND ${mine('e')}`,
);

async function cursorConditions(
  deps: Pick<Deps, 'pool' | 'horizon'>,
  scope: ClockScope,
  query: Query,
): Promise<Condition[]> {
  const cursor = readCursor(query);
  if (cursor === null) return [];
  const day = idDay(cursor.id);
  const found = day === null ? [] : await readIn(deps.pool, scope, cursorExists, { day, id: cursor.id });
  if (found.length === 0)
    throw refuseCursor(`${cursor.param} names no object of this list: ${cursor.id}`, cursor.param);
  const at = { cursor: cursor.id, cursorDay: day };
  if (cursor.param === 'starting_after')
    return [{ name: 'c', sql: 'e.id < :cursor AND e.day <= :cursorDay::date', values: at }];
  const horizon = beforeHorizon(cursor.id, await deps.horizon.find());
  const sql = 'e.id > :cursor AND e.day >= :cursorDay::date AND e.id < :horizon';
  return [{ name: 'h', sql, values: { ...at, horizon } }];
}

/** Events of the last 30 days, newest first. */
export async function listEvents(
  deps: Pick<Deps, 'pool' | 'clock' | 'horizon'>,
  scope: ClockScope,
  query: Query,
): Promise<Page<Event>> {
  const conditions: Condition[] = [
    { name: '', sql: mine('e'), values: {} },
    { name: '', sql: 'e.created >= :since', values: { since: deps.clock.now(scope) - EVENT_RETENTION } },
    ...(await cursorConditions(deps, scope, query)),
    ...filtersOf(query),
  ];
  const backward = query.ending_before !== undefined;
  const source = sourceOf(query.related_object);
  const values = Object.fromEntries([source, ...conditions].flatMap((part) => Object.entries(part.values)));
  const rows = await readIn(deps.pool, scope, buildList({ source, conditions, backward }), {
    ...values,
    limit: pageLimit(query) + 1,
  });
  // The text was frozen from a view of the contract.
  return toPage(rows, { query, url: '/api/v1/events', view: (row) => JSON.parse(row.body) as Event });
}
