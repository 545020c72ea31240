import { acrossAccounts } from '../db/statement.ts';

/** Events of one day: partitions are chosen before a statement begins that may find a row changed (docs/design/sql.md#partitions). */
export interface EventsOfDay {
  readonly day: string;
  readonly ids: string[];
}

/** SQL: the `day` and `id` of some events as `EventsOfDay`. */
export const byDay = (events: string): string =>
  `SELECT f.day, array_agg(DISTINCT f.id) AS ids FROM (${events}) f GROUP BY f.day`;

/** Deliveries and their attempts are found by their event alone; its delivery status goes by itself. */
export const removeEventsOfDay = acrossAccounts(
  'remove_sandbox_events_of_day',
  `WITH events AS (DELETE FROM event e WHERE NOT e.live_mode AND e.day = :day AND e.id = ANY (:ids)),
   deliveries AS (DELETE FROM delivery d WHERE NOT d.live_mode AND d.day = :day AND d.event_id = ANY (:ids))
   DELETE FROM delivery_attempt a WHERE a.day = :day AND a.event_id = ANY (:ids)`,
);
