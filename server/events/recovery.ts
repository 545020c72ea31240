import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookRecovery } from '../../contract/webhook-recovery.ts';
import { WEBHOOK_ENDPOINTS_MAX } from '../../contract/webhooks.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../accounts/scope.ts';
import { acrossAccounts, mine, readIn, run, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { type CaseStep, DONE, HELD } from '../kernel/case-step.ts';
import { BillingError, invalidParameter, missing } from '../kernel/errors.ts';
import { HOUR, SECOND_MS, type Timestamp } from '../kernel/time.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { LEASE_SECONDS } from './deliveries/claim.ts';
import { attemptFirst, type LadderTools } from './deliveries/ladder.ts';
import type { DeliveryRef } from './deliveries/results.ts';
import { disabledRefusal, findEndpoint, lockEndpoint } from './endpoints.ts';
import { eventIdAt } from './id-ranges.ts';
import { EVENT_RETENTION } from './rules.ts';

/** The next event is sent when the one before it has its answer, or after this. */
const ANSWERED_WITHIN_MS = 2_000;
/** A step of the case sends for so long, and then awaits what has no answer yet: an activity may take a minute. */
const SLICE_MS = 20_000;
/** To an endpoint that accepts nothing at present one event is sent in so long, in real seconds. */
const PROBE_PAUSE_SECONDS = 5;
/** Another process may still be sending what this recovery opened: it is looked at again after this. */
const PAUSE_SECONDS = 1;
/** Events read at once, and the times that a transaction does so. */
const PAGE = 100;
const PAGES_MAX = 100;
/**
 * What has had so many ladders at the endpoint, or at all endpoints that there ever were, is passed over: an endpoint that is
 * switched off and on ends ladders without a post, as often as one likes (docs/product/webhooks.md#recover).
 */
const LADDERS_AT_ENDPOINT_MAX = 20;
const LADDERS_MAX = WEBHOOK_ENDPOINTS_MAX * LADDERS_AT_ENDPOINT_MAX;
/** Far more than the clocks of two machines. */
const CLOCKS_DIFFER_BY = HOUR;

interface RecoveryRow {
  since: Timestamp;
  until: Timestamp;
  events: number;
  status: 'running' | 'done';
}

const viewRecovery = (endpointId: string, { since, events, status }: RecoveryRow): WebhookRecovery => ({
  object: 'webhook_recovery',
  webhook_endpoint: endpointId,
  since,
  events,
  status,
});

const begin = statement<RecoveryRow>(
  'begin_recovery',
  `INSERT INTO webhook_recovery AS r (endpoint_id, account_id, live_mode, since, until, status, events, last_event_id)
   VALUES (:endpointId, :accountId, :liveMode, :since, :until, 'running', 0, :first)
   ON CONFLICT (endpoint_id) DO UPDATE SET since = excluded.since, until = excluded.until, status = 'running', events = 0,
     last_event_id = excluded.last_event_id, due_at = now()
   WHERE r.status = 'done'
   RETURNING r.since, r.until, r.events, r.status`,
);

function refuseOutside(since: Timestamp, now: Timestamp): void {
  const earliest = now - EVENT_RETENTION;
  if (since >= earliest && since < now) return;
  const param = 'since';
  const message = `${param} must be before now and at most 30 days back, from ${earliest} to ${now - 1}: ${since}`;
  throw invalidParameter(param, message);
}

/** Begins to send again what an endpoint did not accept since an instant (docs/product/webhooks.md#recover); its case goes on. */
export const recoverEndpoint = (
  deps: Deps,
  scope: Scope,
  { id, since }: { id: string; since: Timestamp },
): Promise<WebhookRecovery> =>
  deps.transaction(scope, async (tx) => {
    const endpoint = await lockEndpoint(tx, id);
    refuseOutside(since, tx.now);
    if (endpoint.status === 'disabled') throw disabledRefusal(id);
    // Ids are made in real time, and the clock of an account was never further ahead of it than now.
    const first = eventIdAt((since - tx.scope.clock.aheadSeconds - CLOCKS_DIFFER_BY) * SECOND_MS);
    const [begun] = await tx.query(begin, { endpointId: id, since, until: tx.now, first });
    if (begun === undefined) {
      const message = `A recovery of ${id} is running: GET /api/v1/webhook_endpoints/${id}/recover tells how far it is`;
      throw new BillingError('INVALID_STATE', { message });
    }
    tx.enqueue({ kind: 'webhook-recovery', key: id });
    return tx.answer(viewRecovery(id, begun), 202);
  });

const find = statement<RecoveryRow>(
  'find_recovery',
  `SELECT r.since, r.until, r.events, r.status FROM webhook_recovery r WHERE r.endpoint_id = :endpointId AND ${mine('r')}`,
);

export async function retrieveRecovery(deps: Deps, scope: Scope, id: string): Promise<WebhookRecovery> {
  await findEndpoint(deps, scope, id);
  const [found] = await readIn(deps.pool, scope, find, { endpointId: id });
  if (found === undefined) throw missing('recovery of webhook endpoint', id);
  return viewRecovery(id, found);
}

interface RunningRow {
  since: Timestamp;
  until: Timestamp;
  lastEventId: string;
  endpointStatus: 'active' | 'unstable' | 'disabled';
  isDeleted: boolean;
}

const findScope = acrossAccounts<ScopeRow>(
  'find_scope_of_recovery',
  `SELECT ${scopeColumns('r')} FROM webhook_recovery r JOIN account a ON a.id = r.account_id
   WHERE r.endpoint_id = :endpointId AND r.status = 'running'`,
);

const lockRunning = statement<RunningRow>(
  'lock_recovery',
  `SELECT r.since, r.until, r.last_event_id AS "lastEventId", w.status AS "endpointStatus", w.deleted_at IS NOT NULL AS "isDeleted"
   FROM webhook_recovery r JOIN webhook_endpoint w ON w.id = r.endpoint_id
   WHERE r.endpoint_id = :endpointId AND ${mine('r')} AND r.status = 'running' FOR UPDATE OF r`,
);

/** One that was opened before and is still to be tried. */
const findUntried = statement(
  'find_untried_of_recovery',
  `SELECT FROM delivery d WHERE d.endpoint_id = :endpointId AND d.stage = 'fresh' AND d.event_id <= :lastEventId AND ${mine('d')} LIMIT 1`,
);

/** What a transaction read: how many events, up to which one, and the one that is sent again; null: none. */
interface Opened {
  seen: number;
  seenTo: string | null;
  eventId: string | null;
  ladder: number | null;
}

/**
 * Opens a ladder for the first event of a page that the endpoint did not accept, and takes it for as long as the lease lasts. The
 * first ladder of an event is the one that was opened with it, whether there was one or not.
 */
const openMissed = statement<Opened>(
  'open_missed',
  `WITH page AS MATERIALIZED (
     SELECT e.day, e.id, e.created, e.type FROM event e WHERE ${mine('e')} AND e.id > :lastEventId ORDER BY e.id LIMIT ${PAGE}
   ), missed AS (
     SELECT p.day, p.id, p.created, had.newest FROM page p JOIN webhook_endpoint w ON w.id = :endpointId AND ${mine('w')}
     CROSS JOIN LATERAL (SELECT count(*) AS ladders, coalesce(max(d.ladder) FILTER (WHERE d.endpoint_id = w.id), 1) AS newest,
         count(*) FILTER (WHERE d.endpoint_id = w.id AND d.status <> 'failed') AS remaining
       FROM delivery d WHERE d.day = p.day AND d.event_id = p.id AND ${mine('d')}) had
     WHERE p.created BETWEEN :since AND :until AND w.event_types @> ARRAY[p.type] AND had.remaining = 0
       AND had.newest < ${LADDERS_AT_ENDPOINT_MAX} AND had.ladders < ${LADDERS_MAX}
     ORDER BY p.id LIMIT 1
   ), opened AS (
     INSERT INTO delivery (day, event_id, endpoint_id, ladder, account_id, live_mode, claimable_at)
     SELECT m.day, m.id, :endpointId, 1 + m.newest, :accountId, :liveMode, now() + interval '${LEASE_SECONDS} seconds'
     FROM missed m RETURNING event_id, ladder
   )
   SELECT (SELECT count(*)::int FROM page) AS seen, (SELECT max(id) FROM page) AS "seenTo",
     (SELECT event_id FROM opened) AS "eventId", (SELECT ladder FROM opened) AS ladder`,
);

const advance = statement(
  'advance_recovery',
  `UPDATE webhook_recovery r SET events = r.events + :opened, last_event_id = :lastEventId, status = :status,
     due_at = now() + make_interval(secs => :pause)
   WHERE r.endpoint_id = :endpointId AND ${mine('r')}`,
);

/** What one look at a recovery came to: an event to be sent, or what its case is told. */
type Look = { readonly send: DeliveryRef; readonly isProbe: boolean } | { readonly tell: CaseStep };

const RUNNING = { done: false, status: 'running' } as const;

/** Sends events again for a while, one behind the other, by attempts of its own; however often it is asked for. */
export async function webhookRecoveryStep(deps: Deps, tools: LadderTools, endpointId: string): Promise<CaseStep> {
  const endsAtMs = performance.now() + SLICE_MS;
  const unanswered = new Set<Promise<unknown>>();
  try {
    for (;;) {
      // What of ours has no answer yet is no reason to wait.
      const look = await lookForNext(deps, endpointId, { waits: unanswered.size === 0 });
      if ('tell' in look) return look.tell;
      const attempt = attemptFirst(tools, look.send).finally(() => unanswered.delete(attempt));
      unanswered.add(attempt);
      const waits = await Promise.race([attempt, sleep(ANSWERED_WITHIN_MS, null, { ref: false })]);
      const note = `${look.send.eventId} is the last that was sent again`;
      if (waits !== null) return { ...RUNNING, note, dueInSeconds: waits };
      if (look.isProbe) return { ...RUNNING, note, dueInSeconds: PROBE_PAUSE_SECONDS };
      if (performance.now() > endsAtMs) return { ...RUNNING, note, dueInSeconds: 0 };
    }
  } finally {
    await Promise.allSettled(unanswered);
  }
}

/** Opens what is to be sent next, under the lock of the recovery. */
async function lookForNext(deps: Deps, endpointId: string, { waits }: { waits: boolean }): Promise<Look> {
  const [found] = await run(deps.pool, findScope, { endpointId });
  if (found === undefined) return { tell: DONE };
  if (found.heldAt !== null) return { tell: HELD };
  return deps.transaction(scopeOf(found), async (tx): Promise<Look> => {
    const [running] = await tx.query(lockRunning, { endpointId });
    if (running === undefined) return { tell: DONE };
    const set = (opened: number, lastEventId: string, status: 'running' | 'done') =>
      tx.write(advance, { endpointId, opened, lastEventId, status, pause: PAUSE_SECONDS });
    const { lastEventId } = running;
    if (running.isDeleted || running.endpointStatus === 'disabled') {
      set(0, lastEventId, 'done');
      return { tell: DONE };
    }
    const isUntried = async () => (await tx.query(findUntried, { endpointId, lastEventId })).length > 0;
    const waiting = { tell: { ...RUNNING, note: 'the last event is still to be tried', dueInSeconds: PAUSE_SECONDS } };
    if (waits && (await isUntried())) return waiting;
    const next = await openNext(tx, { endpointId, running });
    if (next.opened !== null) {
      set(1, next.opened.eventId, 'running');
      return { send: next.opened, isProbe: running.endpointStatus === 'unstable' };
    }
    const isOver = next.isOver && !(await isUntried());
    set(0, isOver ? next.lastEventId : lastEventId, isOver ? 'done' : 'running');
    return isOver ? { tell: DONE } : waiting;
  });
}

/** Goes through the events until one is to be sent again, or for a while. */
async function openNext(
  tx: Tx,
  { endpointId, running: { since, until, ...running } }: { endpointId: string; running: RunningRow },
): Promise<{ opened: DeliveryRef | null; lastEventId: string; isOver: boolean }> {
  let { lastEventId } = running;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const [page] = await tx.query(openMissed, { endpointId, since, until, lastEventId });
    if (page === undefined) throw new Error('a page of events without a row');
    const { seen, seenTo, eventId, ladder } = page;
    if (eventId !== null && ladder !== null)
      return { opened: { eventId, endpointId, ladder }, lastEventId: eventId, isOver: false };
    lastEventId = seenTo ?? lastEventId;
    if (seen < PAGE) return { opened: null, lastEventId, isOver: true };
  }
  return { opened: null, lastEventId, isOver: false };
}
