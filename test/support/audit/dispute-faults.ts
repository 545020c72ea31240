import { newId, newSuffix } from '../../../server/kernel/ids.ts';
import { type Fault, fault, sql } from './fault.ts';

/** The database itself refuses some faults; the audit does not rely on it. */
const unguarded = (table: string) => ({
  text: `DO $$ DECLARE guard record; BEGIN
    FOR guard IN SELECT conname FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype = 'c' LOOP
      EXECUTE format('ALTER TABLE ${table} DROP CONSTRAINT %I', guard.conname);
    END LOOP; END $$`,
  values: [],
});

const bookFaults: readonly Fault[] = [
  fault(
    'an intent with another amount disputed than its disputes took',
    ['intent-disputed', 'invoice-disputed'],
    (shop) => [sql`UPDATE payment_intent SET amount_disputed = amount_disputed + 1 WHERE id = ${shop.disputed.intent}`],
  ),
  fault('an invoice with another amount disputed than its charge', ['invoice-disputed'], ({ disputed }) => [
    sql`UPDATE invoice SET amount_disputed = 0 WHERE id = ${disputed.invoice}`,
  ]),
  fault('a surplus that its invoice counts as disputed', ['intent-disputed', 'invoice-disputed'], ({ surplus }) => [
    unguarded('payment_intent'),
    sql`UPDATE payment_intent SET amount_disputed = 1 WHERE id = ${surplus}`,
    sql`UPDATE invoice SET amount_disputed = 1 WHERE id = (SELECT invoice_id FROM payment_intent WHERE id = ${surplus})`,
  ]),
  fault(
    'more refunded and disputed than was paid',
    ['intent-disputed', 'intent-refunded', 'invoice-disputed', 'invoice-refunded'],
    ({ disputed }) => [
      unguarded('payment_intent'),
      unguarded('invoice'),
      sql`UPDATE payment_intent SET amount_refunded = 4001 WHERE id = ${disputed.intent}`,
      sql`UPDATE invoice SET amount_refunded = 4001 WHERE id = ${disputed.invoice}`,
    ],
  ),
  fault('a dispute whose funds its status denies', ['dispute-status'], ({ disputed }) => [
    sql`UPDATE dispute SET status = 'won' WHERE id = ${disputed.lost}`,
  ]),
  fault('a dispute that was won before it began', ['dispute-events', 'dispute-status'], ({ disputed }) => [
    sql`UPDATE dispute SET reinstated_at = created - 1 WHERE id = ${disputed.won}`,
  ]),
  fault('a dispute of what a refund asked for', ['dispute-at-bank', 'dispute-is-refund', 'return-booked'], (shop) => [
    sql`UPDATE dispute SET return_id = (SELECT reference FROM refund_part WHERE intent_id = ${shop.pixReturning} AND status = 'refunded')
      WHERE id = ${shop.disputed.lost}`,
  ]),
  fault(
    'a dispute of a payment that another charge received',
    ['dispute-at-bank', 'dispute-of-payment', 'return-booked'],
    (shop) => [
      sql`UPDATE dispute SET end_to_end_id = (SELECT id FROM pix_receipt WHERE txid = ${shop.sold.txid}) WHERE id = ${shop.disputed.lost}`,
    ],
  ),
  fault('a dispute of another customer', ['dispute-customer-id', 'dispute-of-payment'], ({ disputed, stranger }) => [
    sql`UPDATE dispute SET customer_id = ${stranger.customer} WHERE id = ${disputed.lost}`,
  ]),
  fault('a dispute of an invoice that does not exist', ['dispute-invoice-id', 'dispute-of-payment'], ({ disputed }) => [
    sql`UPDATE dispute SET invoice_id = ${newId('in')} WHERE id = ${disputed.won}`,
  ]),
  fault('a dispute of a charge that does not exist', ['dispute-intent-id'], ({ disputed }) => [
    sql`UPDATE dispute SET intent_id = ${newId('pi')} WHERE id = ${disputed.won}`,
  ]),
];

