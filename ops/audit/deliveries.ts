import { WEBHOOK_ENDPOINTS_MAX } from '../../contract/webhooks.ts';
import { HEALTH_DUE_AT, IS_FAILING, LADDER, UNSTABLE_AFTER } from '../../server/events/deliveries/rules.ts';
import { type Check, isTicking, suffixAt } from './check.ts';

/** An event recorded within these seconds of a filter's change may have been matched by the filter before or after it. */
const FILTER_MARGIN_SECONDS = 5;
const ATTEMPTS_MAX = LADDER.length;

/** Computed once an endpoint, not once a row: OFFSET 0 keeps the planner from moving it into the join. */
const ENDPOINTS = `(SELECT *, 'evt_' || ${suffixAt(`subscribed_at + interval '${FILTER_MARGIN_SECONDS} seconds'`)} AS since FROM webhook_endpoint OFFSET 0)`;

/** A ladder that a resend opened begins with its case. */
const IS_RESENT = `EXISTS(SELECT FROM event e WHERE e.day = d.day AND e.id = d.event_id AND e.resends > 0)`;

/** Events reach whoever subscribes, once a ladder, and the record of it is true (docs/product/webhooks.md#delivery). */
export const deliveryChecks: readonly Check[] = [
  {
    name: 'delivery-missing',
    sql: `SELECT e.id, e.type, w.id AS endpoint
      FROM ${ENDPOINTS} AS w
      JOIN event e ON e.account_id = w.account_id AND e.live_mode = w.live_mode AND e.type = ANY (w.event_types)
      LEFT JOIN delivery d ON d.day = e.day AND d.event_id = e.id AND d.endpoint_id = w.id AND d.ladder = 1
      WHERE d.event_id IS NULL AND w.deleted_at IS NULL AND e.id >= w.since
        AND (w.status <> 'disabled' OR e.created < w.disabled_at)`,
    describe: '{id} ({type}) has no delivery to {endpoint}, which subscribes to it',
  },
  {
    name: 'delivery-unasked',
    sql: `SELECT e.id, e.type, w.id AS endpoint
      FROM delivery d JOIN event e ON e.day = d.day AND e.id = d.event_id JOIN ${ENDPOINTS} AS w ON w.id = d.endpoint_id
      WHERE d.ladder = 1
        AND (e.created > w.deleted_at + ${FILTER_MARGIN_SECONDS} OR (e.id >= w.since AND NOT e.type = ANY (w.event_types)))`,
    describe: '{id} ({type}) has a delivery to {endpoint}, which does not subscribe to it',
  },
  {
    name: 'delivery-scope',
    sql: `SELECT d.event_id, d.account_id, e.account_id AS event_account, w.id AS endpoint, w.account_id AS endpoint_account
      FROM delivery d LEFT JOIN event e ON e.day = d.day AND e.id = d.event_id LEFT JOIN webhook_endpoint w ON w.id = d.endpoint_id
      WHERE e.id IS NULL OR w.id IS NULL
        OR (d.account_id, d.live_mode) <> (e.account_id, e.live_mode) OR (d.account_id, d.live_mode) <> (w.account_id, w.live_mode)`,
    describe:
      'a delivery of {event_id} (of {event_account}) belongs to {account_id} and goes to {endpoint} (of {endpoint_account})',
  },
  {
    name: 'event-delivery-status',
    sql: `SELECT coalesce(e.id, s.event_id) AS id, s.status, coalesce(r.result, 'not_sent') AS result
      FROM event e FULL JOIN event_delivery_status s ON s.day = e.day AND s.event_id = e.id
      LEFT JOIN (
        SELECT day, event_id, (array_agg(status ORDER BY status = 'failed' DESC, status = 'pending' DESC))[1] AS result
        FROM delivery d WHERE NOT EXISTS(SELECT FROM delivery n
          WHERE n.day = d.day AND n.event_id = d.event_id AND n.endpoint_id = d.endpoint_id AND n.ladder > d.ladder)
        GROUP BY day, event_id) AS r ON r.day = e.day AND r.event_id = e.id
      WHERE (s.account_id, s.live_mode, s.type, s.created, s.status)
        IS DISTINCT FROM (e.account_id, e.live_mode, e.type, e.created, coalesce(r.result, 'not_sent'))`,
    describe: '{id} is listed as {status}, its deliveries say {result}, or the list has it otherwise than it is',
  },
  {
    name: 'delivery-attempts',
    sql: `SELECT event_id, endpoint_id, ladder, d.attempts, coalesce(log.rows, 0) AS logged
      FROM delivery d FULL JOIN (
        SELECT day, event_id, endpoint_id, ladder, count(*) AS rows, max(attempt) AS last, min(at) FILTER (WHERE attempt = 1) AS first
        FROM delivery_attempt GROUP BY day, event_id, endpoint_id, ladder) AS log USING (day, event_id, endpoint_id, ladder)
      WHERE d.attempts IS DISTINCT FROM coalesce(log.rows, 0) OR log.last <> log.rows OR log.rows > ${ATTEMPTS_MAX}
        OR d.first_attempt_at IS DISTINCT FROM log.first`,
    describe: 'ladder {ladder} of {event_id} to {endpoint_id} counts {attempts} attempts, {logged} are on record',
  },
  {
    name: 'delivery-outcome',
    sql: `SELECT d.event_id, d.endpoint_id, d.ladder, d.status, d.stage, d.attempts, a.status_code, a.failure
      FROM delivery d LEFT JOIN delivery_attempt a
        ON a.day = d.day AND a.event_id = d.event_id AND a.endpoint_id = d.endpoint_id AND a.ladder = d.ladder AND a.attempt = d.attempts
      LEFT JOIN ${ENDPOINTS} AS w ON w.id = d.endpoint_id
      WHERE (d.status = 'delivered') <> coalesce(a.status_code BETWEEN 200 AND 299 AND a.failure IS NULL, false)
        OR (d.status = 'pending') <> (d.stage <> 'done')
        OR (d.stage = 'fresh' AND d.attempts > 0)
        OR (d.stage = 'ladder' AND (d.attempts NOT BETWEEN CASE WHEN ${IS_RESENT} THEN 0 ELSE 1 END AND ${ATTEMPTS_MAX - 1} OR d.next_attempt_at IS NULL))
        OR (d.status = 'failed' AND d.attempts < ${ATTEMPTS_MAX} AND w.deleted_at IS NULL AND w.status <> 'disabled' AND d.event_id >= w.since)`,
    describe:
      'ladder {ladder} of {event_id} to {endpoint_id} is {status} ({stage}) after {attempts} attempts; the last was answered {status_code}, failure {failure}',
  },
  {
    name: 'endpoint-status',
    sql: `SELECT id, status FROM webhook_endpoint WHERE (disabled_at IS NOT NULL) <> (status = 'disabled')`,
    describe: '{id} is {status}, its disabled_at says otherwise',
  },
  {
    name: 'endpoint-health',
    sql: `SELECT w.id, w.status, w.consecutive_failures AS failures, w.failing_since, w.warned_at FROM webhook_endpoint w
      WHERE (w.consecutive_failures > 0) <> (w.failing_since IS NOT NULL) OR w.warned_at < w.failing_since
        OR (w.status <> 'disabled' AND (w.status = 'unstable') <> (w.consecutive_failures >= ${UNSTABLE_AFTER}))`,
    describe: '{id} is {status} after {failures} failures in a row since {failing_since}, warned of at {warned_at}',
  },
  {
    name: 'endpoint-health-undone',
    sql: `SELECT w.id, ${HEALTH_DUE_AT} AS due, m.now FROM webhook_endpoint w JOIN account a ON a.id = w.account_id
      JOIN moment m ON m.account_id = w.account_id AND m.live_mode = w.live_mode
      WHERE ${IS_FAILING} AND ${isTicking('w')} AND ${HEALTH_DUE_AT} < m.now - (SELECT patience FROM at)`,
    describe: 'something was due of {id}, which accepts nothing, at {due} and is not done at {now}',
  },
  {
    name: 'endpoint-count',
    sql: `SELECT account_id, live_mode, count(*) AS endpoints FROM webhook_endpoint WHERE deleted_at IS NULL
      GROUP BY account_id, live_mode HAVING count(*) > ${WEBHOOK_ENDPOINTS_MAX}`,
    describe: '{account_id} (live: {live_mode}) has {endpoints} webhook endpoints',
  },
];
