import type { Check } from './check.ts';

/** A payment intent's amounts, status and returns (decisions §3). */
export const intentChecks: readonly Check[] = [
  {
    name: 'intent-amount',
    sql: `SELECT p.id, p.amount, i.id AS invoice, i.total FROM payment_intent p JOIN invoice i ON i.id = p.invoice_id
      WHERE NOT p.surplus AND p.amount <> i.total`,
    describe: '{id} charges {amount}, its invoice {invoice} has a total of {total}',
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
        OR (status IN ('pending', 'processing', 'failed', 'discarded') AND refunding_at IS NOT NULL)`,
    describe: '{id} is {status}, its status_transitions tell of another way',
  },
  {
    name: 'intent-refunded',
    sql: `SELECT p.id, p.status, p.amount, p.amount_refunded, parts.completed, parts.asked
      FROM payment_intent p LEFT JOIN (
        SELECT intent_id, sum(amount) FILTER (WHERE status = 'refunded') AS completed,
          sum(amount) FILTER (WHERE status <> 'failed') AS asked, count(*) FILTER (WHERE status = 'refunding') AS waiting
        FROM refund_part GROUP BY intent_id) AS parts ON parts.intent_id = p.id
      WHERE p.amount_refunded <> coalesce(parts.completed, 0)
        OR coalesce(parts.asked, 0) > CASE WHEN p.status IN ('paid', 'refunding', 'refunded') THEN p.amount ELSE 0 END
        OR (p.status = 'refunded') <> (p.amount_refunded = p.amount)
        OR (p.status = 'refunding' AND coalesce(parts.waiting, 0) = 0)`,
    describe:
      '{id} is {status} with {amount_refunded} of {amount} refunded; of its parts {completed} are completed and {asked} asked for in all',
  },
  {
    name: 'surplus-return',
    sql: `SELECT p.id, p.status, p.amount, coalesce(sum(r.amount), 0) AS asked
      FROM payment_intent p LEFT JOIN refund_part r ON r.intent_id = p.id AND r.status <> 'failed'
      WHERE p.surplus GROUP BY p.id
      HAVING p.status NOT IN ('refunding', 'refunded') OR coalesce(sum(r.amount), 0) <> p.amount OR p.payment_method_type IS DISTINCT FROM 'pix'`,
    describe: '{id} is a surplus of {amount}, {status}, and {asked} of it are asked back from the bank',
  },
  {
    name: 'refund-part-status-times',
    sql: `SELECT id, intent_id, status FROM refund_part
      WHERE (completed_at IS NOT NULL) <> (status = 'refunded') OR (retry_at IS NOT NULL AND status <> 'refunding')`,
    describe: '{id} of {intent_id} is {status}, its instants tell of another way',
  },
];
