import type { Delivery } from '../../contract/events.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { type AttemptRow, type LadderRow, viewDelivery } from './view.ts';

const AMONG = 'IN (SELECT * FROM unnest(:days::date[], :ids::text[]))';

const findLadders = statement<LadderRow & { eventId: string }>(
  'find_ladders',
  `SELECT d.event_id AS "eventId", d.endpoint_id AS "endpointId", d.ladder, d.status, d.attempts AS "attemptsMade", d.next_attempt_at AS "nextAttemptAt"
   FROM delivery d WHERE (d.day, d.event_id) ${AMONG} AND ${mine('d')} AND (:endpointId::text IS NULL OR d.endpoint_id = :endpointId)
   ORDER BY d.ladder DESC, d.endpoint_id DESC`,
);

/** Attempts name no account: they are read by their events, which the account has. */
const findAttempts = statement<AttemptRow & { eventId: string }>(
  'find_attempts',
  `SELECT t.event_id AS "eventId", t.endpoint_id AS "endpointId", t.ladder, t.attempt, t.at, t.status_code AS "statusCode",
     t.failure, t.detail, t.answer, t.duration_ms AS "durationMs"
   FROM delivery_attempt t WHERE (t.day, t.event_id) ${AMONG} AND (:endpointId::text IS NULL OR t.endpoint_id = :endpointId)
   ORDER BY t.endpoint_id, t.ladder, t.attempt`,
);

/** The ladders of events with every attempt, newest first, by their event: at one endpoint, or at all (null). */
export async function readLadders(
  deps: Pick<Deps, 'pool'>,
  scope: Scope,
  { events, endpointId }: { events: readonly { day: string; id: string }[]; endpointId: string | null },
): Promise<ReadonlyMap<string, Delivery[]>> {
  const among = { endpointId, days: events.map(({ day }) => day), ids: events.map(({ id }) => id) };
  const ladders = await readIn(deps.pool, scope, findLadders, among);
  // Read after the ladders: what they count is among the attempts, and later ones are not shown beside their former state.
  const attempts = Map.groupBy(await readIn(deps.pool, scope, findAttempts, among), ({ eventId }) => eventId);
  const views = ladders.map((row) => ({
    eventId: row.eventId,
    view: viewDelivery(row, attempts.get(row.eventId) ?? []),
  }));
  const byEvent = Map.groupBy(views, ({ eventId }) => eventId);
  return new Map([...byEvent].map(([id, of]) => [id, of.map(({ view }) => view)]));
}
