/** Over the statuses `n` of the newest ladders of an event. */
const RESULT = `CASE WHEN bool_or(n.status = 'failed') THEN 'failed' WHEN bool_or(n.status = 'pending') THEN 'pending'
    WHEN count(*) > 0 THEN 'delivered' ELSE 'not_sent' END`;

/**
 * The delivery result of the event `id` of the day `v_day`: the newest ladder at each endpoint counts. Endpoints are ordered by
 * an expression, or an index by endpoint would be walked where a plan was made on an empty day.
 */
const resultOf = (id: string): string => `(SELECT ${RESULT}
  FROM (SELECT DISTINCT ON (d.endpoint_id || '') d.status FROM delivery d WHERE d.day = v_day AND d.event_id = ${id}
    ORDER BY d.endpoint_id || '', d.ladder DESC) n)`;

/** Whatever the tables hold when a connection first runs them: one day's partition, by its indexes. */
const PLANS = `SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off`;

const insertFrom = (
  source: string,
): string => `INSERT INTO event_delivery_status (day, event_id, account_id, live_mode, type, created, status)
  SELECT e.day, e.id, e.account_id, e.live_mode, e.type, e.created, ${resultOf('e.id')} FROM ${source} e`;

/** An event is made in one statement with its first deliveries, so the result is known when that statement ends. */
const standNewEvents = `CREATE FUNCTION stand_new_events() RETURNS trigger LANGUAGE plpgsql ${PLANS} AS $$
  DECLARE v_day date;
  BEGIN
    FOR v_day IN SELECT DISTINCT day FROM made LOOP
      ${insertFrom('made')} WHERE e.day = v_day;
    END LOOP;
    RETURN NULL;
  END $$`;

const dropDeliveryStatus = `CREATE FUNCTION drop_delivery_status() RETURNS trigger LANGUAGE plpgsql ${PLANS} AS $$
  DECLARE v_day date;
  BEGIN
    FOR v_day IN SELECT DISTINCT day FROM gone LOOP
      DELETE FROM event_delivery_status s USING gone g WHERE s.day = v_day AND g.day = v_day AND s.event_id = g.id;
    END LOOP;
    RETURN NULL;
  END $$`;

const lockStatuses = `PERFORM FROM event_delivery_status s WHERE s.day = v_day AND s.event_id = ANY (v_ids) ORDER BY s.event_id FOR NO KEY UPDATE`;

/**
 * Two that change deliveries of one event take turns at its delivery status, in the order of ids, and the second one sees what the
 * first did. A first ladder that is still fresh has changed nothing: it was opened with its event.
 */
const standAgain = `CREATE FUNCTION stand_again() RETURNS trigger LANGUAGE plpgsql ${PLANS} AS $$
  DECLARE v_day date; v_ids text[]; v_found bigint; v_status text; v_some text[];
  BEGIN
    FOR v_day, v_ids IN SELECT day, array_agg(DISTINCT event_id) FROM changed WHERE stage <> 'fresh' OR ladder > 1 GROUP BY day LOOP
      ${lockStatuses};
      GET DIAGNOSTICS v_found = ROW_COUNT;
      IF v_found < cardinality(v_ids) THEN
        ${insertFrom('event')} WHERE e.day = v_day AND e.id = ANY (v_ids) ON CONFLICT DO NOTHING;
        ${lockStatuses};
      END IF;
      FOR v_status, v_some IN SELECT r.status, array_agg(r.event_id) FROM (
        SELECT n.event_id, ${RESULT} AS status FROM (SELECT DISTINCT ON (d.event_id, d.endpoint_id) d.event_id, d.status
          FROM delivery d WHERE d.day = v_day AND d.event_id = ANY (v_ids) ORDER BY d.event_id, d.endpoint_id, d.ladder DESC) n
        GROUP BY n.event_id) r GROUP BY r.status
      LOOP
        UPDATE event_delivery_status s SET status = v_status WHERE s.day = v_day AND s.event_id = ANY (v_some) AND s.status <> v_status;
      END LOOP;
    END LOOP;
    RETURN NULL;
  END $$`;

/** Triggers keep the delivery status of each event, so that whatever writes events and deliveries does. */
export const deliveryStatusTriggers: readonly string[] = [
  standNewEvents,
  dropDeliveryStatus,
  standAgain,
  ...[
    ['event_made', 'INSERT ON event REFERENCING NEW TABLE AS made', 'stand_new_events'],
    ['event_gone', 'DELETE ON event REFERENCING OLD TABLE AS gone', 'drop_delivery_status'],
    ['delivery_opened', 'INSERT ON delivery REFERENCING NEW TABLE AS changed', 'stand_again'],
    ['delivery_changed', 'UPDATE ON delivery REFERENCING NEW TABLE AS changed', 'stand_again'],
  ].map(([name, when, work]) => `CREATE TRIGGER ${name} AFTER ${when} FOR EACH STATEMENT EXECUTE FUNCTION ${work}()`),
];
