import type { z } from 'zod';
import type { Event, EventDeliveries } from '../../contract/events.ts';
import { mine, readIn, run, statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { missing } from '../kernel/errors.ts';
import { idDay } from '../kernel/ids.ts';
import { deliveryStatus } from './deliveries/rules.ts';
import { EVENT_RETENTION } from './rules.ts';
import { type AttemptRow, type LadderRow, viewDelivery } from './view.ts';

const findEvent = statement<{ body: string }>(
  'find_event',
  `SELECT e.body FROM event e WHERE e.day = :day AND e.id = :id AND ${mine('e')} AND e.created >= :since`,
);

/** The text of an event as its deliveries carry it; after 30 days there is none. */
async function readBody(deps: Deps, scope: Scope, id: string): Promise<{ day: string; body: string }> {
  const day = idDay(id);
  if (day === null) throw missing('event', id);
  const since = deps.clock.now(scope) - EVENT_RETENTION;
  const [row] = await readIn(deps.pool, scope, findEvent, { day, id, since });
  if (row === undefined) throw missing('event', id);
  return { day, body: row.body };
}

export async function retrieveEvent(deps: Deps, scope: Scope, id: string): Promise<Event> {
  const { body } = await readBody(deps, scope, id);
  return JSON.parse(body) as Event; // the text was frozen from a view of the contract
}

const findLadders = statement<LadderRow>(
  'find_ladders',
  `SELECT d.endpoint_id AS "endpointId", d.ladder, d.status, d.next_attempt_at AS "nextAttemptAt" FROM delivery d
   WHERE d.day = :day AND d.event_id = :id AND ${mine('d')} ORDER BY d.ladder DESC, d.endpoint_id DESC`,
);
/** Attempts name no account: they are read by their event, which the account has. */
const findAttempts = statement<AttemptRow>(
  'find_attempts',
  `SELECT endpoint_id AS "endpointId", ladder, attempt, at, status_code AS "statusCode", failure, detail, answer,
     duration_ms AS "durationMs" FROM delivery_attempt WHERE day = :day AND event_id = :id ORDER BY endpoint_id, ladder, attempt`,
);

/** What became of an event at each endpoint, newest ladder first. */
export async function retrieveDeliveries(
  deps: Deps,
  scope: Scope,
  id: string,
): Promise<z.output<typeof EventDeliveries>> {
  const { day } = await readBody(deps, scope, id);
  const ladders = await readIn(deps.pool, scope, findLadders, { day, id });
  // Read after the ladders: what they count is among the attempts.
  const attempts = await run(deps.pool, findAttempts, { day, id });
  return {
    object: 'event_deliveries',
    event: id,
    delivery_status: deliveryStatus(ladders),
    deliveries: { object: 'list', data: ladders.map((row) => viewDelivery(row, attempts)) },
  };
}
