import type { z } from 'zod';
import type { Event, EventDeliveries } from '../../contract/events.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { missing } from '../kernel/errors.ts';
import { idDay } from '../kernel/ids.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { EVENT_RETENTION } from './rules.ts';
import { readNewestLadders } from './shown-ladders.ts';

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

/** What became of an event at each endpoint, the newest ladder of each first. */
export async function retrieveDeliveries(
  deps: Deps,
  scope: Scope,
  id: string,
): Promise<z.output<typeof EventDeliveries>> {
  const { day } = await readBody(deps, scope, id);
  const { status, newest } = await readNewestLadders(deps, scope, { day, id });
  return {
    object: 'event_deliveries',
    event: id,
    delivery_status: status,
    deliveries: { object: 'list', data: newest },
  };
}
