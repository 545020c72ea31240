import type { InvoiceStatus } from '../../../contract/invoices.ts';
import { statement } from '../../db/statement.ts';
import type { Tx } from '../../deps.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { BillingError, missing } from '../../kernel/errors.ts';
import { newId, newSuffix } from '../../kernel/ids.ts';
import { realInstant, type Timestamp } from '../../kernel/time.ts';
import type { PaymentIntent, PixCharge, PixReceipt } from '../entity.ts';
import { acceptsPayment, nextStatus } from '../rules.ts';
import { viewIntent } from '../view.ts';
import { intentRows, invoiceRows, qrRows, receiptRows } from './rows.ts';

/** An invoice with the charge that waits for payment, all under the invoice's lock. */
export interface Book {
  readonly invoice: Invoice;
  /** The unsettled intent: at most one, held by the database. */
  readonly intent: PaymentIntent | null;
  /** The QR code of the unsettled intent; null once it ended. */
  readonly qr: PixCharge | null;
  /** Whether the bank confirmed a payment of the invoice, by whichever QR code, that it has not settled. */
  readonly isConfirmed: boolean;
}

/** The statuses of an unsettled intent, as a list of SQL. */
export const UNSETTLED = `('pending', 'processing', 'failed')`;

const lockInvoiceRow = statement(
  'lock_book_invoice',
  `SELECT ${invoiceRows.columns('i')} FROM invoice i WHERE i.id = $1 AND i.account_id = $2 AND i.live_mode = $3 FOR UPDATE`,
);

/** Whatever a payment changes of a subscription, it is locked before its invoices (design, rule 3). */
const lockSubscriptionRow = statement(
  'lock_subscription_of_invoice',
  `SELECT s.id FROM subscription s
   WHERE s.id = (SELECT subscription_id FROM invoice WHERE id = $1 AND account_id = $2 AND live_mode = $3) FOR UPDATE`,
);

const readUnsettled = statement(
  'read_unsettled_intent',
  `SELECT ${intentRows.columns('p')} FROM payment_intent p WHERE p.invoice_id = $1 AND p.status IN ${UNSETTLED}`,
);

/** No join: a plan made while the tables were empty must not read one whole later. An ended QR code is as good as none. */
const readWaitingQrs = statement(
  'read_waiting_qrs',
  `SELECT ${qrRows.columns('c')} FROM pix_charge c
   WHERE c.invoice_id = $1 AND (c.state <> 'ended' OR c.confirmed_at IS NOT NULL)`,
);

/**
 * The invoice under the one lock of its charges. Every change of its intents, QR codes, receipts and returns is made
 * under it, so those rows need none of their own. A statement sent behind it sees what its former holder committed.
 */
export async function lockInvoice(tx: Tx, invoiceId: string): Promise<Invoice> {
  const values = [invoiceId, tx.scope.accountId, tx.scope.liveMode];
  const [, [invoice]] = await Promise.all([
    tx.query(lockSubscriptionRow, values),
    tx.query<Invoice>(lockInvoiceRow, values),
  ]);
  if (invoice === undefined) throw missing('invoice', invoiceId);
  return invoice;
}

/** Locks the invoice and reads its unsettled charge, in one round trip. */
export async function lockBook(tx: Tx, invoiceId: string): Promise<Book> {
  const [invoice, [intent], qrs] = await Promise.all([
    lockInvoice(tx, invoiceId),
    tx.query<PaymentIntent>(readUnsettled, [invoiceId]),
    tx.query<PixCharge>(readWaitingQrs, [invoiceId]),
  ]);
  return {
    invoice,
    intent: intent ?? null,
    qr: qrs.find((qr) => qr.intentId === intent?.id) ?? null,
    isConfirmed: qrs.some((qr) => (qr.confirmedAt ?? null) !== null),
  };
}

const readIntent = statement('read_intent', `SELECT ${intentRows.columns('p')} FROM payment_intent p WHERE p.id = $1`);
const readQr = statement('read_qr', `SELECT ${qrRows.columns('c')} FROM pix_charge c WHERE c.id = $1`);

/** Any intent, to be read behind the lock of its invoice. */
export async function findIntent(tx: Tx, id: string): Promise<PaymentIntent | null> {
  const [intent] = await tx.query<PaymentIntent>(readIntent, [id]);
  return intent ?? null;
}

/** Any QR code, to be read behind the lock of its invoice. */
export async function findQr(tx: Tx, txid: string): Promise<PixCharge | null> {
  const [qr] = await tx.query<PixCharge>(readQr, [txid]);
  return qr ?? null;
}

/** A paid invoice, or one that ended, takes no charge. */
export function refuseUnlessPayable({ id, status }: { id: string; status: InvoiceStatus }): void {
  if (acceptsPayment(status)) return;
  throw new BillingError('INVOICE_NOT_OPEN', { message: `${id} is ${status}: it does not accept payment` });
}

/** Nothing is charged for an invoice whose PIX is paid. */
export const paymentConfirmed = (invoiceId: string): BillingError =>
  new BillingError('PIX_PAYMENT_CONFIRMED', { message: `The PIX of ${invoiceId} is paid; wait for invoice.paid` });

