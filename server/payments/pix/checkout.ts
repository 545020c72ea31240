import type { InvoiceStatus } from '../../../contract/invoices.ts';
import { hangsOn } from '../../db/months.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { lateAtPayment, lateHoldsUntil } from '../../invoices/late-fees.ts';
import { lockInvoice } from '../../invoices/life.ts';
import { viewInvoice } from '../../invoices/view.ts';
import { type CollectionDays, suspendsAt } from '../../kernel/collection-days.ts';
import { missing } from '../../kernel/errors.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import {
  ACQUIRER_DEADLINE_MS,
  acquirerTimeout,
  acquirerUnavailable,
  requireAcquirer,
  timeBudget,
} from '../acquirer/ask.ts';
import type { PixRequest } from '../acquirer/port.ts';
import type { QrCode } from '../entity.ts';
import {
  type Book,
  discardUnsettled,
  findQr,
  lockBook,
  newIntent,
  newQr,
  paymentConfirmed,
  paymentInProgress,
  refuseUnlessChargeable,
  refuseUnlessPayable,
  type ShowCheckout,
  UNSETTLED,
} from '../intents/book.ts';
import { type QrState, qrExpiresAt, qrUse, renewalQrExpiresAt } from '../rules.ts';
import { viewPixMethod } from '../view.ts';
import { endingQrs, endQrAtAcquirer, type QrsInTheWay } from './ending.ts';
import { qrImage } from './image.ts';
import { handleNotice } from './settlement.ts';

/** A QR code that another checkout replaced meanwhile is looked at once more, then the caller is to repeat. */
const TRIES_MAX = 2;

/**
 * Charges an invoice by PIX (docs/product/pix.md#checkout-by-pix): the same QR code while it is valid, else a new one.
 * The acquirer is asked with no transaction open, between two short ones.
 */
export const checkoutByPix = <T>(
  deps: Deps,
  scope: Scope,
  { invoiceId, show }: { invoiceId: string; show: ShowCheckout<T> },
): Promise<T> =>
  ensureQr(deps, scope, { invoiceId, done: (tx, { invoice, qr }) => answerQr(tx, { invoice, qr, show }) });

/** What is made of the QR code that stands, under the lock of its invoice. */
type Done<T> = (tx: Tx, of: { readonly invoice: Invoice; readonly qr: QrCode }) => Promise<T>;

/** The QR code by which an invoice is paid: the same while it is valid, else a new one. */
export async function ensureQr<T>(
  deps: Deps,
  scope: Scope,
  { invoiceId, done }: { invoiceId: string; done: Done<T> },
): Promise<T> {
  const remainingMs = timeBudget(ACQUIRER_DEADLINE_MS);
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const look = await lookBeforeQr(deps, scope, invoiceId);
    await requireAcquirer(deps, scope, 'pix');
    if (look.isDebit) {
      await endDebitOf(deps, scope, { invoiceId, remainingMs });
      continue;
    }
    const clearedTxid = await clearFormerQr(deps, scope, { look, remainingMs });
    // Drawn before the lock of the invoice is taken; under it, the image is remembered.
    if (look.copyPaste !== null) await qrImage(look.copyPaste);
    const opened = await deps.transaction(scope, (tx) => openQr(tx, { look, clearedTxid, done }));
    if (opened.kind === 'ready') return opened.answer;
    if (opened.kind === 'to_create') return createQr(deps, scope, { look, opened, remainingMs, done });
  }
  throw paymentInProgress(`The QR code of ${invoiceId} is being replaced`);
}

interface QrCheckoutLook {
  invoiceId: string;
  status: InvoiceStatus;
  isRenewal: boolean;
  dueAt: Timestamp;
  payableUntil: Timestamp | null;
  /** Null of one that was never opened. */
  days: CollectionDays | null;
  txid: string | null;
  state: QrState;
  expiresAt: Timestamp;
  confirmedAt: Timestamp | null;
  copyPaste: string | null;
  /** Whether what waits for payment is a debit by mandate. */
  isDebit: boolean;
}

