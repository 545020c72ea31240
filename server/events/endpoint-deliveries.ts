import type { z } from 'zod';
import type { Delivery, EventType } from '../../contract/events.ts';
import type { EndpointDelivery, EndpointDeliveryListQuery } from '../../contract/webhooks.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { type Page, pageLimit, toPage, written } from '../kernel/pages.ts';
import type { Timestamp } from '../kernel/time.ts';
import { belowWatermark, readCursor, refuseCursor } from '../unit-of-work/lists.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { retrieveEndpoint } from './endpoints.ts';
import { type Weighed, writtenUntilFull } from './parts.ts';
import { EVENT_RETENTION } from './rules.ts';
import { readLaddersAt } from './shown-ladders.ts';

/** It weighs what it has of ladders and attempts at the endpoint. */
interface DeliveredRow extends Weighed {
  id: string;
  day: string;
  type: EventType;
  created: Timestamp;
  status: 'pending' | 'delivered' | 'failed';
}

/** Events that were meant for an endpoint, each with where its newest ladder stands. */
const selectDelivered = (order: 'ASC' | 'DESC') => `SELECT e.id, e.day, e.type, e.created, d.status,
     (SELECT count(*) + sum(l.attempts) FROM delivery l WHERE l.day = d.day AND l.event_id = d.event_id
       AND l.endpoint_id = d.endpoint_id)::int AS weight
   FROM delivery d JOIN event e ON e.day = d.day AND e.id = d.event_id
   WHERE d.endpoint_id = :endpointId AND ${mine('d')} AND e.created >= :since
     AND NOT EXISTS(SELECT FROM delivery n WHERE n.day = d.day AND n.event_id = d.event_id
       AND n.endpoint_id = d.endpoint_id AND n.ladder > d.ladder)
     AND (:status::text IS NULL OR d.status = :status) AND (:types::text[] IS NULL OR e.type = ANY (:types))
     AND (:event::text IS NULL OR d.event_id = :event) AND (:from::bigint IS NULL OR e.created >= :from)
     AND (:to::bigint IS NULL OR e.created <= :to)
     AND (:below::text IS NULL OR d.event_id < :below) AND (:above::text IS NULL OR d.event_id > :above)
   ORDER BY d.event_id ${order} LIMIT :limit`;

const listNewest = statement<DeliveredRow>('list_endpoint_deliveries', selectDelivered('DESC'));
const listOldest = statement<DeliveredRow>('list_endpoint_deliveries_forward', selectDelivered('ASC'));

type Query = z.output<typeof EndpointDeliveryListQuery>;

/** Where a page begins: at an event that was meant for the endpoint. */
async function boundsOf(deps: Deps, scope: Scope, { endpointId, query }: { endpointId: string; query: Query }) {
  const cursor = readCursor(query);
  if (cursor === null) return { below: null, above: null };
  const found = await readIn(deps.pool, scope, listNewest, {
    ...{ endpointId, since: 0, status: null, types: null, from: null, to: null, below: null, above: null, limit: 1 },
    event: cursor.id,
  });
  if (found.length === 0)
    throw refuseCursor(`${cursor.param} names no event that was meant for ${endpointId}: ${cursor.id}`, cursor.param);
  if (cursor.param === 'starting_after') return { below: cursor.id, above: null };
  return { below: belowWatermark(cursor.id, await deps.watermark.find()), above: cursor.id };
}

/** The events that were meant for an endpoint, newest first, with every attempt. */
export async function listEndpointDeliveries(
  deps: Deps,
  scope: Scope,
  { endpointId, query }: { endpointId: string; query: Query },
): Promise<Page<EndpointDelivery>> {
  await retrieveEndpoint(deps, scope, endpointId);
  const bounds = await boundsOf(deps, scope, { endpointId, query });
  const { status = null, type: types = null, event = null, created_gte: from = null, created_lte: to = null } = query;
  const list = query.ending_before === undefined ? listNewest : listOldest;
  const since = deps.clock.now(scope) - EVENT_RETENTION;
  const asked = { endpointId, since, status, types, event, from, to, ...bounds, limit: pageLimit(query) + 1 };
  const rows = await readIn(deps.pool, scope, list, asked);
  const views = await writtenUntilFull(rows, async (events) => {
    const ladders = await readLaddersAt(deps, scope, { events, endpointId });
    return events.map((row) => written(viewDelivered(row, { endpointId, ladders: ladders.get(row.id) ?? [] })));
  });
  return toPage(views, { query, url: `/api/v1/webhook_endpoints/${endpointId}/deliveries` });
}

const viewDelivered = (
  { id, type, created, status }: DeliveredRow,
  { endpointId, ladders }: { endpointId: string; ladders: Delivery[] },
): EndpointDelivery => ({
  id,
  object: 'endpoint_delivery',
  webhook_endpoint: endpointId,
  type,
  created,
  status,
  ladders: { object: 'list', data: ladders },
});
