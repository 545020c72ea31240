import type { Deps } from '../../deps.ts';
import { collectionDaysOf, remindFrom } from '../../invoices/days.ts';
import { isDue, lockInvoice, schedule } from '../../invoices/life.ts';
import { suspendsAt } from '../../kernel/collection-days.ts';
import type { Timestamp } from '../../kernel/time.ts';
import { writeToBuyer } from '../../mail/bill-letters.ts';
import { discardUnsettled, lockBook, paymentInProgress } from '../../payments/intents/book.ts';
import { openPix } from '../../payments/pix/checkout.ts';
import { nextTry, retryAskedAt } from '../../payments/pix/debit-days.ts';
import { askForRetry, DEBIT_SILENT, type DebitLook, findDebitOf, instructDebit } from '../../payments/pix/debits.ts';
import { handleNotice } from '../../payments/pix/settlement.ts';
import { renewalQrExpiresAt } from '../../payments/rules.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { askForQr } from './qr.ts';

/**
 * Sees to the debit of a renewal (docs/product/pix-automatico.md#debits): instructs the acquirer, asks what became of it, asks
 * for another day, and where none is left has the bill paid by QR code. Any number of times; false: there was nothing to do.
 */
export async function seeToDebit(deps: Deps, scope: Scope, invoiceId: string): Promise<boolean> {
  const look = await findDebitOf(deps, scope, invoiceId);
  if (look?.state === 'retiring') throw paymentInProgress(`The debit of ${invoiceId} is being cancelled`);
  if (look === null || look.state === 'ended') return payOtherwise(deps, scope, invoiceId);
  if (!(await isHeard(deps, scope, look))) return lookLater(deps, scope, invoiceId);
  const heard = await findDebitOf(deps, scope, invoiceId);
  if (heard?.intentStatus === 'failed') return tryAgain(deps, scope, heard);
  // What was heard says when it is looked at again.
  return true;
}

async function isHeard(deps: Deps, scope: Scope, look: DebitLook): Promise<boolean> {
  if (look.intentStatus === 'pending') return (await instructDebit(deps, scope, look)) === 'booked';
  return (await handleNotice(deps, scope, { txid: look.txid }))?.isKnown === true;
}

/** Asks for the next day in its time; where none is left, or the acquirer takes it no more, the bill is paid otherwise. */
async function tryAgain(deps: Deps, scope: Scope, look: DebitLook): Promise<boolean> {
  const { invoiceId, state, dueOn, scheduledFor, days } = look;
  const now = deps.clock.now(scope);
  const date = state === 'ended' ? null : nextTry({ dueOn, lastOn: scheduledFor }, days, now);
  if (date === null) return payOtherwise(deps, scope, invoiceId);
  if (now < retryAskedAt(date)) return lookLater(deps, scope, invoiceId, retryAskedAt(date));
  const asked = await askForRetry(deps, scope, { look, date });
  if (asked === 'refused') return payOtherwise(deps, scope, invoiceId);
  return asked === 'asked' || lookLater(deps, scope, invoiceId);
}

function lookLater(deps: Deps, scope: Scope, invoiceId: string, at?: Timestamp): Promise<boolean> {
  return deps.transaction(scope, async (tx) => {
    const invoice = await lockInvoice(tx, invoiceId);
    if (!isDue(invoice, 'debit', tx.now)) return true;
    invoice.debitLookAt = at ?? tx.now + DEBIT_SILENT;
    schedule(invoice, tx.now);
    return true;
  });
}

async function payOtherwise(deps: Deps, scope: Scope, invoiceId: string): Promise<boolean> {
  const opened = await deps.transaction(scope, (tx) => openQr(tx, invoiceId));
  if (opened === 'opened') await askForQr(deps, scope, invoiceId);
  return opened !== 'not_due';
}

/** Nothing is debited any more: the bill waits for a PIX of its buyer, who is told so and reminded. */
async function openQr(tx: Tx, invoiceId: string): Promise<'opened' | 'closed' | 'not_due'> {
  const book = await lockBook(tx, invoiceId);
  const { invoice, intent, qr } = book;
  if (!isDue(invoice, 'debit', tx.now)) return 'not_due';
  invoice.debitLookAt = null;
  remindFrom(invoice, tx.now);
  const isOfDebit = intent === null || intent.mandateId != null;
  if (isOfDebit) {
    const hasFailed = intent?.status === 'failed';
    discardUnsettled(tx, book, qr?.id ?? null);
    openPix(tx, invoice, renewalQrExpiresAt(tx.now, suspendsAt(invoice.dueAt, collectionDaysOf(invoice))));
    // Of a debit that failed its buyer was told as it did.
    if (!hasFailed) await writeToBuyer(tx, { invoice, occasion: { kind: 'sent' } });
  }
  schedule(invoice, tx.now);
  return isOfDebit ? 'opened' : 'closed';
}
