import { type Check, isAskedFor } from './check.ts';

/** What of a dispute is gone, summed up over `column`. */
const withdrawnBy = (column: string): string => `SELECT ${column} AS id, sum(amount) AS amount FROM dispute
  WHERE funds = 'withdrawn' GROUP BY ${column}`;

/** Why the sandbox's bank took money back, by what it calls that; what it was asked for at the bank is called as ours is. */
const REASONS = `(VALUES ('fraud', 'MED_FRAUDE'), ('operational_error', 'MED_OPERACIONAL'), ('automatic_debit', 'MED_PIX_AUTOMATICO'),
  ('returned_at_bank', 'ORIGINAL')) AS named (reason, natureza)`;

/** Disputed money by our own books (docs/product/disputes.md#amounts). */
const inOurBooks: readonly Check[] = [
  {
    name: 'intent-disputed',
    sql: `SELECT p.id, p.status, p.amount, p.amount_refunded, p.amount_disputed, coalesce(gone.amount, 0) AS withdrawn
      FROM payment_intent p LEFT JOIN (${withdrawnBy('intent_id')}) AS gone USING (id)
      WHERE p.amount_disputed <> coalesce(gone.amount, 0)
        OR (p.amount_disputed > 0 AND (p.amount_refunded + p.amount_disputed > p.amount OR p.status NOT IN ('paid', 'refunding', 'refunded')))`,
    describe:
      '{id} of {amount} is {status} with {amount_refunded} refunded and {amount_disputed} disputed; its disputes took {withdrawn}',
  },
  {
    name: 'invoice-disputed',
    sql: `SELECT i.id, i.amount_paid, i.amount_refunded, i.amount_disputed, coalesce(gone.amount, 0) AS withdrawn
      FROM invoice i LEFT JOIN (
        SELECT invoice_id AS id, sum(amount_disputed) AS amount FROM payment_intent WHERE NOT surplus GROUP BY invoice_id) AS gone USING (id)
      WHERE i.amount_disputed <> coalesce(gone.amount, 0) 
        OR (i.amount_disputed > 0 AND i.amount_refunded + i.amount_disputed > i.amount_paid)`,
    describe:
      '{id} shows {amount_refunded} refunded and {amount_disputed} disputed of {amount_paid}; of its charges {withdrawn} is disputed',
  },
  {
    name: 'dispute-status',
    sql: `SELECT id, intent_id, kind, method, status, funds FROM dispute
      WHERE (kind, method) NOT IN (('med', 'pix'), ('chargeback', 'card')) OR (status, funds) NOT IN (('lost', 'withdrawn'), ('won', 'reinstated'))
        OR evidence_due_by IS NOT NULL OR closed_at IS DISTINCT FROM created OR withdrawn_at IS DISTINCT FROM created
        OR (reinstated_at IS NOT NULL) <> (funds = 'reinstated') OR reinstated_at < created`,
    describe:
      '{id} of {intent_id} ({kind}, {method}) is {status} with its funds {funds}, its instants tell of another way',
  },
  {
    name: 'dispute-is-refund',
    sql: `SELECT d.id, d.return_id, part.id AS part FROM dispute d JOIN refund_part part ON part.reference = d.return_id`,
    describe: '{id} disputes the return {return_id}, which {part} asked for',
  },
];

/** Disputes and what the sandbox's bank took back by itself, one to one. */
const atBank: readonly Check[] = [
  {
    name: 'dispute-at-bank',
    sql: `SELECT d.id, d.end_to_end_id, d.return_id, d.amount, d.reason, d.funds, b.amount AS bank_amount, b.natureza, b.refused
      FROM dispute d LEFT JOIN sandbox_bank.devolucao b ON b.id = d.return_id AND b.end_to_end_id = d.end_to_end_id
      LEFT JOIN pix_receipt r ON r.id = d.end_to_end_id
      WHERE NOT d.live_mode AND (b.id IS NULL OR b.amount <> d.amount OR (d.reason, b.natureza) NOT IN (SELECT reason, natureza FROM ${REASONS})
        OR (b.refused <> (d.funds = 'reinstated') AND NOT (b.refused AND ${isAskedFor('pix-settlement', 'r.txid')})))`,
    describe:
      '{id} is of {amount} by {return_id} of {end_to_end_id} ({reason}, {funds}); the bank has {bank_amount} ({natureza}), refused {refused}',
  },
  {
    name: 'return-disputed',
    sql: `SELECT b.id, b.end_to_end_id, b.amount, b.natureza
      FROM sandbox_bank.devolucao b JOIN pix_receipt r ON r.id = b.end_to_end_id JOIN moment m USING (account_id, live_mode)
      LEFT JOIN dispute d ON d.return_id = b.id AND d.end_to_end_id = b.end_to_end_id
      WHERE d.id IS NULL AND b.natureza <> 'ORIGINAL' AND NOT b.refused AND r.intent_id IS NOT NULL
        AND b.completes_at <= m.now - (SELECT in_flight FROM at) AND NOT ${isAskedFor('pix-settlement', 'r.txid')}`,
    describe:
      'the bank took {amount} of {end_to_end_id} back by {id} ({natureza}); we have no dispute and no notice of it',
  },
];

/** What banks take back unasked is told as it is, once, and never comes to more than was paid. */
export const disputeChecks: readonly Check[] = [...inOurBooks, ...atBank];
