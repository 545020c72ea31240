import type { z } from 'zod';
import type { Event, EventDeliveries } from '../../contract/events.ts';
import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { missing } from '../kernel/errors.ts';
import { idDay } from '../kernel/ids.ts';
import { deliveryStatus } from './deliveries/rules.ts';
import { EVENT_RETENTION } from './rules.ts';
import { type AttemptRow, type LadderRow, viewDelivery } from './view.ts';

const findEvent = statement(
  'find_event',
  `SELECT body FROM event WHERE day = $1 AND id = $2 AND account_id = $3 AND live_mode = $4 AND created >= $5`,
);

/** The text of an event as its deliveries carry it; after 30 days there is none. */
async function readBody(deps: Deps, scope: Scope, id: string): Promise<{ day: string; body: string }> {
  const day = idDay(id);
  if (day === null) throw missing('event', id);
  const since = deps.clock.now(scope) - EVENT_RETENTION;
  const [row] = await run<{ body: string }>(deps.pool, findEvent, [day, id, scope.accountId, scope.liveMode, since]);
  if (row === undefined) throw missing('event', id);
  return { day, body: row.body };
}

export async function retrieveEvent(deps: Deps, scope: Scope, id: string): Promise<Event> {
  const { body } = await readBody(deps, scope, id);
  return JSON.parse(body) as Event; // the text was frozen from a view of the contract
}

const findLadders = statement(
  'find_ladders',
  `SELECT endpoint_id, ladder, status, next_attempt_at FROM delivery WHERE day = $1 AND event_id = $2
   ORDER BY ladder DESC, endpoint_id DESC`,
);
const findAttempts = statement(
  'find_attempts',
  `SELECT endpoint_id, ladder, attempt, at, status_code, failure, detail, duration_ms FROM delivery_attempt
   WHERE day = $1 AND event_id = $2 ORDER BY endpoint_id, ladder, attempt`,
);

/** What became of an event at each endpoint, newest ladder first. */
export async function retrieveDeliveries(
  deps: Deps,
  scope: Scope,
  id: string,
): Promise<z.output<typeof EventDeliveries>> {
  const { day } = await readBody(deps, scope, id);
  const [ladders, attempts] = await Promise.all([
    run<LadderRow & Record<string, unknown>>(deps.pool, findLadders, [day, id]),
    run<AttemptRow & Record<string, unknown>>(deps.pool, findAttempts, [day, id]),
  ]);
  const states = ladders.map((row) => ({ endpointId: row.endpoint_id, ladder: row.ladder, status: row.status }));
  return {
    object: 'event_deliveries',
    event: id,
    delivery_status: deliveryStatus(states),
    deliveries: { object: 'list', data: ladders.map((row) => viewDelivery(row, attempts)) },
  };
}
