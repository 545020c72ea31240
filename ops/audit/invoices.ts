import { LINE_ITEMS_MAX, QUANTITY_MAX } from '../../contract/lines.ts';
import { type Check, LATE_KINDS } from './check.ts';

const LINES = `json_to_recordset(i.line_items) AS line (price text, quantity bigint, "unitAmount" bigint, kind text, "invoiceItem" text)`;
/**
 * What an invoice's lines come to before discounts, and what a coupon takes off the lines it applies to: it stands first, where
 * nothing was taken off them yet. What waited for the invoice is not discounted: charges, less the credits that it used; nor is what was paid as it was late. Of the charges
 * a coupon takes something off setup fees whose prices it names.
 */
const subtotals = `SELECT i.id, i.total, i.discounts,
    (SELECT coalesce(sum(line.quantity * line."unitAmount"), 0) FROM ${LINES} WHERE line."invoiceItem" IS NULL) AS subtotal,
    (SELECT coalesce(sum(line.quantity * line."unitAmount"), 0) FROM ${LINES} WHERE line."invoiceItem" IS NOT NULL)
    - (SELECT coalesce(sum(used.amount), 0) FROM json_to_recordset(i.credits) AS used (amount bigint)) + i.late_fine + i.late_interest AS waited,
    (SELECT coalesce(sum(line.quantity * line."unitAmount"), 0) FROM ${LINES}
     WHERE line."invoiceItem" IS NULL AND (json_typeof(i.discounts #> '{0,prices}') IS DISTINCT FROM 'array'
       OR (i.discounts #> '{0,prices}')::jsonb ? line.price)) AS "ofCoupon",
    (SELECT coalesce(sum(line.quantity * line."unitAmount"), 0) FROM ${LINES}
     WHERE line.kind = 'setup' AND json_typeof(i.discounts #> '{0,prices}') = 'array'
       AND (i.discounts #> '{0,prices}')::jsonb ? line.price) AS "ofSetup"
  FROM invoice i`;

/** SQL: what the coupon that is next takes off an amount, half up and no more than that. */
const ofCoupon = (amount: string): string =>
  `CASE WHEN discounts -> taken ->> 'type' = 'percentage' THEN round((${amount}) * (discounts -> taken ->> 'percentage')::numeric / 100)
    ELSE least(${amount}, (discounts -> taken ->> 'amount_cents')::numeric) END`;

/** Discounts of an invoice are applied one after the other, each rounded half up: numeric arithmetic, not the service's own. */
const afterDiscounts = `WITH RECURSIVE running AS (
    SELECT id, total, discounts, 0 AS taken, subtotal::numeric AS remaining, "ofCoupon", "ofSetup", waited::numeric AS waited
    FROM (${subtotals}) AS subtotals WHERE json_array_length(discounts) > 0
    UNION ALL
    SELECT id, total, discounts, taken + 1, remaining - CASE
      WHEN discounts -> taken ->> 'redemption' IS NOT NULL THEN ${ofCoupon('"ofCoupon"')}
      WHEN discounts -> taken ->> 'type' = 'percentage' THEN round(remaining * (discounts -> taken ->> 'percentage')::numeric / 100)
      ELSE (discounts -> taken ->> 'amount_cents')::numeric END, "ofCoupon", "ofSetup", waited - CASE
      WHEN discounts -> taken ->> 'redemption' IS NULL THEN 0
      ELSE ${ofCoupon('"ofCoupon" + "ofSetup"')} - ${ofCoupon('"ofCoupon"')} END
    FROM running WHERE taken < json_array_length(discounts)
  )`;

/** Intents that brought the money of their invoice. */
const SETTLING = `NOT p.surplus AND p.status IN ('paid', 'refunding', 'refunded')`;

