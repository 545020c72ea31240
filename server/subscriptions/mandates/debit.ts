import { collectionDaysOf } from '../../invoices/days.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { NO_REMINDERS } from '../../invoices/rules.ts';
import { isoDate } from '../../kernel/brazil.ts';
import { suspendsAt } from '../../kernel/collection-days.ts';
import { openPix } from '../../payments/pix/checkout.ts';
import { isInstructable } from '../../payments/pix/debit-days.ts';
import { openDebit } from '../../payments/pix/debits.ts';
import { renewalQrExpiresAt } from '../../payments/rules.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import type { Contracted } from '../rows.ts';
import type { Mandate } from './entity.ts';
import { endOurselves } from './follow.ts';
import { openMandateOf } from './rows.ts';
import { recurringAmount } from './terms.ts';

/** Whether a mandate was authorised for other bills: of another calendar, or another fixed amount. */
function isOutdated(mandate: Mandate, contracted: Contracted): boolean {
  const {
    subscription,
    items: [{ price }],
  } = contracted;
  const isOfInterval = mandate.interval === price.interval && mandate.intervalCount === price.intervalCount;
  const anchor = mandate.billingCycleAnchor ?? subscription.billingCycleAnchor;
  const isOfAmount = mandate.amount == null || mandate.amount === recurringAmount(contracted);
  return !isOfInterval || anchor !== subscription.billingCycleAnchor || !isOfAmount;
}

/**
 * Has the active mandate of a subscription pay a bill on the day that it is due; false: it has none, it debits another amount, or
 * the day is too near to be told to the bank. One for other bills ends: its buyer is asked for another by the QR code of this one.
 */
async function debitRenewal(tx: Tx, contracted: Contracted, invoice: Invoice): Promise<boolean> {
  const mandate = await openMandateOf(tx, contracted);
  if (mandate?.status !== 'active') return false;
  if (isOutdated(mandate, contracted)) {
    await endOurselves(tx, contracted, { mandate, reason: 'replaced' });
    return false;
  }
  const dueOn = isoDate(invoice.dueAt);
  const isOfBill = mandate.amount == null || mandate.amount === invoice.total;
  if (!isOfBill || dueOn < mandate.startsOn || !isInstructable(dueOn, tx.now)) return false;
  mandate.billingCycleAnchor ??= contracted.subscription.billingCycleAnchor;
  invoice.reminders = NO_REMINDERS;
  openDebit(tx, invoice, { mandateId: mandate.id, dueOn });
  return true;
}

/** Has a bill be debited, or else paid by QR code, of which its buyer is reminded. */
export async function debitOrAsk(tx: Tx, contracted: Contracted, invoice: Invoice): Promise<'debit' | 'qr'> {
  if (await debitRenewal(tx, contracted, invoice)) return 'debit';
  openPix(tx, invoice, renewalQrExpiresAt(tx.now, suspendsAt(invoice.dueAt, collectionDaysOf(invoice))));
  return 'qr';
}