const lookAtQrCheckout = statement<QrCheckoutLook>(
  'look_at_checkout',
  `SELECT i.id AS "invoiceId", i.status, i.billing_reason = 'subscription_cycle' AS "isRenewal", i.due_at AS "dueAt",
     i.payable_until AS "payableUntil", i.collection_days AS days, c.id AS txid, c.state, c.expires_at AS "expiresAt", c.confirmed_at AS "confirmedAt", c.copy_paste AS "copyPaste",
     coalesce(c.due_on IS NOT NULL AND c.state <> 'ended', false) AS "isDebit"
   FROM invoice i
   LEFT JOIN payment_intent p ON ${hangsOn('pi_', 'p.invoice_id', 'i.id')} AND p.status IN ${UNSETTLED}
   LEFT JOIN pix_charge c ON ${hangsOn('', 'c.intent_id', 'p.id')}
   WHERE i.id = :invoiceId AND ${mine('i')}`,
);

/** What the invoice looks like without its lock: enough to know what the acquirer must be asked before it is taken. */
async function lookBeforeQr(deps: Deps, scope: Scope, invoiceId: string): Promise<QrCheckoutLook> {
  const [look] = await readIn(deps.pool, scope, lookAtQrCheckout, { invoiceId });
  if (look === undefined) throw missing('invoice', invoiceId);
  refuseUnlessPayable({ ...look, id: invoiceId }, deps.clock.now(scope));
  return look;
}

/**
 * Asks the acquirer about a QR code that ended or is to end; one that is paid settles and refuses the checkout.
 * Answers the txid that can no longer be paid; null when nothing had to be asked.
 */
async function clearFormerQr(
  deps: Deps,
  scope: Scope,
  { look, remainingMs }: { look: QrCheckoutLook; remainingMs: () => number },
): Promise<string | null> {
  const { txid, invoiceId } = look;
  if (txid === null || look.confirmedAt !== null || qrUse(look, deps.clock.now(scope)) !== 'ask_acquirer_first')
    return null;
  if (look.state === 'retiring') {
    const end = await endQrAtAcquirer(deps, scope, { txid, isDebit: false, remainingMs });
    if (end === 'acquirer_silent')
      throw acquirerUnavailable('The acquirer cannot be reached to end the former QR code');
    if (end === 'paid') throw paymentConfirmed(invoiceId);
    return txid;
  }
  const notice = await handleNotice(deps, scope, { txid, deadlineMs: remainingMs() });
  if (notice?.isKnown !== true)
    throw acquirerUnavailable('The acquirer cannot be reached to ask about the former QR code');
  if (notice.hadNewPayments) throw paymentConfirmed(invoiceId);
  return txid;
}

/** A buyer pays a bill otherwise before its debit: that is cancelled first. */
const endDebitOf = (
  deps: Deps,
  scope: Scope,
  { invoiceId, remainingMs }: { invoiceId: string; remainingMs: () => number },
): Promise<null> =>
  endingQrs(deps, scope, {
    of: invoiceId,
    change: async (tx, ended): Promise<null | QrsInTheWay> => {
      const book = await lockBook(tx, invoiceId);
      refuseUnlessChargeable(book, tx.now);
      const inTheWay = ended.retireRest(tx, [book]);
      if (inTheWay === null && book.intent?.mandateId != null) discardUnsettled(tx, book, ended.txidOf(invoiceId));
      return inTheWay;
    },
    whenPaid: paymentConfirmed,
    whenSilent: 'refuse',
    remainingMs,
  });

interface ToCreate {
  readonly kind: 'to_create';
  readonly intentId: string;
  readonly request: PixRequest;
}

type Opened<T> = { readonly kind: 'ready'; readonly answer: T } | ToCreate | { readonly kind: 'replaced_meanwhile' };

/** Transaction A: the QR code that stands, or an intent with the txid of a new one. */
async function openQr<T>(
  tx: Tx,
  { look, clearedTxid, done }: { look: QrCheckoutLook; clearedTxid: string | null; done: Done<T> },
): Promise<Opened<T>> {
  const book = await lockBook(tx, look.invoiceId);
  const { invoice, qr } = book;
  refuseUnlessChargeable(book, tx.now);
  const use = qr !== null && qr.id === clearedTxid ? 'replace' : qrUse(qr, tx.now);
  if (use === 'ask_acquirer_first') return { kind: 'replaced_meanwhile' };
  if (use === 'hand_out' && qr !== null) return { kind: 'ready', answer: await done(tx, { invoice, qr }) };
  const standing = use === 'finish_creating' ? qr : null;
  const { id: txid, intentId, amount, expiresAt } = standing ?? replaceQr(tx, book, look);
  tx.lease(intentId);
  return { kind: 'to_create', intentId, request: { txid, amount, expiresAt, isRepeat: standing !== null } };
}

