import type pg from 'pg';

/** Where the money of one invoice is, by our books and by the bank's, each oldest first. */
export interface Books {
  readonly invoice: { status: string; amount_paid: number; amount_refunded: number };
  /** All of the account, which sells by one at most: `payment complete`. */
  readonly sessions: string[];
  /** `card paid`, `pix refunded surplus`. */
  readonly intents: string[];
  readonly attempts: string[];
  /** What the acquirer has for the account: `approved 9990`. */
  readonly charges: string[];
  /** What the bank received for QR codes of the invoice. */
  readonly receipts: number[];
  /** What the acquirer or bank gave back, or refused to: `1000`, `1000 refused`. */
  readonly returns: string[];
  /** What the bank took back by itself: `fraud lost 700`. */
  readonly disputes: string[];
  /** Types of the events of the invoice and of all around it. */
  readonly events: string[];
}

const queries = {
  invoice: `SELECT status, amount_paid::int, amount_refunded::int FROM invoice WHERE id = $1`,
  sessions: `SELECT concat_ws(' ', c.mode, c.status) AS line
    FROM checkout_session c JOIN invoice i ON i.account_id = c.account_id WHERE i.id = $1 ORDER BY c.id`,
  intents: `SELECT concat_ws(' ', payment_method_type, status, CASE WHEN surplus THEN 'surplus' END) AS line
    FROM payment_intent WHERE invoice_id = $1 ORDER BY id`,
  attempts: `SELECT status AS line FROM charge_attempt WHERE invoice_id = $1 ORDER BY id`,
  charges: `SELECT concat_ws(' ', b.outcome, b.amount) AS line
    FROM sandbox_bank.charge b JOIN invoice i ON i.account_id = b.account_id WHERE i.id = $1 ORDER BY b.received_at, b.reference`,
  receipts: `SELECT b.amount::int AS line FROM sandbox_bank.pix b JOIN pix_charge q ON q.id = b.txid
    WHERE q.invoice_id = $1 ORDER BY b.end_to_end_id`,
  returns: `SELECT concat_ws(' ', amount, CASE WHEN refused THEN 'refused' END) AS line FROM (
      SELECT e.reference, e.amount, e.refused FROM sandbox_bank.estorno e JOIN charge_attempt a ON a.id = e.charge WHERE a.invoice_id = $1
      UNION ALL SELECT d.id, d.amount, d.refused FROM sandbox_bank.devolucao d
        JOIN sandbox_bank.pix b USING (end_to_end_id) JOIN pix_charge q ON q.id = b.txid WHERE q.invoice_id = $1
    ) AS returned ORDER BY reference`,
  disputes: `SELECT concat_ws(' ', reason, status, amount) AS line FROM dispute WHERE invoice_id = $1 ORDER BY id`,
  events: `SELECT type AS line FROM event WHERE related @> ARRAY[$1]
    OR object_id IN (SELECT id FROM payment_intent WHERE invoice_id = $1 UNION ALL SELECT id FROM checkout_session WHERE invoice_id = $1
      UNION ALL SELECT subscription_id FROM invoice WHERE id = $1) ORDER BY id`,
} as const;

export async function readBooks(pool: pg.Pool, invoiceId: string): Promise<Books> {
  const lines = async <T>(sql: string): Promise<T[]> => {
    const { rows } = await pool.query<{ line: T }>(sql, [invoiceId]);
    return rows.map(({ line }) => line);
  };
  const { rows } = await pool.query<Books['invoice']>(queries.invoice, [invoiceId]);
  const [invoice] = rows;
  if (invoice === undefined) throw new Error(`${invoiceId} is in no books`);
  return {
    invoice,
    sessions: await lines(queries.sessions),
    intents: await lines(queries.intents),
    attempts: await lines(queries.attempts),
    charges: await lines(queries.charges),
    receipts: await lines(queries.receipts),
    returns: await lines(queries.returns),
    disputes: await lines(queries.disputes),
    events: await lines(queries.events),
  };
}

/** The events of a sale in the parts they come in (docs/product/events.md#what-each-use-case-records). */
export const told = {
  created: ['invoice.created'],
  qrMade: ['payment_intent.created'],
  cardSent: ['payment_intent.created', 'payment_intent.processing'],
  takenOver: ['payment_intent.discarded'],
  paid: ['payment_intent.paid', 'invoice.paid'],
  declined: ['payment_intent.failed', 'invoice.payment_failed'],
  surplus: ['payment_intent.created', 'payment_intent.paid', 'payment_intent.refunding'],
  returned: ['payment_intent.refunded'],
  voided: ['payment_intent.discarded', 'invoice.voided'],
  session: ['checkout_session.created'],
  attached: ['checkout_session.customer_attached'],
  completed: ['checkout_session.completed'],
  expired: ['checkout_session.expired'],
} as const;

const UNTOUCHED: Books = {
  invoice: { status: 'open', amount_paid: 0, amount_refunded: 0 },
  sessions: [],
  intents: [],
  attempts: [],
  charges: [],
  receipts: [],
  returns: [],
  disputes: [],
  events: [],
};

/** The books of an invoice that nobody has paid, but for what is said. */
export const openBooks = (said: Partial<Books>): Books => ({ ...UNTOUCHED, ...said });

export const paidBooks = (
  amount: number,
  { refunded = 0, ...said }: Partial<Books> & { refunded?: number },
): Books => ({
  ...UNTOUCHED,
  invoice: { status: 'paid', amount_paid: amount, amount_refunded: refunded },
  ...said,
});