const bankFaults: readonly Fault[] = [
  fault('a dispute that the bank knows nothing of', ['dispute-at-bank'], ({ disputed }) => [
    sql`DELETE FROM sandbox_bank.devolucao WHERE id = (SELECT return_id FROM dispute WHERE id = ${disputed.lost})`,
  ]),
  fault('a dispute of another amount than the bank took', ['dispute-at-bank'], ({ disputed }) => [
    sql`UPDATE sandbox_bank.devolucao SET amount = amount - 1 WHERE id = (SELECT return_id FROM dispute WHERE id = ${disputed.lost})`,
  ]),
  fault('a dispute for another reason than the bank gave', ['dispute-at-bank'], ({ disputed }) => [
    sql`UPDATE sandbox_bank.devolucao SET natureza = 'MED_OPERACIONAL' WHERE id = (SELECT return_id FROM dispute WHERE id = ${disputed.won})`,
  ]),
  fault('a dispute that the bank gave back and nobody asks about', ['dispute-at-bank'], ({ disputed }) => [
    sql`UPDATE sandbox_bank.devolucao SET refused = true WHERE id = (SELECT return_id FROM dispute WHERE id = ${disputed.lost})`,
  ]),
  fault('no fault: a dispute that the bank gave back, whose notice waits', [], ({ disputed, accountId }) => [
    sql`UPDATE sandbox_bank.devolucao SET refused = true WHERE id = (SELECT return_id FROM dispute WHERE id = ${disputed.lost})`,
    sql`INSERT INTO outbox (kind, key, account_id, live_mode) VALUES ('pix-settlement', ${disputed.txid}, ${accountId}, false)`,
  ]),
  fault('a dispute that was won and that the bank keeps', ['dispute-at-bank'], ({ disputed }) => [
    sql`UPDATE sandbox_bank.devolucao SET refused = false WHERE id = (SELECT return_id FROM dispute WHERE id = ${disputed.won})`,
  ]),
  fault('money that the bank took and nobody of ours knows of', ['return-disputed'], ({ sold, now }) => [
    sql`INSERT INTO sandbox_bank.devolucao (id, end_to_end_id, amount, requested_at, completes_at, refused, natureza)
      SELECT ${newSuffix()}, id, 1, ${now}, ${now}, false, 'MED_FRAUDE' FROM pix_receipt WHERE txid = ${sold.txid}`,
  ]),
  fault('money that was returned at the bank and nobody of ours knows of', ['return-booked'], ({ sold, now }) => [
    sql`INSERT INTO sandbox_bank.devolucao (id, end_to_end_id, amount, requested_at, completes_at, refused)
      SELECT ${newSuffix()}, id, 1, ${now}, ${now}, false FROM pix_receipt WHERE txid = ${sold.txid}`,
  ]),
];

const tellingFaults: readonly Fault[] = [
  ...(['dispute.created', 'dispute.funds_withdrawn', 'dispute.closed'] as const).map((type) =>
    fault(`a dispute without its ${type}`, ['dispute-events'], ({ disputed }) => [
      sql`DELETE FROM event WHERE type = ${type} AND object_id = ${disputed.lost}`,
    ]),
  ),
  ...(['dispute.updated', 'dispute.funds_reinstated'] as const).map((type) =>
    fault(`a dispute that was won without its ${type}`, ['dispute-events'], ({ disputed }) => [
      sql`DELETE FROM event WHERE type = ${type} AND object_id = ${disputed.won}`,
    ]),
  ),
  fault(
    'a dispute that is told to be won and is lost',
    ['dispute-at-bank', 'dispute-events', 'intent-disputed'],
    (shop) => [
      sql`UPDATE dispute SET status = 'lost', funds = 'withdrawn', reinstated_at = NULL WHERE id = ${shop.disputed.won}`,
    ],
  ),
];

export const disputeFaults: readonly Fault[] = [...bookFaults, ...bankFaults, ...tellingFaults];
