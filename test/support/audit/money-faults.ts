import { newId, newSuffix } from '../../../server/kernel/ids.ts';
import { type Fault, fault, sql, withoutMonthly } from './fault.ts';

/** The database itself refuses some faults; the audit does not rely on it. */
const unguarded = sql`DO $$ DECLARE guard record; BEGIN
    FOR guard IN SELECT conname FROM pg_constraint WHERE conrelid = 'invoice'::regclass AND contype = 'c' LOOP
      EXECUTE format('ALTER TABLE invoice DROP CONSTRAINT %I', guard.conname);
    END LOOP; END $$`;

const invoiceFaults: readonly Fault[] = [
  fault('a total that its lines do not come to', ['invoice-subtotal'], ({ waiting }) => [
    sql`UPDATE invoice SET line_items = jsonb_set(line_items::jsonb, '{0,quantity}', '2')::json WHERE id = ${waiting.invoice}`,
  ]),
  fault('a discount rounded another way', ['invoice-discounted-total'], ({ discounted }) => [
    sql`UPDATE invoice SET discounts = jsonb_set(discounts::jsonb, '{0,percentage}', '33.34')::json WHERE id = ${discounted.invoice}`,
  ]),
  fault('a line of another amount than its price', ['invoice-lines'], ({ sold }) => [
    sql`UPDATE price SET unit_amount = 1001 WHERE id = (SELECT line_items #>> '{0,price}' FROM invoice WHERE id = ${sold.invoice})`,
  ]),
  fault('an invoice of nothing', ['invoice-line-count'], () => [
    sql`UPDATE invoice SET line_items = '[]' WHERE id = (SELECT min(id) FROM invoice WHERE total = 0 AND subscription_id IS NULL)`,
    sql`UPDATE invoice SET discounts = '[]' WHERE line_items::text = '[]'`,
  ]),
  fault('amount_refunded of an invoice without a refund', ['invoice-refunded'], ({ sold }) => [
    sql`UPDATE invoice SET amount_refunded = 1 WHERE id = ${sold.invoice}`,
  ]),
  fault('more refunded than paid', ['invoice-amounts', 'invoice-refunded'], ({ waiting }) => [
    unguarded,
    sql`UPDATE invoice SET amount_refunded = 1 WHERE id = ${waiting.invoice}`,
  ]),
  fault(
    'an invoice paid without money',
    ['invoice-events', 'invoice-settled-once', 'invoice-unsettled-intents'],
    ({ waiting }) => [
      sql`UPDATE invoice SET status = 'paid', amount_paid = total, paid_at = created, step = NULL, step_at = NULL, wake_at = NULL
        WHERE id = ${waiting.invoice}`,
    ],
  ),
  fault('a status that its instants deny', ['invoice-status-times'], ({ sold }) => [
    sql`UPDATE invoice SET finalized_at = NULL WHERE id = ${sold.invoice}`,
  ]),
  fault(
    'an invoice that shows another invoice’s intent',
    ['intent-of-invoice', 'invoice-newest-intent'],
    ({ sold, waiting }) => [sql`UPDATE invoice SET payment_intent_id = ${sold.intent} WHERE id = ${waiting.invoice}`],
  ),
];

const intentFaults: readonly Fault[] = [
  fault(
    'a second unsettled intent',
    ['invoice-newest-intent', 'invoice-unsettled-intents', 'payment-intent-events'],
    ({ waiting }) => [
      withoutMonthly('one_unsettled'),
      sql`INSERT INTO payment_intent (id, account_id, live_mode, created, invoice_id, customer_id, status, amount, due_at)
        SELECT ${newId('pi')}, account_id, live_mode, created, invoice_id, customer_id, 'pending', amount, due_at
        FROM payment_intent WHERE id = ${waiting.intent}`,
    ],
  ),
  fault('a second QR code of an intent', ['qr-code-at-bank', 'qr-code-once'], ({ waiting }) => [
    withoutMonthly('one_of_intent'),
    sql`INSERT INTO pix_charge SELECT (jsonb_populate_record(q, jsonb_build_object('id', ${newSuffix()}::text))).*
      FROM pix_charge q WHERE q.intent_id = ${waiting.intent}`,
  ]),
  fault('an unsettled intent on a paid invoice', ['invoice-unsettled-intents', 'payment-intent-events'], () => [
    sql`UPDATE payment_intent SET status = 'pending', discarded_at = NULL WHERE id = (
      SELECT min(p.id) FROM payment_intent p JOIN invoice i ON i.id = p.invoice_id WHERE p.status = 'discarded' AND p.payment_method_type = 'pix' AND i.status = 'paid')`,
  ]),
  fault('an intent of another amount than its invoice', ['intent-amount', 'qr-code-of-intent'], ({ waiting }) => [
    sql`UPDATE payment_intent SET amount = amount + 1 WHERE id = ${waiting.intent}`,
  ]),
  fault('late fees that nobody paid', ['intent-amount', 'invoice-subtotal', 'late-fees-paid'], ({ sold }) => [
    sql`UPDATE invoice SET late_fine = 1 WHERE id = ${sold.invoice}`,
  ]),
  fault('a charge of late fees that nothing asks for', ['late-fees-charged', 'qr-code-of-intent'], ({ waiting }) => [
    sql`UPDATE payment_intent SET late_interest = 1, amount = amount + 1 WHERE id = ${waiting.intent}`,
  ]),
  fault('late fees that a card was charged for by itself', ['invoice-bills-term', 'late-fees-by-schedule'], () => [
    sql`UPDATE invoice SET line_items = jsonb_set(line_items::jsonb, '{0,kind}', '"late_fine"')::json
      WHERE id = (SELECT min(invoice_id) FROM payment_intent WHERE is_scheduled AND status = 'paid')`,
  ]),
  fault('a refund that the intent alone knows of', ['intent-refunded'], ({ sold }) => [
    sql`UPDATE payment_intent SET amount_refunded = 1 WHERE id = ${sold.intent}`,
  ]),
  fault('an intent that its instants deny', ['intent-status-times', 'payment-intent-events'], ({ waiting }) => [
    sql`UPDATE payment_intent SET refunding_at = created WHERE id = ${waiting.intent}`,
  ]),
  fault('a return that its instants deny', ['refund-part-status-times'], ({ surplus }) => [
    sql`UPDATE refund_part SET retry_at = 1 WHERE intent_id = ${surplus}`,
  ]),
  fault(
    'a surplus that is never returned',
    ['event-count', 'payment-intent-events', 'surplus-return'],
    ({ surplus }) => [
      sql`DELETE FROM sandbox_bank.devolucao WHERE id IN (SELECT reference FROM refund_part WHERE intent_id = ${surplus})`,
      sql`DELETE FROM refund_part WHERE intent_id = ${surplus}`,
      sql`UPDATE payment_intent SET status = 'paid', amount_refunded = 0, refunded_at = NULL, refunding_at = NULL WHERE id = ${surplus}`,
    ],
  ),
];

