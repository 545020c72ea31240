import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type { InvoiceStatus } from '../../contract/invoices.ts';
import type { PaymentIntentStatus } from '../../contract/payments.ts';

export interface Intent {
  readonly id: string;
  readonly status: PaymentIntentStatus;
  readonly method: 'pix' | 'card';
  readonly surplus: boolean;
  readonly amount: number;
  readonly amountRefunded: number;
  readonly attempts: number;
  readonly declineReason: string | null;
  readonly paidAt: number | null;
}

/** A QR code in our books, with what the bank has of it (`cob`; null: never heard of it). */
export interface Qr {
  readonly txid: string;
  readonly intentId: string;
  readonly state: 'creating' | 'active' | 'retiring' | 'ended';
  readonly expiresAt: number;
  readonly confirmedAt: number | null;
  readonly isHandedOut: boolean;
  readonly cob: 'ATIVA' | 'CONCLUIDA' | 'REMOVIDA_PELO_USUARIO_RECEBEDOR' | null;
}

/** A payment at the bank, with our receipt of it: `intentId` is null while we have none, or have not decided. */
export interface Payment {
  readonly id: string;
  readonly txid: string;
  readonly amount: number;
  readonly settlesAt: number;
  readonly isBooked: boolean;
  readonly intentId: string | null;
}

/** A charge attempt of ours, with what the acquirer has under its id. */
export interface Attempt {
  readonly id: string;
  readonly intentId: string;
  readonly amount: number;
  readonly status: 'sent' | 'approved' | 'declined' | 'never_charged';
  readonly declineReason: string | null;
  /** Real seconds since the acquirer's deadline; before it, negative. */
  readonly overdue: number;
  readonly charge: { readonly outcome: 'approved' | 'declined'; readonly reason: string | null; amount: number } | null;
}

export interface Part {
  readonly id: string;
  readonly intentId: string;
  readonly amount: number;
  readonly reason: string;
  readonly status: 'refunding' | 'refunded' | 'failed';
  readonly reference: string;
  readonly retryAt: number | null;
  /** When it was due: the bank counts from there, however late it is asked. */
  readonly askedAt: number;
}

/** Money that the bank was asked to give back, of a charge or of a payment. */
export interface Return {
  readonly reference: string;
  readonly of: string;
  readonly amount: number;
  readonly isRefused: boolean;
  readonly completesAt: number;
}

/** All that ours and the acquirer's books have of one invoice, read in one moment of rest. */
export interface Books {
  /** On the account's clock. */
  readonly now: number;
  readonly invoice: {
    readonly id: string;
    readonly status: InvoiceStatus;
    readonly total: number;
    readonly amountPaid: number;
    readonly amountRefunded: number;
    readonly paymentIntentId: string | null;
  };
  readonly intents: readonly Intent[];
  readonly qrs: readonly Qr[];
  readonly payments: readonly Payment[];
  readonly attempts: readonly Attempt[];
  readonly parts: readonly Part[];
  readonly returns: readonly Return[];
  /** Work asked for, as kind and key. */
  readonly outbox: readonly string[];
  readonly events: readonly { readonly type: string; readonly objectId: string }[];
}

const list = (columns: string, from: string, order: string): string =>
  `(SELECT coalesce(json_agg(r ORDER BY r."${order}"), '[]') FROM (SELECT ${columns} FROM ${from}) r)`;

const invoice = `(SELECT json_build_object('id', i.id, 'status', i.status, 'total', i.total, 'amountPaid', i.amount_paid,
  'amountRefunded', i.amount_refunded, 'paymentIntentId', i.payment_intent_id) FROM invoice i WHERE i.id = $1)`;

const intents = list(
  `p.id, p.status, p.payment_method_type AS method, p.surplus, p.amount, p.amount_refunded AS "amountRefunded", p.attempts,
   p.decline_reason AS "declineReason", p.paid_at AS "paidAt"`,
  'payment_intent p WHERE p.invoice_id = $1',
  'id',
);

const qrs = list(
  `q.id AS txid, q.intent_id AS "intentId", q.state, q.expires_at AS "expiresAt", q.confirmed_at AS "confirmedAt",
   q.copy_paste IS NOT NULL AS "isHandedOut", c.status AS cob`,
  'pix_charge q LEFT JOIN sandbox_bank.cob c ON c.txid = q.id WHERE q.invoice_id = $1',
  'txid',
);

const payments = list(
  `b.end_to_end_id AS id, b.txid, b.amount, b.settles_at AS "settlesAt", r.id IS NOT NULL AS "isBooked", r.intent_id AS "intentId"`,
  `sandbox_bank.pix b JOIN pix_charge q ON q.id = b.txid LEFT JOIN pix_receipt r ON r.id = b.end_to_end_id WHERE q.invoice_id = $1`,
  'id',
);

