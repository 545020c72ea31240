import type { Scope, Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { remindersPast } from '../../invoices/collection/rules.ts';
import { isDue, schedule } from '../../invoices/collection/schedule.ts';
import { cents } from '../../kernel/money.ts';
import type { ChargedCard } from '../../payments/card/attempts.ts';
import {
  type OpenedCharge,
  openScheduled,
  reopenScheduled,
  type ScheduledOutcome,
  sendScheduled,
} from '../../payments/card/charge.ts';
import type { ChargeAttempt } from '../../payments/entity.ts';
import { type Book, lockBook, paymentConfirmed, refuseUnlessChargeable } from '../../payments/intents/book.ts';
import { discardUnsettled } from '../../payments/pix/discard.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from '../../payments/pix/ending.ts';
import { installmentsOf, lockRenewal, type RenewalTerms } from '../billing/terms.ts';
import type { Contracted } from '../rows.ts';

/** An open renewal, and the subscription whose card it is charged to. */
interface OpenRenewal {
  readonly invoiceId: string;
  readonly subscriptionId: string;
}

/**
 * Charges the stored card for a renewal by its schedule (docs/product/collection.md#charges-by-schedule). A QR code that
 * stands is ended at the acquirer first; paid, confirmed or with an acquirer that is silent, nothing is charged and the
 * refusal is thrown.
 */
export async function chargeBySchedule(
  deps: Deps,
  scope: Scope,
  renewal: OpenRenewal,
): Promise<ScheduledOutcome | 'not_due'> {
  const opened = await endingQrs(deps, scope, {
    of: renewal.invoiceId,
    change: (tx, ended) => openRetry(tx, renewal, ended),
    whenPaid: paymentConfirmed,
    whenSilent: 'refuse',
  });
  return opened === 'not_due' ? opened : sendScheduled(deps, scope, opened);
}

async function openRetry(
  tx: Tx,
  { invoiceId, subscriptionId }: OpenRenewal,
  ended: EndedQrs,
): Promise<OpenedCharge | 'not_due' | QrsInTheWay> {
  const { contracted, terms } = await lockRenewal(tx, subscriptionId);
  const { status, paymentMethodType } = contracted.subscription;
  const book = await lockBook(tx, invoiceId);
  if (!isDue(book.invoice, 'charge', tx.now)) return 'not_due';
  const { card } = terms;
  const isCollected = status === 'active' || (status === 'pending' && book.invoice.collection === 'awaited');
  if (!isCollected || paymentMethodType !== 'card' || card === null) {
    giveUp(tx, book);
    return 'not_due';
  }
  refuseUnlessChargeable(book, tx.now);
  const inTheWay = ended.retireRest(tx, [book]);
  if (inTheWay !== null) return inTheWay;
  const attempt = attemptOf(tx, book, { contracted, terms, card, ended });
  return { attempt, token: card.token };
}

/** No charge is made by itself any more. */
export function endCharges({ invoice, intent }: Book): void {
  invoice.nextChargeAt = null;
  if (intent !== null) intent.nextAttempt = null;
}

/** There is no card to charge any more: the buyer pays by PIX, and is reminded of what is still ahead. */
function giveUp(tx: Tx, book: Book): void {
  const { invoice } = book;
  endCharges(book);
  invoice.reminders = remindersPast(invoice.dueAt, tx.now);
  schedule(invoice, tx.scope.account);
}

/** On the intent of the schedule, or on a fresh one where a buyer's checkout took over. */
function attemptOf(
  tx: Tx,
  book: Book,
  charge: { contracted: Contracted; terms: RenewalTerms; card: ChargedCard; ended: EndedQrs },
): ChargeAttempt {
  const { contracted, terms, card, ended } = charge;
  const { invoice, intent } = book;
  if (intent?.status === 'failed' && intent.isScheduled) return reopenScheduled(tx, invoice, { intent, card });
  discardUnsettled(tx, book, ended.txidOf(invoice.id));
  const installments = installmentsOf(contracted, terms, cents(invoice.total));
  return openScheduled(tx, invoice, { card, installments });
}
