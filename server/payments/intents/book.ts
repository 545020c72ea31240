import type { Invoice as InvoiceView } from '../../../contract/invoices.ts';
import { hangsOn } from '../../db/months.ts';
import { statement } from '../../db/statement.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { type LateAmounts, lateTotal, NOTHING_LATE } from '../../invoices/late-fees.ts';
import { lockInvoice } from '../../invoices/life.ts';
import { BillingError } from '../../kernel/errors.ts';
import { newId, newIdAfter, newSuffixAfter } from '../../kernel/ids.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import type { PaymentIntent, QrCode } from '../entity.ts';
import { acceptsPayment, nextStatus } from '../rules.ts';
import { viewIntent } from '../view.ts';
import { bookTry } from './debit-tries.ts';
import { intents, qrCodes } from './rows.ts';

/** An invoice with the charge that waits for payment, all under the invoice's lock. */
export interface Book {
  readonly invoice: Invoice;
  /** The unsettled intent: at most one, held by the database. */
  readonly intent: PaymentIntent | null;
  /** The QR code of the unsettled intent; null once it ended. */
  readonly qr: QrCode | null;
  /** Whether the acquirer confirmed a payment of the invoice, by whichever QR code, that it has not settled. */
  readonly isConfirmed: boolean;
}

/** What a checkout shows of the invoice that was charged: itself, or what it belongs to. */
export type ShowCheckout<T> = (tx: Tx, invoice: InvoiceView) => Promise<T>;

/** The statuses of an unsettled intent, as a list of SQL. */
export const UNSETTLED = `('pending', 'scheduled', 'processing', 'failed')`;

const readUnsettled = statement<PaymentIntent>(
  'read_unsettled_intent',
  `SELECT ${intents.columns('p')} FROM payment_intent p WHERE ${hangsOn('pi_', 'p.invoice_id', ':invoiceId')} AND p.status IN ${UNSETTLED}`,
);

/** No join: a plan made while the tables were empty must not read one whole later. An ended QR code is as good as none. */
const readWaitingQrs = statement<QrCode>(
  'read_waiting_qrs',
  `SELECT ${qrCodes.columns('c')} FROM pix_charge c
   WHERE ${hangsOn('', 'c.invoice_id', ':invoiceId')} AND (c.state <> 'ended' OR c.confirmed_at IS NOT NULL)`,
);

/** Locks the invoice and reads its unsettled charge, in one round trip. */
export async function lockBook(tx: Tx, invoiceId: string): Promise<Book> {
  const [invoice, [found], waiting] = await Promise.all([
    lockInvoice(tx, invoiceId),
    tx.query(readUnsettled, { invoiceId }),
    tx.query(readWaitingQrs, { invoiceId }),
  ]);
  const intent = found === undefined ? null : tx.keep(intents, found);
  const qrs = waiting.map((qr) => tx.keep(qrCodes, qr));
  return {
    invoice,
    intent,
    qr: qrs.find((qr) => qr.intentId === intent?.id) ?? null,
    isConfirmed: qrs.some((qr) => (qr.confirmedAt ?? null) !== null),
  };
}

/** No charge is made by itself any more. */
export function endCharges({ invoice, intent }: Book): void {
  invoice.nextChargeAt = null;
  invoice.debitLookAt = null;
  if (intent !== null) intent.nextAttempt = null;
}

const readIntent = statement<PaymentIntent>(
  'read_intent',
  `SELECT ${intents.columns('p')} FROM payment_intent p WHERE p.id = :id`,
);
const readQr = statement<QrCode>('read_qr', `SELECT ${qrCodes.columns('c')} FROM pix_charge c WHERE c.id = :txid`);

/** Any intent, to be read behind the lock of its invoice. */
export async function findIntent(tx: Tx, id: string): Promise<PaymentIntent | null> {
  const [intent] = await tx.query(readIntent, { id });
  return intent === undefined ? null : tx.keep(intents, intent);
}

/** Any QR code, to be read behind the lock of its invoice. */
export async function findQr(tx: Tx, txid: string): Promise<QrCode | null> {
  const [qr] = await tx.query(readQr, { txid });
  return qr === undefined ? null : tx.keep(qrCodes, qr);
}

/** What of an invoice says whether it takes payment. */
export type Payable = Pick<Invoice, 'id' | 'status' | 'payableUntil'>;

/** A paid invoice, or one that ended, takes no charge; nor does one whose checkout session came to its deadline, before any run (docs/product/checkout-sessions.md#deadline). */
export function refuseUnlessPayable({ id, status, payableUntil }: Payable, now: Timestamp): void {
  if (status !== 'paid' && payableUntil != null && payableUntil <= now)
    throw new BillingError('SESSION_NOT_OPEN', {
      message: `The checkout session of ${id} took payment until ${payableUntil}`,
    });
  if (acceptsPayment(status)) return;
  throw new BillingError('INVOICE_NOT_OPEN', { message: `${id} is ${status}: it does not accept payment` });
}

/** Nothing is charged for an invoice whose PIX is paid. */
export const paymentConfirmed = (invoiceId: string): BillingError =>
  new BillingError('PIX_PAYMENT_CONFIRMED', { message: `The PIX of ${invoiceId} is paid; wait for invoice.paid` });