/** Discards the former intent, if any, and makes the new one with the txid that the acquirer will know it by. */
function replaceQr(tx: Tx, book: Book, look: QrCheckoutLook): QrCode {
  // Only a QR code that can no longer be paid is replaced.
  discardUnsettled(tx, book, book.qr?.id ?? null);
  return openPix(tx, book.invoice, qrEnd(tx, look));
}

/** A charge by PIX with the txid that the acquirer will know it by; it ends with the day whose amount it is, where a later one costs more. */
export const openPix = (tx: Tx, invoice: Invoice, expiresAt: Timestamp): QrCode =>
  newQr(
    tx,
    newIntent(tx, invoice, { method: 'pix', late: lateAtPayment(invoice, tx.now) }),
    lateHoldsUntil(invoice, tx.now, expiresAt),
  );

function qrEnd({ now, scope: { account } }: Tx, { isRenewal, dueAt, payableUntil, days }: QrCheckoutLook): Timestamp {
  if (payableUntil !== null) return payableUntil;
  if (isRenewal && days !== null) return renewalQrExpiresAt(now, suspendsAt(dueAt, days));
  return qrExpiresAt(now, account.pixValiditySeconds);
}

/** The call between the transactions is idempotent by txid: concurrent callers and later repeats make the same one. */
async function createQr<T>(
  deps: Deps,
  scope: Scope,
  {
    look,
    opened,
    remainingMs,
    done,
  }: { look: QrCheckoutLook; opened: ToCreate; remainingMs: () => number; done: Done<T> },
): Promise<T> {
  const { invoiceId } = look;
  const { intentId, request } = opened;
  const made = await deps.ask(scope, 'pix', (acquirer, merchant) => acquirer.createPix(merchant, request), {
    deadlineMs: remainingMs(),
  });
  if (!made.known) {
    if (made.why === 'unreachable') throw acquirerUnavailable('The acquirer cannot be reached');
    if (made.why === 'refused') throw acquirerUnavailable('The acquirer refuses to make the QR code');
    throw acquirerTimeout(intentId, `The acquirer did not answer in time; repeat to get the QR code of ${invoiceId}`);
  }
  const { copyPaste } = made.value;
  await qrImage(copyPaste);
  const answer = await deps.transaction(scope, (tx) => keepQr(tx, { invoiceId, txid: request.txid, copyPaste, done }));
  if (answer === null) throw paymentInProgress(`${invoiceId} was changed while its QR code was made`);
  return answer;
}

/** Transaction B: keeps the acquirer's first answer. Null: the QR code is not wanted any more, and the acquirer is asked to end it. */
async function keepQr<T>(
  tx: Tx,
  { invoiceId, txid, copyPaste, done }: { invoiceId: string; txid: string; copyPaste: string; done: Done<T> },
): Promise<T | null> {
  // Read anew: its customer may have been anonymized since transaction A, and the answer is stored.
  const [invoice, qr] = await Promise.all([lockInvoice(tx, invoiceId), findQr(tx, txid)]);
  // A QR code is one of these only while its intent waits for payment: whatever ends the one moves the other.
  if (qr === null || (qr.state !== 'creating' && qr.state !== 'active')) {
    tx.enqueue({ kind: 'pix-expiry', key: txid });
    return null;
  }
  if (qr.state === 'creating') tx.count((business) => business.qrCode('made', qr));
  qr.state = 'active';
  qr.copyPaste ??= copyPaste;
  if ((qr.confirmedAt ?? null) !== null) throw paymentConfirmed(invoiceId);
  return done(tx, { invoice, qr });
}

/** The invoice with its payment method, kept as the answer of the request's Idempotency-Key. */
async function answerQr<T>(
  tx: Tx,
  { invoice, qr, show }: { invoice: Invoice; qr: QrCode; show: ShowCheckout<T> },
): Promise<T> {
  const copyPaste = qr.copyPaste ?? null;
  if (copyPaste === null) throw new Error(`the QR code ${qr.id} is active without its BR Code`);
  const image = await qrImage(copyPaste);
  const method = viewPixMethod(qr, { copyPaste, image });
  return tx.answer(await show(tx, { ...viewInvoice(tx, invoice), payment_method: method }));
}