/** What of a book says whether its invoice may be charged. */
interface Chargeable {
  readonly invoice: Pick<Invoice, 'id' | 'status'>;
  readonly intent: Pick<PaymentIntent, 'status'> | null;
  readonly isConfirmed: boolean;
}

/** Refuses a new charge while a former one may still bring the money (decisions §3). */
export function refuseUnlessChargeable({ invoice, intent, isConfirmed }: Chargeable): void {
  refuseUnlessPayable(invoice);
  if (isConfirmed) throw paymentConfirmed(invoice.id);
  if (intent?.status === 'processing') throw paymentInProgress(`A charge of ${invoice.id} is at the acquirer`);
}

/** Something under way decides what becomes of the invoice. */
export const paymentInProgress = (why: string): BillingError =>
  new BillingError('PAYMENT_IN_PROGRESS', { message: `${why}; repeat shortly` });

export const insertIntent = (tx: Tx, intent: PaymentIntent): void =>
  tx.write(intentRows.insert, intentRows.insertValues(intent));
export const updateIntent = (tx: Tx, intent: PaymentIntent): void =>
  tx.write(intentRows.update, intentRows.updateValues(intent));
export const updateInvoice = (tx: Tx, invoice: Invoice): void =>
  tx.write(invoiceRows.update, invoiceValues(tx, invoice));
export const insertQr = (tx: Tx, qr: PixCharge): void => tx.write(qrRows.insert, qrRows.insertValues(qr));
export const updateQr = (tx: Tx, qr: PixCharge): void => tx.write(qrRows.update, qrRows.updateValues(qr));
export const insertReceipt = (tx: Tx, receipt: PixReceipt): void =>
  tx.write(receiptRows.insert, receiptRows.insertValues(receipt));
export const updateReceipt = (tx: Tx, receipt: PixReceipt): void =>
  tx.write(receiptRows.update, receiptRows.updateValues(receipt));

function invoiceValues(tx: Tx, invoice: Invoice): unknown[] {
  const stepAt = invoice.stepAt ?? null;
  invoice.wakeAt = stepAt === null ? null : realInstant(tx.scope.clock, stepAt);
  return invoiceRows.updateValues(invoice);
}

/** Sent at once, where what follows may write the row with the commit. */
export async function updateInvoiceNow(tx: Tx, invoice: Invoice): Promise<void> {
  await tx.query(invoiceRows.update, invoiceValues(tx, invoice));
}

/** Sent at once, ahead of the insert of another unsettled intent: the database lets an invoice have only one at any moment. */
export async function updateIntentNow(tx: Tx, intent: PaymentIntent): Promise<void> {
  await tx.query(intentRows.update, intentRows.updateValues(intent));
}

/** A charge of the invoice, recorded as created; whoever makes it stores it. */
export function newIntent(
  tx: Tx,
  invoice: Invoice,
  charge: {
    /** Null until the first attempt of a charge that is made with its invoice. */
    method: 'pix' | 'card' | null;
    installments?: number;
    amount?: number;
    surplus?: boolean;
    /** Those of the same schedule before it, and at most. */
    attempts?: { made: number; most: number };
  },
): PaymentIntent {
  const intent: PaymentIntent = {
    id: newId('pi'),
    accountId: tx.scope.accountId,
    liveMode: tx.scope.liveMode,
    created: tx.now,
    invoiceId: invoice.id,
    customerId: invoice.customerId,
    subscriptionId: invoice.subscriptionId ?? null,
    status: 'pending',
    surplus: charge.surplus ?? false,
    amount: charge.amount ?? invoice.total,
    amountRefunded: 0,
    paymentMethodType: charge.method,
    installments: charge.installments ?? 1,
    attempts: charge.attempts?.made ?? 0,
    maxAttempts: charge.attempts?.most ?? 1,
    nextAttempt: null,
    declineReason: null,
    dueAt: invoice.dueAt,
    processingAt: null,
    paidAt: null,
    failedAt: null,
    refundingAt: null,
    refundedAt: null,
    discardedAt: null,
  };
  tx.record('payment_intent.created', viewIntent(intent));
  return intent;
}

/** A QR code that the bank has yet to make; its id is the txid. */
export function newQr(intent: PaymentIntent, expiresAt: Timestamp): PixCharge {
  return {
    id: newSuffix(),
    accountId: intent.accountId,
    liveMode: intent.liveMode,
    created: intent.created,
    intentId: intent.id,
    invoiceId: intent.invoiceId,
    paymentMethodId: newId('txn'),
    amount: intent.amount,
    expiresAt,
    copyPaste: null,
    state: 'creating',
    confirmedAt: null,
  };
}

/** The money of a charge has come. */
export function settleIntent(tx: Tx, intent: PaymentIntent): void {
  // A PIX has no attempt but its payment; a card's was counted when it was sent.
  if (intent.status === 'pending') intent.attempts += 1;
  intent.status = nextStatus(intent, 'settle');
  intent.paidAt = tx.now;
  tx.record('payment_intent.paid', viewIntent(intent));
}

/** The charge is not to be paid any more; its QR code, if any, is its caller's to end. */
export function discardIntent(tx: Tx, intent: PaymentIntent): void {
  intent.status = nextStatus(intent, 'discard');
  intent.discardedAt = tx.now;
  intent.nextAttempt = null;
  tx.record('payment_intent.discarded', viewIntent(intent));
}
