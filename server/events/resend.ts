import type { Event } from '../../contract/events.ts';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { idDay } from '../kernel/ids.ts';
import { subscribes } from '../unit-of-work/facts.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { deliveryKey } from './deliveries/results.ts';
import { disabledRefusal } from './endpoints.ts';
import { EVENT_RETENTION } from './rules.ts';

/** Times that an event may be sent again (docs/product/webhooks.md#resend). */
const RESENDS_MAX = 3;

/** An event, locked so that those who send it again at once take turns. */
const lockEvent = statement<{ type: string; body: string; resends: number }>(
  'lock_event',
  `SELECT e.type, e.body, e.resends FROM event e
   WHERE e.day = :day AND e.id = :id AND ${mine('e')} AND e.created >= :since FOR UPDATE`,
);

const findTarget = statement<{ status: string; eventTypes: string[] }>(
  'find_endpoint_to_resend_to',
  `SELECT w.status, w.event_types AS "eventTypes" FROM webhook_endpoint w
   WHERE w.id = :endpointId AND ${mine('w')} AND w.deleted_at IS NULL`,
);

/** A new ladder at each endpoint that subscribes now; its case makes the attempts. */
const openLadders = statement<{ endpointId: string; ladder: number }>(
  'open_ladders',
  `INSERT INTO delivery (day, event_id, endpoint_id, ladder, account_id, live_mode, stage, next_attempt_at)
   SELECT :day, :id, w.id, 1 + coalesce((SELECT max(d.ladder) FROM delivery d
       WHERE d.day = :day AND d.event_id = :id AND d.endpoint_id = w.id), 0), :accountId, :liveMode, 'ladder', :now
   FROM webhook_endpoint w WHERE ${mine('w')} AND ${subscribes(':type::text')} AND (:endpointId::text IS NULL OR w.id = :endpointId)
   RETURNING endpoint_id AS "endpointId", ladder`,
);

const countResend = statement(
  'count_resend',
  `UPDATE event e SET resends = e.resends + 1 WHERE e.day = :day AND e.id = :id AND ${mine('e')}`,
);

/** Sends an event again, to all endpoints that subscribe to it now or to one of them. */
export async function resendEvent(
  deps: Deps,
  scope: Scope,
  { id, endpointId }: { id: string; endpointId: string | null },
): Promise<Event> {
  const day = idDay(id);
  if (day === null) throw missing('event', id);
  return deps.transaction(scope, async (tx) => {
    const [event] = await tx.query(lockEvent, { day, id, since: tx.now - EVENT_RETENTION });
    if (event === undefined) throw missing('event', id);
    if (endpointId !== null) await refuseUnsubscribed(tx, { endpointId, type: event.type });
    if (event.resends >= RESENDS_MAX) {
      const message = `${id} was sent again ${RESENDS_MAX} times, and no event is more often`;
      throw new BillingError('RESEND_LIMIT_REACHED', { message });
    }
    const opened = await tx.query(openLadders, { day, id, now: tx.now, type: event.type, endpointId });
    for (const ladder of opened) tx.enqueue({ kind: 'webhook-delivery', key: deliveryKey({ ...ladder, eventId: id }) });
    tx.write(countResend, { day, id });
    // The text was frozen from a view of the contract.
    return tx.answer(JSON.parse(event.body) as Event, 202);
  });
}

const PARAM = 'webhook_endpoint_id';

async function refuseUnsubscribed(tx: Tx, { endpointId, type }: { endpointId: string; type: string }): Promise<void> {
  const [endpoint] = await tx.query(findTarget, { endpointId });
  if (endpoint === undefined) throw missing('webhook endpoint', endpointId, PARAM);
  if (endpoint.status === 'disabled') throw disabledRefusal(endpointId, PARAM);
  if (endpoint.eventTypes.includes(type)) return;
  throw new BillingError('INVALID_STATE', { message: `${endpointId} does not subscribe to ${type}`, param: PARAM });
}