const bankFaults: readonly Fault[] = [
  fault('a settled intent without a receipt', ['receipt-of-intent'], ({ sold }) => [
    sql`DELETE FROM pix_receipt WHERE txid = ${sold.txid}`,
    sql`DELETE FROM sandbox_bank.pix WHERE txid = ${sold.txid}`,
    sql`UPDATE sandbox_bank.cob SET status = 'REMOVIDA_PELO_USUARIO_RECEBEDOR' WHERE txid = ${sold.txid}`,
  ]),
  fault('a receipt that is off by a cent', ['receipt-at-bank', 'receipt-of-intent'], ({ sold }) => [
    sql`UPDATE pix_receipt SET amount = amount + 1 WHERE txid = ${sold.txid}`,
  ]),
  fault('a receipt that the bank knows nothing of', ['bank-concluded', 'receipt-at-bank'], ({ sold }) => [
    sql`DELETE FROM sandbox_bank.pix WHERE txid = ${sold.txid}`,
  ]),
  fault('a receipt of what is not settled', ['receipt-at-bank'], ({ sold, now }) => [
    sql`UPDATE sandbox_bank.pix SET settles_at = ${now + 1} WHERE txid = ${sold.txid}`,
  ]),
  fault('a receipt that settled nothing', ['receipt-of-intent', 'receipt-undecided'], ({ sold }) => [
    sql`UPDATE pix_receipt SET intent_id = NULL WHERE txid = ${sold.txid}`,
  ]),
  fault('a payment that we never booked', ['payment-booked'], ({ waiting, now }) => [
    sql`INSERT INTO sandbox_bank.pix VALUES ('E1', ${waiting.txid}, 2000, ${now}, ${now})`,
    sql`UPDATE sandbox_bank.cob SET status = 'CONCLUIDA' WHERE txid = ${waiting.txid}`,
  ]),
  fault('no fault: a payment whose notice is still to be handled', [], ({ waiting, now, accountId }) => [
    sql`INSERT INTO sandbox_bank.pix VALUES ('E1', ${waiting.txid}, 2000, ${now}, ${now})`,
    sql`UPDATE sandbox_bank.cob SET status = 'CONCLUIDA' WHERE txid = ${waiting.txid}`,
    sql`INSERT INTO outbox (kind, key, account_id, live_mode) VALUES ('pix-settlement', ${waiting.txid}, ${accountId}, false)`,
  ]),
  fault('a QR code of another amount at the bank', ['qr-code-at-bank'], ({ waiting }) => [
    sql`UPDATE sandbox_bank.cob SET amount = amount + 1 WHERE txid = ${waiting.txid}`,
  ]),
  fault('a QR code that ended in our books alone', ['qr-code-ended'], ({ confirmed, now }) => [
    sql`UPDATE pix_charge SET state = 'ended' WHERE id = ${confirmed.txid}`,
    sql`DELETE FROM sandbox_bank.pix WHERE txid = ${confirmed.txid}`,
    sql`UPDATE sandbox_bank.cob SET status = 'ATIVA' WHERE txid = ${confirmed.txid} AND expires_at > ${now}`,
  ]),
  fault('a QR code that is open for a paid intent', ['qr-code-state'], ({ sold }) => [
    sql`UPDATE pix_charge SET state = 'active' WHERE id = ${sold.txid}`,
  ]),
  fault('a return under another reference', ['refund-at-bank', 'return-booked'], ({ surplus }) => [
    sql`UPDATE refund_part SET reference = ${newSuffix()} WHERE intent_id = ${surplus}`,
  ]),
  fault('a return that the bank refused', ['refund-at-bank', 'refund-requests'], ({ surplus }) => [
    sql`UPDATE sandbox_bank.devolucao SET refused = true WHERE id = (SELECT reference FROM refund_part WHERE intent_id = ${surplus})`,
  ]),
  fault('more returned than came in', ['refund-at-bank', 'returned-at-most'], ({ surplus }) => [
    sql`UPDATE sandbox_bank.devolucao SET amount = amount + 1 WHERE id = (SELECT reference FROM refund_part WHERE intent_id = ${surplus})`,
  ]),
];

export const moneyFaults: readonly Fault[] = [...invoiceFaults, ...intentFaults, ...bankFaults];
