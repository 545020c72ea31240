import type { Check } from './check.ts';

/** A payment intent's amount and status (docs/product/payments.md#payment-intents). */
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
        OR (refunding_at IS NOT NULL AND (payment_method_type IS DISTINCT FROM 'pix' OR status NOT IN ('paid', 'refunding', 'refunded')))
        OR (status = 'refunded' AND payment_method_type = 'pix' AND refunding_at IS NULL)`,
    describe: '{id} is {status}, its status_transitions tell of another way',
  },
];
