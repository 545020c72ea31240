import { type Check, isAskedFor } from './check.ts';

/** A payment that the bank confirmed first is asked about at least this often (payments' case `pix-settlement`). */
const CONFIRMED_LOOK_SECONDS_MAX = 2 * 3_600;

/** Where money is, by our books and by the sandbox acquirer's: every receipt is in both, once and alike. */
export const bankChecks: readonly Check[] = [
  {
    name: 'receipt-at-bank',
    sql: `SELECT r.id, r.txid, r.amount, r.paid_at, b.txid AS bank_txid, b.amount AS bank_amount, b.paid_at AS bank_paid_at
      FROM pix_receipt r JOIN moment m USING (account_id, live_mode) LEFT JOIN sandbox_bank.pix b ON b.end_to_end_id = r.id
      WHERE NOT r.live_mode
        AND (b.end_to_end_id IS NULL OR (b.txid, b.amount, b.paid_at) <> (r.txid, r.amount, r.paid_at) OR b.settles_at > m.now)`,
    describe:
      'the receipt {id} is of {amount} for {txid} at {paid_at}; the bank settled {bank_amount} for {bank_txid} at {bank_paid_at}',
  },
  {
    name: 'payment-booked',
    sql: `SELECT b.end_to_end_id AS id, b.txid, b.amount, c.account_id
      FROM sandbox_bank.pix b JOIN sandbox_bank.cob c USING (txid) JOIN moment m ON m.account_id = c.account_id AND NOT m.live_mode
      LEFT JOIN pix_receipt r ON r.id = b.end_to_end_id LEFT JOIN pix_charge q ON q.id = b.txid
      WHERE r.id IS NULL AND NOT ${isAskedFor('pix-settlement', 'b.txid')}
        AND b.settles_at <= m.now - CASE WHEN q.confirmed_at IS NULL THEN (SELECT in_flight FROM at) ELSE ${CONFIRMED_LOOK_SECONDS_MAX} END`,
    describe: 'the bank settled {id} of {amount} for {txid} of {account_id}; we have no receipt and no notice of it',
  },
  {
    name: 'qr-code-at-bank',
    sql: `SELECT coalesce(q.id, c.txid) AS txid, q.account_id, q.amount, q.expires_at, c.account_id AS bank_account, c.amount AS bank_amount,
        c.expires_at AS bank_expires_at
      FROM (SELECT * FROM pix_charge WHERE NOT live_mode AND due_on IS NULL) AS q
        FULL JOIN (SELECT * FROM sandbox_bank.cob o WHERE NOT EXISTS (SELECT FROM sandbox_bank.cobr d WHERE d.txid = o.txid)) AS c ON c.txid = q.id
      WHERE q.id IS NULL
        OR (c.txid IS NULL AND q.copy_paste IS NOT NULL)
        OR (c.account_id, c.amount, c.expires_at) <> (q.account_id, q.amount, q.expires_at)
        OR c.copy_paste <> q.copy_paste`,
    describe:
      'the QR code {txid} is of {amount} for {account_id} until {expires_at}; at the bank of {bank_amount} for {bank_account} until {bank_expires_at}',
  },
  {
    name: 'qr-code-state',
    sql: `SELECT q.id, q.state, q.copy_paste IS NOT NULL AS known, p.id AS intent, p.status
      FROM pix_charge q JOIN payment_intent p ON p.id = q.intent_id
      WHERE q.due_on IS NULL AND (q.state IN ('creating', 'active') AND p.status <> 'pending')
        OR (q.state = 'creating' AND q.copy_paste IS NOT NULL) OR (q.due_on IS NULL AND q.state = 'active' AND q.copy_paste IS NULL)`,
    describe: 'the QR code {id} is {state} (its BR Code is known: {known}), its intent {intent} is {status}',
  },
  {
    name: 'qr-code-ended',
    sql: `SELECT q.id, q.invoice_id, c.expires_at
      FROM pix_charge q JOIN moment m USING (account_id, live_mode) JOIN sandbox_bank.cob c ON c.txid = q.id
      WHERE q.state = 'ended' AND c.status = 'ATIVA' AND c.expires_at > m.now AND q.copy_paste IS NOT NULL
        AND NOT ${isAskedFor('pix-expiry', 'q.id')}`,
    describe: 'the QR code {id} of {invoice_id} is ended in our books, and can be paid at the bank until {expires_at}',
  },
  {
    name: 'bank-concluded',
    sql: `SELECT c.txid, c.status, count(b.end_to_end_id) AS payments
      FROM sandbox_bank.cob c LEFT JOIN sandbox_bank.pix b USING (txid)
      GROUP BY c.txid HAVING (c.status = 'CONCLUIDA') <> (count(b.end_to_end_id) > 0)`,
    describe: 'the QR code {txid} is {status} at the bank, which has {payments} payments of it',
  },
  {
    name: 'receipt-of-intent',
    sql: `SELECT p.id, p.status, p.amount, count(r.id) AS receipts, string_agg(r.id, ', ' ORDER BY r.id) AS ids, sum(r.amount) AS received
      FROM payment_intent p LEFT JOIN pix_receipt r ON r.intent_id = p.id
      GROUP BY p.id
      HAVING CASE WHEN p.payment_method_type = 'pix' AND p.status IN ('paid', 'refunding', 'refunded')
        THEN count(r.id) <> 1 OR sum(r.amount) <> p.amount ELSE count(r.id) <> 0 END`,
    describe: '{id} is {status} with an amount of {amount}, and {receipts} receipts brought {received}: {ids}',
  },
];
