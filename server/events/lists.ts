import { mine, type Statement, statement } from '../db/statement.ts';

export interface EventRow {
  id: string;
  body: string;
}

/** Newest first, or forward. */
export type Order = 'ASC' | 'DESC';

/** What each statement looks among; `id` is the column that orders it. */
const among = (row: string, id: string): string =>
  `${mine(row)} AND ${row}.day BETWEEN :first::date AND :last::date AND ${row}.created BETWEEN :from AND :to
   AND ${row}.${id} > :above AND ${row}.${id} < :below`;

/** An event that is known to be of who asks, by its day and id. */
const bodyOf = ({ day, id }: { day: string; id: string }): string =>
  `(SELECT e.body FROM event e WHERE e.day = ${day} AND e.id = ${id} AND e.day BETWEEN :first::date AND :last::date AND ${mine('e')})`;

const statusOf = ({ day, id }: { day: string; id: string }): string =>
  `(SELECT s.status FROM event_delivery_status s WHERE s.day = ${day} AND s.event_id = ${id} AND s.day BETWEEN :first::date AND :last::date AND ${mine('s')})`;

const everything = (order: Order): string =>
  `SELECT e.id, e.body FROM event e WHERE ${among('e', 'id')} ORDER BY e.id ${order} LIMIT :limit`;

/** A look at each type with each result, all of them in the order of the list: no page reads past what it does not show. */
const merged = (order: Order, limit: string): string => `(
    SELECT s.day, s.event_id AS id FROM unnest(:statuses::text[]) AS wanted(status) CROSS JOIN unnest(:types::text[]) AS kind(type)
    CROSS JOIN LATERAL (SELECT t.day, t.event_id FROM event_delivery_status t
      WHERE t.status = wanted.status AND t.type = kind.type AND ${among('t', 'event_id')} ORDER BY t.event_id ${order} LIMIT ${limit}) s
    ORDER BY s.event_id ${order} LIMIT ${limit})`;

const byTypeAndStatus = (order: Order): string =>
  `SELECT p.id, ${bodyOf({ day: 'p.day', id: 'p.id' })} AS body FROM ${merged(order, ':limit')} p ORDER BY p.id ${order}`;

/** Events that are looked through for those of one object before its own index is: of all, and of those that filters let through. */
export const WALK_MAX = 3_000;
export const NARROW_WALK_MAX = 1_000;

export interface WalkRow {
  /** How many were looked through, and the last of them. */
  readonly walked: number;
  readonly reached: string | null;
  /** Null on the one row of a walk that found nothing. */
  readonly id: string | null;
  readonly body: string | null;
}

const isWanted = (row: string): string =>
  `${row}.type = ANY (:types::text[]) AND (:status::text IS NULL OR ${statusOf({ day: `${row}.day`, id: `${row}.id` })} = :status)`;

const walk = (order: Order, { among: walked, wanted }: { among: string; wanted: string }): string =>
  `WITH walked AS MATERIALIZED (${walked})
  SELECT r.walked, r.reached, f.id, f.body
  FROM (SELECT count(*) AS walked, ${order === 'DESC' ? 'min' : 'max'}(id) AS reached FROM walked) r
  LEFT JOIN LATERAL (SELECT w.id, ${bodyOf({ day: 'w.day', id: 'w.id' })} AS body FROM walked w
    WHERE ${wanted} ORDER BY w.id ${order} LIMIT :limit) f ON true
  ORDER BY f.id ${order}`;

/** Of an object that much is told of, a page is among the next few thousand events of all. */
const walkForObject = (order: Order): string =>
  walk(order, {
    among: `SELECT e.id, e.day, e.type, e.related FROM event e WHERE ${among('e', 'id')} ORDER BY e.id ${order} LIMIT ${WALK_MAX}`,
    wanted: `w.related @> ARRAY[:related::text] AND ${isWanted('w')}`,
  });

/** Where filters let few through, those of an object are among them. */
const narrowWalkForObject = (order: Order): string =>
  walk(order, {
    among: `SELECT p.id, p.day, (SELECT e.related FROM event e WHERE e.day = p.day AND e.id = p.id
        AND e.day BETWEEN :first::date AND :last::date AND ${mine('e')}) AS related FROM ${merged(order, String(NARROW_WALK_MAX))} p`,
    wanted: 'w.related @> ARRAY[:related::text]',
  });

/** The events of one object are few and found by an index of their own. */
const byObject = (order: Order): string => `SELECT e.id, e.body
  FROM events_of_object(:related::text, :first::date, :last::date) e
  WHERE ${among('e', 'id')} AND ${isWanted('e')} ORDER BY e.id ${order} LIMIT :limit`;

type InBothOrders<Row> = Readonly<Record<Order, Statement<Row>>>;

const inBothOrders = <Row>(name: string, sql: (order: Order) => string): InBothOrders<Row> => ({
  DESC: statement<Row>(`list_events_${name}`, sql('DESC')),
  ASC: statement<Row>(`list_events_${name}_forward`, sql('ASC')),
});

export const listEverything = inBothOrders<EventRow>('all', everything);
export const listByTypeAndStatus = inBothOrders<EventRow>('by_type_and_status', byTypeAndStatus);
export const listByWalk = inBothOrders<WalkRow>('by_walk', walkForObject);
export const listByNarrowWalk = inBothOrders<WalkRow>('by_narrow_walk', narrowWalkForObject);
export const listByObject = inBothOrders<EventRow>('by_object', byObject);
