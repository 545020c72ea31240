import type { Check } from './check.ts';

/**
 * Every attempt of an intent; what is counted is none where the intent has none. `before`: those of the same schedule, whose
 * count goes on where a buyer's checkout came between (docs/product/collection.md#charges-by-schedule).
 */
const ATTEMPTS = `(SELECT intent_id, count(*) AS made, count(*) FILTER (WHERE status = 'sent') AS sent,
    count(*) FILTER (WHERE status = 'approved') AS approved,
    CASE WHEN bool_and(initiator = 'merchant') THEN sum(count(*) FILTER (WHERE initiator = 'merchant'))
      OVER (PARTITION BY max(invoice_id) ORDER BY intent_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) END AS before
    FROM charge_attempt GROUP BY intent_id)`;

/** Cards as we know them: of stored methods and of attempts. */
const KNOWN_CARDS = `(SELECT id, customer_id, CASE WHEN asked_at IS NULL THEN sealed_token END AS token, brand, last4 FROM payment_method
    UNION ALL SELECT c.id, p.customer_id, NULL::bytea, c.brand, c.last4 FROM charge_attempt c JOIN payment_intent p ON p.id = c.intent_id)`;

/** Charges by card, by our books and by the sandbox acquirer's: captures and attempts are in both, one to one (docs/design/audit.md#what-it-proves). */
export const cardChecks: readonly Check[] = [
  {
    name: 'charge-at-bank',
    sql: `SELECT coalesce(c.id, b.reference) AS id, c.account_id, c.status, c.amount, c.installments, c.decline_reason,
        c.invoice_id, c.initiator, b.account_id AS bank_account, b.outcome, b.amount AS bank_amount, b.installments AS bank_installments,
        b.decline_reason AS bank_reason, b.order_id AS bank_order, b.initiator AS bank_initiator
      FROM (SELECT * FROM charge_attempt WHERE NOT live_mode) AS c FULL JOIN sandbox_bank.charge b ON b.reference = c.id
      WHERE c.id IS NULL OR CASE
        WHEN b.reference IS NULL THEN c.status IN ('approved', 'declined')
        ELSE (b.account_id, b.amount, b.installments, b.order_id, b.initiator)
            <> (c.account_id, c.amount, c.installments, c.invoice_id, c.initiator)
          OR (c.status <> 'sent' AND (b.completes_at > clock_timestamp()
            OR (b.outcome, b.decline_reason, b.code) IS DISTINCT FROM (c.status, c.decline_reason, c.acquirer_code)))
        END`,
    describe:
      'the attempt {id} of {account_id} for {invoice_id} by the {initiator} is {status} ({decline_reason}) for {amount} in {installments}; the bank has {outcome} ({bank_reason}) for {bank_amount} in {bank_installments} of {bank_account} for {bank_order} by the {bank_initiator}',
  },
  {
    name: 'captured-twice',
    sql: `SELECT c.invoice_id AS id, count(*) AS charges, sum(b.amount) AS captured, string_agg(b.reference, ', ' ORDER BY b.reference) AS ids
      FROM sandbox_bank.charge b JOIN charge_attempt c ON c.id = b.reference
      WHERE b.outcome = 'approved' GROUP BY c.invoice_id HAVING count(*) > 1`,
    describe: 'the bank captured {captured} for {id} by {charges} charges: {ids}',
  },
  {
    name: 'charge-card',
    sql: `SELECT c.id, c.brand, c.last4, b.account_id, k.brand AS bank_brand, k.last4 AS bank_last4, k.account_id AS card_account
      FROM sandbox_bank.charge b JOIN charge_attempt c ON c.id = b.reference LEFT JOIN sandbox_bank.card k ON k.token = b.token
      WHERE k.account_id IS DISTINCT FROM b.account_id
        OR ((c.brand, c.last4) IS DISTINCT FROM (k.brand, k.last4) AND num_nonnulls(c.brand, c.last4) > 0)`,
    describe:
      'the attempt {id} charged {brand} {last4} for {account_id}; the bank charged {bank_brand} {bank_last4} of {card_account}',
  },
  {
    name: 'stored-card',
    // The token is sealed: what it names is told by the acquirer's own cards.
    sql: `SELECT m.id, m.account_id, m.brand, m.last4 FROM payment_method m
      WHERE NOT m.live_mode AND m.sealed_token IS NOT NULL AND m.brand IS NOT NULL AND NOT EXISTS (SELECT FROM sandbox_bank.card k
        WHERE k.account_id = m.account_id AND k.brand = m.brand AND k.last4 = m.last4)`,
    describe: '{id} of {account_id} is {brand} {last4}, and the bank has no such card of that account',
  },
  {
    name: 'card-erased',
    sql: `SELECT u.id, card.id AS card, u.anonymized_at FROM ${KNOWN_CARDS} AS card JOIN customer u ON u.id = card.customer_id
      WHERE CASE WHEN u.anonymized_at IS NULL THEN num_nulls(card.brand, card.last4) > 0
        ELSE num_nonnulls(card.token, card.brand, card.last4) > 0 END`,
    describe: 'the card of {card} is kept or lost, {id} was anonymized at {anonymized_at}',
  },
  {
    name: 'merchant-initiated',
    sql: `SELECT c.id, c.invoice_id, c.payment_method_id FROM charge_attempt c JOIN payment_intent p ON p.id = c.intent_id
      WHERE c.initiator = 'merchant' AND p.subscription_id IS NULL`,
    describe:
      'the attempt {id} charged {payment_method_id} without its buyer for {invoice_id}, which is of no subscription',
  },
  {
    name: 'intent-attempts',
    sql: `SELECT p.id, p.status, p.payment_method_type, p.attempts, p.max_attempts, coalesce(t.made, 0) AS made, coalesce(t.before, 0) AS before,
        coalesce(t.sent, 0) AS sent, coalesce(t.approved, 0) AS approved
      FROM payment_intent p LEFT JOIN ${ATTEMPTS} AS t ON t.intent_id = p.id
      CROSS JOIN LATERAL (SELECT p.status IN ('paid', 'refunding', 'refunded') AS settled, p.payment_method_type IS NOT DISTINCT FROM 'pix' AS by_pix) AS as_it
      WHERE p.mandate_id IS NULL AND (p.attempts > p.max_attempts
        OR p.attempts <> CASE WHEN by_pix THEN settled::integer ELSE coalesce(t.made, 0) + coalesce(t.before, 0) END
        OR coalesce(t.made, 0) < (p.status IN ('processing', 'failed'))::integer
        OR coalesce(t.sent, 0) <> (p.status = 'processing')::integer
        OR coalesce(t.approved, 0) <> (settled AND NOT by_pix)::integer)`,
    describe:
      '{id} is {status} ({payment_method_type}) after {attempts} of {max_attempts} attempts; {made} are on record after {before} of its schedule, {sent} at the acquirer and {approved} approved',
  },
  {
    name: 'intent-last-attempt',
    sql: `SELECT p.id, p.status, p.decline_reason, p.processing_at, p.failed_at, p.paid_at, last.id AS attempt, last.status AS told,
        last.decline_reason AS told_reason, last.created, last.completed_at
      FROM payment_intent p JOIN (SELECT DISTINCT ON (intent_id) * FROM charge_attempt ORDER BY intent_id, id DESC) AS last ON last.intent_id = p.id
      WHERE p.processing_at IS DISTINCT FROM last.created OR p.decline_reason IS DISTINCT FROM last.decline_reason
        OR CASE last.status WHEN 'sent' THEN NULL WHEN 'approved' THEN p.paid_at ELSE p.failed_at END IS DISTINCT FROM last.completed_at`,
    describe:
      '{id} is {status} ({decline_reason}), processing at {processing_at}, failed at {failed_at}, paid at {paid_at}; its last attempt {attempt}, made at {created}, was {told} ({told_reason}) at {completed_at}',
  },
];