/** What of a book says whether its invoice may be charged. */
interface Chargeable {
  readonly invoice: Payable;
  readonly intent: Pick<PaymentIntent, 'status'> | null;
  readonly isConfirmed: boolean;
}

/** Refuses a new charge while a former one may still bring the money (docs/product/payments.md#checkout). */
export function refuseUnlessChargeable({ invoice, intent, isConfirmed }: Chargeable, now: Timestamp): void {
  refuseUnlessPayable(invoice, now);
  if (isConfirmed) throw paymentConfirmed(invoice.id);
  if (intent?.status === 'processing') throw paymentInProgress(`A charge of ${invoice.id} is at the acquirer`);
}

/** Something in flight decides what becomes of the invoice. */
export const paymentInProgress = (why: string): BillingError =>
  new BillingError('PAYMENT_IN_PROGRESS', { message: `${why}; repeat shortly` });

/** A new charge of the invoice. A charge that is to settle the invoice is the one that the invoice shows. */
export function newIntent(
  tx: Tx,
  invoice: Invoice,
  charge: {
    /** Null until the first attempt of a charge that is made with its invoice. */
    method: 'pix' | 'card' | null;
    installments?: number;
    amount?: number;
    /** What is asked for beside the total, as it is charged late. */
    late?: LateAmounts;
    surplus?: boolean;
    /** Of a charge of a renewal's schedule: the attempts of that before it, and at most. */
    schedule?: { made: number; most: number };
    /** Of a debit by mandate: its civil day, and on how many it is tried at most. */
    debit?: { mandateId: string; dueOn: string; most: number };
  },
): PaymentIntent {
  const { late = NOTHING_LATE } = charge;
  const intent = tx.insert(intents, {
    id: newIdAfter('pi', invoice.id),
    invoiceId: invoice.id,
    customerId: invoice.customerId,
    subscriptionId: invoice.subscriptionId ?? null,
    status: 'pending',
    surplus: charge.surplus ?? false,
    amount: charge.amount ?? invoice.total + lateTotal(late),
    lateFine: late.fine,
    lateInterest: late.interest,
    paymentMethodType: charge.method,
    installments: charge.installments ?? 1,
    attempts: charge.schedule?.made ?? 0,
    maxAttempts: charge.schedule?.most ?? charge.debit?.most ?? 1,
    isScheduled: charge.schedule !== undefined,
    mandateId: charge.debit?.mandateId ?? null,
    scheduledFor: charge.debit?.dueOn ?? null,
    dueAt: invoice.dueAt,
  });
  if (!intent.surplus) invoice.paymentIntentId = intent.id;
  tx.record('payment_intent.created', viewIntent(intent));
  return intent;
}

/** A QR code that the acquirer has yet to make, or a debit on a civil day; its id is the txid. */
export function newQr(tx: Tx, intent: PaymentIntent, expiresAt: Timestamp, dueOn: string | null = null): QrCode {
  return tx.insert(qrCodes, {
    id: newSuffixAfter(intent.id),
    intentId: intent.id,
    invoiceId: intent.invoiceId,
    paymentMethodId: newId('txn'),
    amount: intent.amount,
    expiresAt,
    dueOn,
    state: 'creating',
  });
}

/** The money of a charge has come. */
export function settleIntent(tx: Tx, intent: PaymentIntent): void {
  // A PIX has no attempt but its payment; a card's was counted when it was sent.
  if (intent.status === 'pending') intent.attempts += 1;
  intent.status = nextStatus(intent, 'settle');
  intent.paidAt = tx.now;
  tx.record('payment_intent.paid', viewIntent(intent));
  if (!intent.surplus) tx.count((business) => business.paid(intent));
}

/** The charge is not to be paid any more; its QR code, if any, is its caller's to end. */
function discardIntent(tx: Tx, intent: PaymentIntent): void {
  if (intent.status === 'scheduled') bookTry(tx, intent, { status: 'given_up' });
  intent.status = nextStatus(intent, 'discard');
  intent.discardedAt = tx.now;
  intent.nextAttempt = null;
  tx.record('payment_intent.discarded', viewIntent(intent));
}

const deleteExpiry = statement('delete_expiry', `DELETE FROM outbox WHERE kind = 'pix-expiry' AND key = :txid`);

/** Discards the unsettled charge, if any, of an invoice that another charge takes over or that takes no payment any more. */
export function discardUnsettled(tx: Tx, { intent, qr }: Book, endedTxid: string | null): void {
  if (intent === null) return;
  discardIntent(tx, intent);
  if (qr === null || qr.state === 'ended') return;
  if (qr.id !== endedTxid) {
    // The case ends it where the acquirer was not told.
    qr.state = 'retiring';
    tx.enqueue({ kind: 'pix-expiry', key: qr.id });
    return;
  }
  qr.state = 'ended';
  // A QR code that the acquirer had not made yet, it may make after this: the case ends it then.
  if (qr.copyPaste != null) tx.write(deleteExpiry, { txid: qr.id });
}

/** Refuses what a payment on its way decides. */
export function refuseWhilePaying({ invoice, intent, isConfirmed }: Book): void {
  if (intent?.status === 'processing') throw paymentInProgress(`A charge of ${invoice.id} is at the acquirer`);
  if (isConfirmed) throw paymentInProgress(`The PIX of ${invoice.id} is paid and not settled yet`);
}
