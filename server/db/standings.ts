import type pg from 'pg';
import { RESULT } from './migrations/0022-event-standings.ts';

/** Events of one step: as many rows are locked at once, and for so short a time. */
const EVENTS_A_STEP = 5_000;

interface Place {
  readonly partition: string;
  readonly day: string;
  readonly id: string;
}

const findUnfilled = `SELECT partition, day::text AS day, id FROM event_standing_fill ORDER BY partition DESC LIMIT 1`;

/**
 * The delivery result as the triggers compute it: the newest ladder at each endpoint counts. Days are compared in a way that
 * chooses no partition as it runs (docs/design/sql.md#partitions).
 */
export const fillStep = (partition: string): string => `WITH step AS MATERIALIZED (
    SELECT e.day, ARRAY[e.day] AS days, e.id, e.account_id, e.live_mode, e.type, e.created FROM ${partition} e
    WHERE (e.day, e.id) > ($1::date, $2::text) ORDER BY e.day, e.id LIMIT ${EVENTS_A_STEP}
  ), filled AS (
    INSERT INTO event_standing (day, event_id, account_id, live_mode, type, created, status)
    SELECT e.day, e.id, e.account_id, e.live_mode, e.type, e.created,
      (SELECT ${RESULT}
        FROM (SELECT DISTINCT ON (d.endpoint_id) d.status FROM delivery d WHERE d.day = ANY (e.days) AND d.event_id = e.id
          ORDER BY d.endpoint_id, d.ladder DESC) n)
    FROM step e ON CONFLICT DO NOTHING
  ), reached AS (SELECT day, id FROM step ORDER BY day DESC, id DESC LIMIT 1)
  UPDATE event_standing_fill f SET day = r.day, id = r.id FROM reached r WHERE f.partition = $3 RETURNING f.id`;

/**
 * Gives the events of before their standings, newest days first, in steps that are transactions of their own: the service
 * goes on meanwhile, and a fill that was broken off goes on where it was. What changes in a step's time is kept by the
 * triggers: a standing that is there is not written again.
 */
export async function fillStandings(pool: pg.Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<Place>(findUnfilled);
    const [place] = rows;
    if (place === undefined) return;
    const { partition, day, id } = place;
    const isThere = (await pool.query('SELECT FROM pg_class WHERE oid = to_regclass($1)', [partition])).rows.length > 0;
    const step = isThere ? await pool.query(fillStep(partition), [day, id, partition]) : { rows: [] };
    if (step.rows.length === 0) await pool.query('DELETE FROM event_standing_fill WHERE partition = $1', [partition]);
  }
}
