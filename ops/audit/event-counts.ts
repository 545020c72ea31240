import { type Check, suffixOf } from './check.ts';

/** A fact that comes again and again to one object: each has an event of its own. */
interface Counted {
  readonly type: string;
  /** Table with a row for each fact, and its column that names the event's object. */
  readonly from: string;
  readonly object: string;
  /** Which of its rows have an event. */
  readonly each: string;
  /** Which may have one, or one more. */
  readonly perhaps?: string;
  /** Column with the instant of the fact: the newest event is of the newest one. */
  readonly at?: string;
}

const attempts = { from: 'charge_attempt', object: 'intent_id' };
/** Of cards, and of debits by mandate. */
const tries = {
  from: `(SELECT intent_id, invoice_id, account_id, live_mode, id, status, completed_at FROM charge_attempt
    UNION ALL SELECT intent_id, invoice_id, account_id, live_mode, id, status, completed_at FROM debit_try) AS tries`,
  object: 'intent_id',
};
const refused = `status IN ('declined', 'never_charged', 'failed')`;
const parts = { from: 'refund_part', object: 'intent_id' };
const asked = `reason <> 'surplus'`;
/** A part that the bank refuses after all was completed, and failed. */
const completed = `completed_at IS NOT NULL AND ${asked}`;
const failed = `status = 'failed' AND ${asked}`;

const counted: readonly Counted[] = [
  { type: 'payment_intent.processing', ...attempts, each: 'true', at: 'created' },
  {
    type: 'payment_intent.scheduled',
    from: 'debit_try',
    object: 'intent_id',
    each: 'scheduled_at IS NOT NULL',
    at: 'scheduled_at',
  },
  { type: 'payment_intent.failed', ...tries, each: refused, at: 'completed_at' },
  { type: 'invoice.payment_failed', ...tries, object: 'invoice_id', each: refused, at: 'completed_at' },
  { type: 'payment_intent.refunding', ...parts, each: 'false', perhaps: 'true' },
  { type: 'payment_intent.refund_failed', ...parts, each: failed },
  { type: 'refund.created', ...parts, each: asked, at: 'created' },
  // A part that failed is told so by its refund only while another part stands.
  { type: 'refund.updated', ...parts, each: completed, perhaps: failed },
  { type: 'invoice.refunded', ...parts, object: 'invoice_id', each: completed, at: 'completed_at' },
];

/** Old facts outlive their events: `least` counts those that are young enough to have one, `most` counts all. */
function factsOf({ type, from, object, each, perhaps, at }: Counted): string {
  const isKept = `${suffixOf('id')} >= (SELECT kept FROM at)`;
  return `SELECT ${object} AS id, account_id, live_mode, '${type}' AS type, count(*) FILTER (WHERE ${each} AND ${isKept}) AS least,
    count(*) FILTER (WHERE ${each})${perhaps === undefined ? '' : ` + count(*) FILTER (WHERE ${perhaps})`} AS most, ${at === undefined ? 'NULL::bigint' : `max(${at}) FILTER (WHERE ${each})`} AS last
    FROM ${from} GROUP BY ${object}, account_id, live_mode`;
}

/** Each attempt and each part of a refund is told as often as it happened (docs/product/events.md#what-each-use-case-records). */
export const countCheck: Check = {
  name: 'event-count',
  sql: `SELECT id, type, coalesce(least, 0) AS least, coalesce(most, 0) AS most, last, coalesce(times, 0) AS times, recorded
    FROM (${counted.map(factsOf).join(' UNION ALL ')}) AS facts
    FULL JOIN (
      SELECT object_id AS id, account_id, live_mode, type, count(*) AS times, max(created) AS recorded
      FROM event WHERE type IN (${counted.map(({ type }) => `'${type}'`).join(', ')}) GROUP BY object_id, account_id, live_mode, type
    ) AS events USING (id, account_id, live_mode, type)
    WHERE coalesce(times, 0) NOT BETWEEN coalesce(least, 0) AND coalesce(most, 0) OR recorded <> last`,
  describe:
    '{id} came to {type} {least} to {most} times, the last at {last}; {times} events say so, the last of {recorded}',
};

/** A refund that stands was told as it is now: its parts never return to what they were. */
export const refundShownCheck: Check = {
  name: 'refund-shown',
  sql: `SELECT refund.id, refund.amount, refund.parts FROM (
      SELECT intent_id AS id, max(id) AS newest, sum(amount) FILTER (WHERE status <> 'failed') AS amount,
        CASE WHEN bool_or(status = 'refunding') THEN 'refunding' ELSE 'refunded' END AS status,
        jsonb_agg(jsonb_build_object('amount', amount, 'reason', reason, 'status', status, 'created', created) ORDER BY id) AS parts
      FROM refund_part WHERE ${asked} GROUP BY intent_id) AS refund
    LEFT JOIN (SELECT object_id AS id, body::jsonb #> '{data,object}' AS shown FROM event WHERE type IN ('refund.created', 'refund.updated')) AS told
      ON told.id = refund.id AND told.shown -> 'parts' = refund.parts
        AND (told.shown ->> 'amount', told.shown ->> 'status') = (refund.amount::text, refund.status)
    WHERE refund.amount > 0 AND told.id IS NULL AND ${suffixOf('refund.newest')} >= (SELECT kept FROM at)`,
  describe: 'the refund of {id} comes to {amount} by {parts}, and no event shows it so',
};