/** An invoice's own amounts and status, and its charges' part in them (docs/product/invoices.md#amounts). */
export const invoiceChecks: readonly Check[] = [
  {
    name: 'invoice-amounts',
    sql: `SELECT id, status, total, amount_paid, amount_refunded FROM invoice
      WHERE total < 0 OR amount_paid <> CASE WHEN status = 'paid' THEN total ELSE 0 END
        OR amount_refunded NOT BETWEEN 0 AND amount_paid`,
    describe:
      '{id} is {status} with a total of {total}, amount_paid {amount_paid} and amount_refunded {amount_refunded}',
  },
  {
    name: 'invoice-subtotal',
    sql: `SELECT id, total, subtotal, waited FROM (${subtotals}) AS s WHERE json_array_length(discounts) = 0 AND total <> subtotal + waited`,
    describe: '{id} has a total of {total}, its lines come to {subtotal}, and what waited for it to {waited}',
  },
  {
    name: 'invoice-discounted-total',
    sql: `${afterDiscounts} SELECT id, total, remaining, waited, taken FROM running
      WHERE remaining < 0 OR (taken = json_array_length(discounts) AND remaining + waited <> total)`,
    describe:
      '{id} has a total of {total}, its lines less {taken} discounts come to {remaining}, and what waited for it to {waited}',
  },
  {
    name: 'invoice-line-count',
    sql: `SELECT id, json_array_length(line_items) AS lines FROM invoice WHERE json_array_length(line_items) NOT BETWEEN 1 AND ${LINE_ITEMS_MAX}`,
    describe: '{id} has {lines} lines',
  },
  {
    name: 'invoice-lines',
    sql: `SELECT i.id, line.price, line.quantity, line."unitAmount" AS stated, p.unit_amount AS priced
      FROM invoice i CROSS JOIN LATERAL ${LINES}
      LEFT JOIN price p ON p.id = line.price AND p.account_id = i.account_id AND p.live_mode = i.live_mode
      WHERE p.id IS NULL OR (p.unit_amount <> line."unitAmount" AND coalesce(line.kind NOT IN ('proration', 'penalty', ${LATE_KINDS}), true)) OR line.quantity NOT BETWEEN 1 AND ${QUANTITY_MAX}`,
    describe: '{id} has a line of {quantity} times {price} at {stated} cents; its account’s price is {priced}',
  },
  {
    name: 'invoice-status-times',
    sql: `SELECT id, status FROM invoice
      WHERE (finalized_at IS NULL) <> (status = 'draft') AND NOT (status = 'void' AND finalized_at IS NULL)
        OR (paid_at IS NULL) <> (status <> 'paid')
        OR (voided_at IS NULL) <> (status <> 'void')
        OR (status IN ('draft', 'open') AND marked_uncollectible_at IS NOT NULL)
        OR (status = 'uncollectible' AND marked_uncollectible_at IS NULL)`,
    describe: '{id} is {status}, its status_transitions tell of another way',
  },
  {
    name: 'invoice-settled-once',
    sql: `SELECT i.id, i.status, i.total, count(p.id) AS intents, coalesce(sum(p.amount), 0) AS settled
      FROM invoice i LEFT JOIN payment_intent p ON p.invoice_id = i.id AND ${SETTLING}
      GROUP BY i.id
      HAVING CASE WHEN i.status = 'paid' AND i.total > 0 THEN count(p.id) <> 1 OR sum(p.amount) <> i.total ELSE count(p.id) <> 0 END`,
    describe: '{id} is {status} with a total of {total}, and {intents} intents settled {settled} of it',
  },
  {
    name: 'invoice-keys',
    // What only one invoice may have stands in tables of their own.
    sql: `SELECT coalesce(i.id, k.invoice_id) AS id, 'cycle' AS key FROM (SELECT * FROM invoice WHERE cycle IS NOT NULL AND NOT superseded) i
        FULL JOIN invoice_cycle k ON k.invoice_id = i.id AND k.subscription_id = i.subscription_id AND k.cycle = i.cycle
          AND k.account_id = i.account_id AND k.live_mode = i.live_mode
        WHERE i.id IS NULL OR k.invoice_id IS NULL
      UNION ALL SELECT coalesce(i.id, k.invoice_id), 'external_code' FROM (SELECT * FROM invoice WHERE external_code IS NOT NULL) i
        FULL JOIN invoice_external_code k ON k.invoice_id = i.id AND k.external_code = i.external_code
          AND k.account_id = i.account_id AND k.live_mode = i.live_mode
        WHERE i.id IS NULL OR k.invoice_id IS NULL`,
    describe: '{id} and the table of what only one invoice has tell different things of its {key}',
  },
  {
    name: 'invoice-unsettled-intents',
    sql: `SELECT i.id, i.status, count(*) AS intents, string_agg(p.id, ', ' ORDER BY p.id) AS ids
      FROM payment_intent p JOIN invoice i ON i.id = p.invoice_id
      WHERE p.status IN ('pending', 'scheduled', 'processing', 'failed')
      GROUP BY i.id HAVING count(*) > 1 OR i.status IN ('draft', 'paid', 'void') AND bool_or(p.status <> 'scheduled')`,
    describe: '{id} is {status} and has {intents} unsettled intents: {ids}',
  },
  {
    name: 'invoice-newest-intent',
    sql: `SELECT i.id, i.payment_intent_id, newest.id AS newest
      FROM invoice i LEFT JOIN (SELECT invoice_id, max(id) AS id FROM payment_intent WHERE NOT surplus GROUP BY invoice_id) AS newest
        ON newest.invoice_id = i.id
      WHERE i.payment_intent_id IS DISTINCT FROM newest.id`,
    describe: '{id} shows the intent {payment_intent_id}, its newest is {newest}',
  },
  {
    name: 'invoice-refunded',
    sql: `SELECT i.id, i.amount_refunded, coalesce(parts.amount, 0) AS completed
      FROM invoice i LEFT JOIN (
        SELECT p.invoice_id, sum(r.amount) AS amount FROM refund_part r JOIN payment_intent p ON p.id = r.intent_id
        WHERE r.status = 'refunded' AND NOT p.surplus GROUP BY p.invoice_id) AS parts ON parts.invoice_id = i.id
      WHERE i.amount_refunded <> coalesce(parts.amount, 0)`,
    describe: '{id} shows amount_refunded {amount_refunded}, its completed refunds come to {completed}',
  },
];
