import type { z } from 'zod';
import type { DeliveryStatus, Event, EventListQuery } from '../../contract/events.ts';
import { run } from '../db/database.ts';
import { readCursor, refuseCursor } from '../db/pages.ts';
import { type Statement, statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { idDay } from '../kernel/ids.ts';
import { type Page, pageLimit, toPage } from '../kernel/pages.ts';
import { EVENT_RETENTION } from './rules.ts';

type Query = z.output<typeof EventListQuery>;

/** A condition of the list by a short name; `$` stands for its parameters in order. */
interface Condition {
  readonly name: string;
  readonly sql: string;
  readonly values: readonly unknown[];
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
  WHERE d.account_id = $ AND d.live_mode = $ AND (d.stage = 'ladder' OR d.status = 'failed')`;
const FRESH = `SELECT d.day, d.event_id FROM delivery d WHERE d.stage = 'fresh'
  AND d.endpoint_id IN (SELECT w.id FROM webhook_endpoint w WHERE w.account_id = $ AND w.live_mode = $)`;

const CANDIDATES: Record<DeliveryStatus, readonly string[]> = {
  failed: [UNACCEPTED],
  pending: [UNACCEPTED, FRESH],
  delivered: [],
  not_sent: [],
};

const NOT_SENT: Condition = {
  name: 'not_sent',
  sql: 'NOT EXISTS (SELECT FROM delivery d WHERE d.day = e.day AND d.event_id = e.id)',
  values: [],
};

function byStatus(status: DeliveryStatus, scope: Scope): Condition {
  if (status === 'not_sent') return NOT_SENT;
  const candidates = CANDIDATES[status];
  const among = candidates.length === 0 ? '' : ` AND (e.day, e.id) IN (${candidates.join(' UNION ALL ')})`;
  return {
    name: status,
    sql: `${STATUS_OF_EVENT} = '${status}'${among}`,
    values: candidates.flatMap(() => [scope.accountId, scope.liveMode]),
  };
}

/** A day of slack: the clocks of two of our processes may differ. */
const sinceObject = (id: string): Condition[] => {
  const day = idDay(id);
  return day === null ? [] : [{ name: 's', sql: `e.day >= $::date - 1`, values: [day] }];
};

function filtersOf(query: Query, scope: Scope): Condition[] {
  const conditions: Condition[] = [];
  const { type: types, related_object: related, created_gte: from, created_lte: to, delivery_status: status } = query;
  if (types !== undefined) conditions.push({ name: 't', sql: 'e.type = ANY ($::text[])', values: [types] });
  if (related !== undefined) {
    conditions.push(...sinceObject(related));
  }
  if (from !== undefined) conditions.push({ name: 'f', sql: 'e.created >= $', values: [from] });
  if (to !== undefined) conditions.push({ name: 'u', sql: 'e.created <= $', values: [to] });
  if (status !== undefined) conditions.push(byStatus(status, scope));
  return conditions;
}

interface EventRow {
  id: string;
  body: string;
}

/** The events of one object are few and found by their own index; OFFSET keeps the planner from walking the list instead. */
const sourceOf = (related: string | undefined): Condition =>
  related === undefined
    ? { name: '', sql: 'event', values: [] }
    : { name: 'r', sql: '(SELECT * FROM event WHERE related @> $::text[] OFFSET 0)', values: [[related]] };

/** Numbers the parameters of the parts as they follow one another. */
function numbered(parts: readonly Condition[]): { sql: string[]; values: unknown[] } {
  let used = 0;
  const number = () => {
    used += 1;
    return `$${used}`;
  };
  return {
    sql: parts.map((part) => part.sql.replace(/\$/g, number)),
    values: parts.flatMap((part) => part.values),
  };
}

interface ListShape {
  readonly source: Condition;
  readonly conditions: readonly Condition[];
  readonly backward: boolean;
}

/** There are as many statements as combinations of filters. */
function buildList({ source, conditions, backward }: ListShape): { list: Statement; values: unknown[] } {
  const { sql, values } = numbered([source, ...conditions]);
  const [from = '', ...where] = sql;
  const name = [source, ...conditions].map((part) => part.name).join('');
  const list = statement(
    `list_events_${backward ? 'backward' : 'forward'}_${name}`,
    `SELECT e.id, e.body FROM ${from} e WHERE ${where.join(' AND ')}
     ORDER BY e.id ${backward ? 'ASC' : 'DESC'} LIMIT $${values.length + 1}`,
  );
  return { list, values };
}

const cursorExists = statement(
  'event_cursor_exists',
  `SELECT 1 FROM event WHERE day = $3 AND id = $4 AND account_id = $1 AND live_mode = $2`,
);

async function cursorConditions(deps: Deps, scope: Scope, query: Query): Promise<Condition[]> {
  const cursor = readCursor(query);
  if (cursor === null) return [];
  const day = idDay(cursor.id);
  const found =
    day === null ? [] : await run(deps.pool, cursorExists, [scope.accountId, scope.liveMode, day, cursor.id]);
  if (found.length === 0)
    throw refuseCursor(`${cursor.param} names no object of this list: ${cursor.id}`, cursor.param);
  const sql = cursor.param === 'starting_after' ? 'e.id < $ AND e.day <= $::date' : 'e.id > $ AND e.day >= $::date';
  return [{ name: 'c', sql, values: [cursor.id, day] }];
}

/** Events of the last 30 days, newest first. */
export async function listEvents(deps: Deps, scope: Scope, query: Query): Promise<Page<Event>> {
  const conditions: Condition[] = [
    { name: '', sql: 'e.account_id = $ AND e.live_mode = $', values: [scope.accountId, scope.liveMode] },
    { name: '', sql: 'e.created >= $', values: [deps.clock.now(scope) - EVENT_RETENTION] },
    ...(await cursorConditions(deps, scope, query)),
    ...filtersOf(query, scope),
  ];
  const backward = query.ending_before !== undefined;
  const { list, values } = buildList({ source: sourceOf(query.related_object), conditions, backward });
  const rows = await run<EventRow & Record<string, unknown>>(deps.pool, list, [...values, pageLimit(query) + 1]);
  // The text was frozen from a view of the contract.
  return toPage(rows, { query, url: '/api/v1/events', view: (row) => JSON.parse(row.body) as Event });
}
