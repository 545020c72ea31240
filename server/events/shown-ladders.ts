import type { Delivery, DeliveryStatus } from '../../contract/events.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { deliveryKey } from './deliveries/results.ts';
import { deliveryStatus, newestInTurn } from './deliveries/rules.ts';
import { type AttemptRow, type LadderRow, viewDelivery } from './view.ts';

type Reading = Pick<Deps, 'pool'>;

/** An event that is known to be of who asks. */
interface EventRef {
  readonly day: string;
  readonly id: string;
}

/** Ladders of an event that are shown: as many as its first deliveries and all resends open at five endpoints. */
const SHOWN_MAX = 20;

type FoundLadder = LadderRow & { day: string };

const LADDER_COLUMNS = `d.day, d.event_id AS "eventId", d.endpoint_id AS "endpointId", d.ladder, d.status, d.attempts AS "attemptsMade", d.next_attempt_at AS "nextAttemptAt"`;

const findOfEvent = statement<FoundLadder>(
  'find_ladders_of_event',
  `SELECT ${LADDER_COLUMNS} FROM delivery d WHERE d.day = :day AND d.event_id = :id AND ${mine('d')}
   ORDER BY d.ladder DESC, d.endpoint_id DESC`,
);

/** Event by event, whatever the planner believes: all deliveries of an endpoint may be a million. */
const findAtEndpoint = statement<FoundLadder>(
  'find_ladders_at_endpoint',
  `SELECT f.* FROM unnest(:days::date[], :ids::text[]) AS asked(day, id) CROSS JOIN LATERAL (
     SELECT ${LADDER_COLUMNS} FROM delivery d
     WHERE d.day = asked.day AND d.event_id = asked.id AND d.endpoint_id = :endpointId AND ${mine('d')} OFFSET 0) f
   ORDER BY f.ladder DESC`,
);

/** Attempts name no account: they are read by their ladders, which the account has. */
const findAttempts = statement<AttemptRow>(
  'find_attempts',
  `SELECT f.* FROM unnest(:days::date[], :ids::text[], :endpointIds::text[], :ladders::int[]) AS asked(day, id, endpoint_id, ladder)
   CROSS JOIN LATERAL (
     SELECT t.event_id AS "eventId", t.endpoint_id AS "endpointId", t.ladder, t.attempt, t.at, t.status_code AS "statusCode",
       t.failure, t.detail, t.answer, t.duration_ms AS "durationMs"
     FROM delivery_attempt t
     WHERE t.day = asked.day AND t.event_id = asked.id AND t.endpoint_id = asked.endpoint_id AND t.ladder = asked.ladder OFFSET 0) f
   ORDER BY f.attempt`,
);

/** How an event stands by all of its ladders, and the newest ones with every attempt (docs/product/events.md#delivery-result). */
export async function readNewestLadders(
  deps: Reading,
  scope: Scope,
  event: EventRef,
): Promise<{ status: DeliveryStatus; newest: Delivery[] }> {
  const { day, id } = event;
  const all = await readIn(deps.pool, scope, findOfEvent, { day, id });
  const shown = await withAttempts(deps, scope, newestInTurn(all).slice(0, SHOWN_MAX));
  return { status: deliveryStatus(all), newest: shown.map(({ view }) => view) };
}

/** The ladders of events at one endpoint with every attempt, newest first, by their event. */
export async function readLaddersAt(
  deps: Reading,
  scope: Scope,
  { events, endpointId }: { events: readonly EventRef[]; endpointId: string },
): Promise<ReadonlyMap<string, Delivery[]>> {
  const among = { endpointId, days: events.map(({ day }) => day), ids: events.map(({ id }) => id) };
  const ladders = await readIn(deps.pool, scope, findAtEndpoint, among);
  const byEvent = Map.groupBy(await withAttempts(deps, scope, ladders), ({ eventId }) => eventId);
  return new Map([...byEvent].map(([id, of]) => [id, of.map(({ view }) => view)]));
}

interface ShownLadder {
  readonly eventId: string;
  readonly view: Delivery;
}

/** Ladders as they are shown, in their order. */
async function withAttempts(deps: Reading, scope: Scope, ladders: readonly FoundLadder[]): Promise<ShownLadder[]> {
  const tried = ladders.filter(({ attemptsMade }) => attemptsMade > 0);
  // Read after the ladders: what they count is among the attempts, and later ones are not shown beside their former state.
  const attempts = await readIn(deps.pool, scope, findAttempts, {
    days: tried.map(({ day }) => day),
    ids: tried.map(({ eventId }) => eventId),
    endpointIds: tried.map(({ endpointId }) => endpointId),
    ladders: tried.map(({ ladder }) => ladder),
  });
  const byLadder = Map.groupBy(attempts, deliveryKey);
  return ladders.map((row) => ({
    eventId: row.eventId,
    view: viewDelivery(row, byLadder.get(deliveryKey(row)) ?? []),
  }));
}
