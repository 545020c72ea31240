import { DUE_DAYS_MAX } from '../../../contract/invoice-inputs.ts';
import type { Invoice as InvoiceView } from '../../../contract/invoices.ts';
import type { Deps } from '../../deps.ts';
import { collectionDaysOf, remindFrom } from '../../invoices/days.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { lateOf, lateTotal } from '../../invoices/late-fees.ts';
import { park, schedule } from '../../invoices/life.ts';
import { NO_REMINDERS, nextCharge } from '../../invoices/rules.ts';
import { viewInvoice } from '../../invoices/view.ts';
import { daysAfter } from '../../kernel/collection-days.ts';
import { BillingError, invalidParameter } from '../../kernel/errors.ts';
import { DAY, type Timestamp } from '../../kernel/time.ts';
import { type Book, discardUnsettled, lockBook } from '../../payments/intents/book.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { lockSubscription } from '../rows.ts';

/**
 * Gives an open invoice a later due date; all that is done with it by days follows that (docs/product/invoices.md#a-later-due-date).
 * A QR code stays as it is, unless it asks for late fees, and so does a charge that is at the acquirer.
 */
export const extendInvoice = (
  deps: Deps,
  scope: Scope,
  { invoiceId, dueAt }: { invoiceId: string; dueAt: Timestamp },
): Promise<InvoiceView> =>
  deps.transaction(scope, async (tx) => {
    const book = await lockBook(tx, invoiceId);
    await refuseUnlessExtendable(tx, book.invoice);
    refuseUnlessLater(book.invoice, dueAt, tx.now);
    extend(tx, book, dueAt);
    dropLate(tx, book);
    tx.record('invoice.updated', viewInvoice(tx, book.invoice));
    return tx.answer(viewInvoice(tx, book.invoice));
  });

async function refuseUnlessExtendable(tx: Tx, { id, status, payableUntil, subscriptionId }: Invoice): Promise<void> {
  if (status !== 'open')
    throw new BillingError('INVOICE_NOT_OPEN', {
      message: `${id} is ${status}: only an open invoice gets a later due date`,
    });
  if (payableUntil != null)
    throw new BillingError('INVALID_STATE', {
      message: `${id} is of a checkout session, which takes payment until ${payableUntil}: its due date stays`,
    });
  if (subscriptionId == null) return;
  const { subscription, scheduled } = await lockSubscription(tx, subscriptionId);
  if (scheduled.awaiting?.change.invoiceId === id)
    throw new BillingError('INVALID_STATE', {
      message: `${id} is awaited by the change ${scheduled.awaiting.change.id} until ${subscription.changeLapsesAt}: its due date stays`,
    });
  if (subscription.status !== 'pending') return;
  throw new BillingError('INVALID_STATE', {
    message: `${id} is awaited by the pending subscription ${subscriptionId} until ${subscription.pendingUntil}: its due date stays`,
  });
}

function refuseUnlessLater({ dueAt: present }: Invoice, dueAt: Timestamp, now: Timestamp): void {
  const latest = now + DUE_DAYS_MAX * DAY;
  if (dueAt > present && dueAt <= latest) return;
  const bounds = `after the present one (${present}) and at most ${DUE_DAYS_MAX} days from now (${latest})`;
  throw invalidParameter('invoice.due_at', `invoice.due_at must lie ${bounds}, got ${dueAt}`);
}

/** The ways of collection that charge or remind by days. */
const FOLLOWING: readonly Invoice['collection'][] = ['once', 'renewal', 'final'];

function extend(tx: Tx, book: Book, dueAt: Timestamp): void {
  const { invoice, intent } = book;
  const isAtAcquirer = intent?.status === 'processing';
  // What becomes of the charge schedules the invoice.
  const isParked = isAtAcquirer && invoice.step == null;
  const isChargedNow = isAtAcquirer && intent.isScheduled;
  invoice.dueAt = dueAt;
  if (intent !== null) intent.dueAt = dueAt;
  if (daysAfter(dueAt, collectionDaysOf(invoice).overdueDays) > tx.now) invoice.overdueAt = null;
  if (FOLLOWING.includes(invoice.collection) && !isChargedNow) followDueDate(tx, book);
  if (isParked) park(invoice);
  else schedule(invoice, tx.now);
  leaveCase(tx, invoice);
}

/** A charge that asks for late fees asks for too much of what is not late any more. */
function dropLate(tx: Tx, book: Book): void {
  const { intent } = book;
  if (intent === null || intent.status === 'processing' || lateTotal(lateOf(intent)) === 0) return;
  discardUnsettled(tx, book, null);
}

/** A card that is still to be charged is charged by the days of the new date; without one the buyer is reminded by them. */
function followDueDate(tx: Tx, { invoice, intent }: Book): void {
  if (invoice.nextChargeAt != null) invoice.nextChargeAt = nextCharge(invoice, collectionDaysOf(invoice), tx.now);
  if (intent?.nextAttempt != null) intent.nextAttempt = invoice.nextChargeAt;
  if (invoice.nextChargeAt == null) remindFrom(invoice, tx.now);
  else invoice.reminders = NO_REMINDERS;
}

/** A renewal that is neither overdue nor declined is in no trouble; its case looks anew at what is left. */
function leaveCase(tx: Tx, invoice: Invoice): void {
  const { inCase, subscriptionId, collection, overdueAt, charges } = invoice;
  if (!inCase || subscriptionId == null) return;
  tx.enqueue({ kind: 'collection', key: subscriptionId });
  invoice.inCase = collection !== 'renewal' || overdueAt != null || charges > 0;
}
