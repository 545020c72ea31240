import { type Check, CIVIL_ZONE, LATE_KINDS } from './check.ts';

/** SQL: the civil days from the due date of the invoice `i` to the making of its charge `p`. */
const DAYS = `(timezone('${CIVIL_ZONE}', to_timestamp(p.created))::date - timezone('${CIVIL_ZONE}', to_timestamp(i.due_at))::date)`;
const percentage = (field: string): string => `coalesce((i.late_fees ->> '${field}')::numeric, 0)`;

/** SQL: what a bill asks for without what it bills of an earlier one that was late. */
const BASE = `(i.total - i.late_fine - i.late_interest - (SELECT coalesce(sum(line."unitAmount"), 0) FROM json_to_recordset(i.line_items) AS line (kind text, "unitAmount" bigint)
     WHERE line.kind IN (${LATE_KINDS})))`;

/** A charge of a former day whose money came later says what it asked for. */
const PAID_LATER = `EXISTS (SELECT FROM payment_intent d WHERE d.invoice_id = i.id AND d.status = 'discarded'
     AND (d.late_fine, d.late_interest) = (p.late_fine, p.late_interest))`;

/** A payment intent's amount and status (docs/product/payments.md#payment-intents). */
export const intentChecks: readonly Check[] = [
  {
    name: 'intent-amount',
    sql: `SELECT p.id, p.amount, p.late_fine, p.late_interest, i.id AS invoice, i.total FROM payment_intent p JOIN invoice i ON i.id = p.invoice_id
      WHERE NOT p.surplus AND p.amount - p.late_fine - p.late_interest <> i.total - i.late_fine - i.late_interest`,
    describe:
      '{id} charges {amount}, a fine of {late_fine} and interest of {late_interest} in it; its invoice {invoice} has a total of {total}',
  },
  {
    name: 'late-fees-paid',
    sql: `SELECT i.id, i.late_fine AS fine, i.late_interest AS interest, coalesce(p.late_fine, 0) AS late_fine, coalesce(p.late_interest, 0) AS late_interest
      FROM invoice i LEFT JOIN payment_intent p ON p.invoice_id = i.id AND NOT p.surplus AND p.status IN ('paid', 'refunding', 'refunded')
      WHERE (i.late_fine, i.late_interest) <> (coalesce(p.late_fine, 0), coalesce(p.late_interest, 0))`,
    describe:
      '{id} asks for a fine of {fine} and interest of {interest}, and was paid a fine of {late_fine} and interest of {late_interest}',
  },
  {
    name: 'late-fees-charged',
    sql: `SELECT p.id, p.late_fine, p.late_interest, ${DAYS} AS days, i.id AS invoice FROM payment_intent p JOIN invoice i ON i.id = p.invoice_id
      WHERE p.late_fine + p.late_interest > 0 AND p.status <> 'discarded' AND NOT ${PAID_LATER} AND (
        p.is_scheduled OR p.mandate_id IS NOT NULL OR i.late_fees ->> 'collect' IS DISTINCT FROM 'at_payment'
        OR ${DAYS} <= (i.late_fees ->> 'grace_days')::int
        OR p.late_fine <> round(${BASE} * ${percentage('fine_percentage')} / 100)
        OR p.late_interest <> round(${BASE} * ${percentage('interest_percentage')} * ${DAYS} / 3000))`,
    describe:
      '{id} charges a fine of {late_fine} and interest of {late_interest} for {invoice}, which is {days} days late: not what that costs',
  },
  {
    name: 'late-fees-by-schedule',
    sql: `SELECT p.id, i.id AS invoice FROM payment_intent p JOIN invoice i ON i.id = p.invoice_id
      WHERE (p.is_scheduled OR p.mandate_id IS NOT NULL) AND p.status NOT IN ('discarded')
        AND EXISTS (SELECT FROM json_to_recordset(i.line_items) AS line (kind text) WHERE line.kind IN (${LATE_KINDS}))`,
    describe: '{id} charges late fees of {invoice} by itself, which its buyer did not agree to',
  },
  {
    name: 'intent-status-times',
    sql: `SELECT id, status FROM payment_intent
      WHERE (paid_at IS NOT NULL) <> (status IN ('paid', 'refunding', 'refunded'))
        OR (discarded_at IS NOT NULL) <> (status = 'discarded')
        OR (refunded_at IS NOT NULL) <> (status = 'refunded')
        OR (status = 'refunding' AND refunding_at IS NULL)
        OR (status = 'processing' AND processing_at IS NULL)
        OR (status = 'failed' AND (failed_at IS NULL OR decline_reason IS NULL))
        OR (status = 'pending' AND (processing_at IS NOT NULL OR failed_at IS NOT NULL))
        OR (refunding_at IS NOT NULL AND (payment_method_type IS DISTINCT FROM 'pix' OR status NOT IN ('paid', 'refunding', 'refunded')))
        OR (status = 'refunded' AND payment_method_type = 'pix' AND refunding_at IS NULL)`,
    describe: '{id} is {status}, its status_transitions tell of another way',
  },
];
