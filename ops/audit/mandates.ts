import { type Check, isAskedFor } from './check.ts';

/** Debits that another one of their invoice would double. */
const LIVE = `('ATIVA', 'CONCLUIDA', 'EXPIRADA')`;

/** Mandates, and what is debited by them (docs/product/pix-automatico.md). */
export const mandateChecks: readonly Check[] = [
  {
    name: 'mandate-of-subscription',
    sql: `SELECT s.id, s.payment_method_type, s.mandate_id, m.id AS mandate, m.status, m.customer_id, s.customer_id AS subscribed
      FROM subscription s FULL JOIN (SELECT * FROM mandate WHERE status IN ('pending', 'active')) AS m ON m.subscription_id = s.id
      WHERE s.mandate_id IS DISTINCT FROM m.id AND (s.mandate_id IS NOT NULL OR m.id IS NOT NULL)
        OR m.customer_id <> s.customer_id
        OR (s.payment_method_type IS NOT DISTINCT FROM 'pix_automatico') <> (m.status IS NOT DISTINCT FROM 'active')`,
    describe:
      '{id} of {subscribed} is paid by {payment_method_type} and names the mandate {mandate_id}; open is {mandate} of {customer_id}, which is {status}',
  },
  {
    name: 'mandate-at-bank',
    sql: `SELECT m.id, m.status, m.end_reason, b.status AS bank_status, b.bank_ref FROM mandate m LEFT JOIN sandbox_bank.rec b ON b.place = m.place
      WHERE NOT m.live_mode AND m.asked_at IS NULL AND CASE m.status WHEN 'active' THEN b.status IS DISTINCT FROM 'APROVADA'
        WHEN 'pending' THEN b.status IN ('REJEITADA', 'CANCELADA', 'EXPIRADA') WHEN 'ended' THEN b.status IN ('CRIADA', 'APROVADA')
        ELSE b.status IN ('CRIADA', 'APROVADA') END
        AND NOT ${isAskedFor('pix-mandate', 'm.id')}`,
    describe: '{id} is {status} ({end_reason}), at the bank {bank_ref} is {bank_status}',
  },
  {
    name: 'debit-at-bank',
    sql: `SELECT coalesce(q.id, d.txid) AS txid, q.amount, q.due_on, c.amount AS bank_amount, d.due_on AS bank_due_on
      FROM (SELECT * FROM pix_charge WHERE NOT live_mode AND due_on IS NOT NULL) AS q
        FULL JOIN (sandbox_bank.cobr d JOIN sandbox_bank.cob c USING (txid)) ON d.txid = q.id
      WHERE q.id IS NULL OR (c.account_id, c.amount, d.due_on) <> (q.account_id, q.amount, q.due_on)`,
    describe: 'the debit {txid} is of {amount} on {due_on}, at the bank of {bank_amount} on {bank_due_on}',
  },
  {
    name: 'debit-once',
    sql: `SELECT q.invoice_id AS id, count(*) AS debits, string_agg(q.id, ', ' ORDER BY q.id) AS txids FROM pix_charge q JOIN sandbox_bank.cobr d ON d.txid = q.id
      WHERE d.status IN ${LIVE} GROUP BY q.invoice_id HAVING count(*) > 1`,
    describe: '{id} is debited by {debits} instructions: {txids}',
  },
  {
    name: 'debit-tries',
    sql: `SELECT p.id, p.status, p.attempts, p.scheduled_for, count(t.id) AS made, count(t.id) FILTER (WHERE t.status = 'scheduled') AS open,
        max(t.day) AS last, count(t.id) FILTER (WHERE t.status = 'paid') AS paid
      FROM payment_intent p LEFT JOIN debit_try t ON t.intent_id = p.id
      WHERE p.mandate_id IS NOT NULL GROUP BY p.id HAVING p.attempts <> count(t.id) OR p.attempts > p.max_attempts
        OR (p.status = 'scheduled') <> (count(t.id) FILTER (WHERE t.status = 'scheduled') > 0) OR p.scheduled_for < max(t.day)
        OR (p.status IN ('paid', 'refunding', 'refunded')) <> (count(t.id) FILTER (WHERE t.status = 'paid') > 0)`,
    describe:
      '{id} is {status} for {scheduled_for} after {attempts} tries; {made} are on record up to {last}, {open} scheduled and {paid} paid',
  },
];