const attempts = list(
  `a.id, a.intent_id AS "intentId", a.amount, a.status, a.decline_reason AS "declineReason",
   extract(epoch FROM now() - a.deadline_at)::float8 AS overdue,
   CASE WHEN c.reference IS NULL THEN NULL
     ELSE json_build_object('outcome', c.outcome, 'reason', c.decline_reason, 'amount', c.amount) END AS charge`,
  'charge_attempt a LEFT JOIN sandbox_bank.charge c ON c.reference = a.id WHERE a.invoice_id = $1',
  'id',
);

const parts = list(
  `r.id, r.intent_id AS "intentId", r.amount, r.reason, r.status, r.reference, r.retry_at AS "retryAt", coalesce(r.retry_at, r.created) AS "askedAt"`,
  'refund_part r WHERE r.invoice_id = $1',
  'id',
);

const returns = list(
  `d.id AS reference, d.end_to_end_id AS of, d.amount, d.refused AS "isRefused", d.completes_at AS "completesAt"`,
  `sandbox_bank.devolucao d JOIN sandbox_bank.pix b USING (end_to_end_id) JOIN pix_charge q ON q.id = b.txid WHERE q.invoice_id = $1
   UNION ALL SELECT e.reference, e.charge, e.amount, e.refused, e.requested_at
   FROM sandbox_bank.estorno e JOIN charge_attempt a ON a.id = e.charge WHERE a.invoice_id = $1`,
  'reference',
);

const outbox = `(SELECT coalesce(json_agg(o.kind || ' ' || o.key ORDER BY o.kind, o.key), '[]') FROM outbox o
  WHERE o.key IN (SELECT id FROM payment_intent WHERE invoice_id = $1 UNION ALL SELECT id FROM pix_charge WHERE invoice_id = $1))`;

/** By id, not by the objects around: no index of a partitioned table is as good as the short range since the invoice. */
const events = list(
  `e.id, e.type, e.object_id AS "objectId"`,
  `event e WHERE e.day >= (now() AT TIME ZONE 'UTC')::date - 1 AND e.account_id = (SELECT account_id FROM invoice WHERE id = $1)
   AND NOT e.live_mode AND e.id > 'evt_' || split_part($1, '_', 2)
   AND (e.object_id = $1 OR e.object_id IN (SELECT id FROM payment_intent WHERE invoice_id = $1))`,
  'id',
);

const READ = {
  name: 'model_read_books',
  text: `SELECT json_build_object('invoice', ${invoice}, 'intents', ${intents}, 'qrs', ${qrs}, 'payments', ${payments},
    'attempts', ${attempts}, 'parts', ${parts}, 'returns', ${returns}, 'outbox', ${outbox}, 'events', ${events}) AS books`,
};

export async function readBooks(pool: pg.Pool, { invoice, now }: { invoice: string; now: number }): Promise<Books> {
  const { rows } = await pool.query<{ books: Omit<Books, 'now'> }>({ ...READ, values: [invoice] });
  const [row] = rows;
  if (row === undefined) throw new Error(`there are no books of ${invoice}`);
  return { now, ...row.books };
}

/** A part that a merchant asked for; the others return a surplus. */
export const isAsked = ({ reason }: Pick<Part, 'reason'>): boolean => reason !== 'surplus';

/** The intent that waits for payment; the database lets an invoice have one. */
export const unsettledOf = ({ intents }: Books): Intent | null =>
  intents.find(({ status }) => status === 'pending' || status === 'processing' || status === 'failed') ?? null;

const PAID: readonly PaymentIntentStatus[] = ['paid', 'refunding', 'refunded'];

/** Intents whose money came. */
export const paidOf = ({ intents }: Books): readonly Intent[] => intents.filter(({ status }) => PAID.includes(status));

/** What the bank settled and we have not decided on. */
export const newsOf = ({ payments, now }: Books, txid: string): readonly Payment[] =>
  payments.filter((payment) => payment.txid === txid && payment.intentId === null && payment.settlesAt <= now);

/** Whether nothing of ours nor of the bank is another; time alone may have passed. */
export const isUnchanged = (was: Books, is: Books): boolean => isDeepStrictEqual(timeless(was), timeless(is));

const timeless = (books: Books): Books => ({
  ...books,
  now: 0,
  attempts: books.attempts.map((attempt) => ({ ...attempt, overdue: 0 })),
});

export const sum = <T>(rows: readonly T[], limitOf: (row: T) => number): number =>
  rows.reduce((total, row) => total + limitOf(row), 0);
