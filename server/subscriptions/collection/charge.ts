import { statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { collectionDaysOf, remindFrom } from '../../invoices/days.ts';
import { isDue, schedule } from '../../invoices/life.ts';
import { isLateKind, NO_REMINDERS, nextCharge } from '../../invoices/rules.ts';
import { cents } from '../../kernel/money.ts';
import type { Timestamp } from '../../kernel/time.ts';
import { writeToBuyer } from '../../mail/bill-letters.ts';
import {
  type ChargedCard,
  type ChargeRecord,
  type OpenedCharge,
  openScheduled,
  reopenScheduled,
  type ScheduledOutcome,
  sendScheduled,
} from '../../payments/card/attempts.ts';
import { joinCard } from '../../payments/card/stored.ts';
import {
  type Book,
  discardUnsettled,
  endCharges,
  lockBook,
  paymentConfirmed,
  refuseUnlessChargeable,
} from '../../payments/intents/book.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from '../../payments/pix/ending.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { type Contracted, fillCalendar, lockSubscription } from '../rows.ts';
import { installmentsOf, lockRenewal, type RenewalTerms } from '../terms.ts';

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
  const isCollected =
    status === 'active' ||
    status === 'paused' ||
    (status === 'pending' && book.invoice.collection === 'awaited') ||
    book.invoice.collection === 'final';
  // Its buyer agreed to what renews, and to no late fees beside it.
  const asksForLate = book.invoice.lineItems.some(({ kind }) => isLateKind(kind));
  if (!isCollected || paymentMethodType !== 'card' || card === null || asksForLate) {
    giveUp(tx, book);
    return 'not_due';
  }
  refuseUnlessChargeable(book, tx.now);
  const inTheWay = ended.retireRest(tx, [book]);
  if (inTheWay !== null) return inTheWay;
  return chargeOf(tx, book, { contracted, terms, card, ended });
}

/** There is no card to charge any more: the buyer pays by PIX, and is reminded of what is still ahead. */
function giveUp(tx: Tx, book: Book): void {
  const { invoice } = book;
  endCharges(book);
  remindFrom(invoice, tx.now);
  schedule(invoice, tx.now);
}

/** On the intent of the schedule, or on a fresh one where a buyer's checkout took over. */
function chargeOf(
  tx: Tx,
  book: Book,
  charge: { contracted: Contracted; terms: RenewalTerms; card: ChargedCard; ended: EndedQrs },
): OpenedCharge {
  const { contracted, terms, card, ended } = charge;
  const { invoice, intent } = book;
  if (intent?.status === 'failed' && intent.isScheduled) return reopenScheduled(tx, invoice, { intent, card });
  discardUnsettled(tx, book, ended.txidOf(invoice.id));
  const installments = installmentsOf(contracted, terms, cents(invoice.total));
  return openScheduled(tx, invoice, { card, installments });
}

/**
 * What a declined charge changes of the schedule of its invoice, before it is recorded. After a
 * reversible decline of a scheduled charge the next one is scheduled, and the subscription gets its case; a buyer's decline
 * leaves the schedule as it is. What waited for the outcome is scheduled again.
 */
export async function followDecline(tx: Tx, { invoice, intent, attempt }: ChargeRecord): Promise<void> {
  const { subscriptionId } = invoice;
  if (subscriptionId != null) await awaitAgain(tx, subscriptionId);
  if (invoice.collection === 'awaited') {
    // A card that was stored before this decline is charged no more.
    invoice.nextChargeAt = null;
    schedule(invoice, tx.now);
    await tellBuyer(tx, { invoice, attempt });
    return;
  }
  const isScheduled = attempt.initiator === 'merchant' && subscriptionId != null;
  const isParked = invoice.status === 'open' && invoice.step == null;
  if (!isScheduled && !isParked) return;
  if (isScheduled) {
    invoice.nextChargeAt = await nextChargeAfter(tx, { invoice, attempt }, subscriptionId);
    intent.nextAttempt = invoice.nextChargeAt;
    invoice.inCase = true;
    tx.enqueue({ kind: 'collection', key: subscriptionId });
  }
  schedule(invoice, tx.now);
  await tellBuyer(tx, { invoice, attempt });
}

/** Nobody was there to see that a charge by schedule was declined. */
async function tellBuyer(tx: Tx, { invoice, attempt }: Pick<ChargeRecord, 'invoice' | 'attempt'>): Promise<void> {
  const { initiator, last4 = null, declineReason: reason } = attempt;
  if (initiator !== 'merchant' || reason == null || invoice.status !== 'open') return;
  await writeToBuyer(tx, {
    invoice,
    occasion: { kind: 'declined', last4, reason, againAt: invoice.nextChargeAt ?? null },
  });
}

const findCard = statement<{ id: string | null }>(
  'find_card_of_subscription',
  `SELECT m.id FROM subscription s ${joinCard('s', 'm')} WHERE s.id = :subscriptionId`,
);

/** A card that its issuer has refused for good is not charged again; one that was stored meanwhile is. */
async function nextChargeAfter(
  tx: Tx,
  { invoice, attempt }: Pick<ChargeRecord, 'invoice' | 'attempt'>,
  subscriptionId: string,
): Promise<Timestamp | null> {
  if (invoice.collection !== 'renewal' && invoice.collection !== 'final') return null;
  await lockSubscription(tx, subscriptionId);
  if (attempt.isReversible === true) return nextCharge(invoice, collectionDaysOf(invoice), tx.now);
  const [current] = await tx.query(findCard, { subscriptionId });
  const isReplaced = current?.id != null && current.id !== attempt.paymentMethodId;
  return isReplaced ? nextCharge(invoice, collectionDaysOf(invoice), tx.now) : null;
}

/** The end of a pending one that the charge held up is due again. */
async function awaitAgain(tx: Tx, subscriptionId: string): Promise<void> {
  const { subscription } = await lockSubscription(tx, subscriptionId);
  if (subscription.status === 'pending' && subscription.due == null) fillCalendar(subscription);
}

const findRenewals = statement<{ id: string }>(
  'find_open_renewals',
  `SELECT id FROM invoice WHERE subscription_id = :subscriptionId AND status = 'open' AND collection = 'renewal' AND id IS DISTINCT FROM :besides
   ORDER BY id`,
);

/**
 * Renewals are charged to another card from now on: the charges of open ones that are still ahead are scheduled with it
 * (docs/product/collection.md#charges-by-schedule), `besides` the one that it paid.
 */
export async function scheduleAgain(
  tx: Tx,
  subscriptionId: string,
  { besides = null }: { besides?: string | null } = {},
): Promise<void> {
  const renewals = await tx.query(findRenewals, { subscriptionId, besides });
  if (renewals.length === 0) return;
  let isInCase = false;
  for (const { id } of renewals) {
    const { invoice, intent } = await lockBook(tx, id);
    // One that is due and was held up is made with the new card.
    const isDue = invoice.nextChargeAt != null && invoice.nextChargeAt <= tx.now;
    if (!isDue) invoice.nextChargeAt = nextCharge(invoice, collectionDaysOf(invoice), tx.now);
    if (invoice.nextChargeAt !== null) invoice.reminders = NO_REMINDERS;
    // What is at the acquirer schedules its invoice again itself; a buyer's own charge is not the schedule's.
    if (intent?.status === 'failed' && intent.isScheduled) intent.nextAttempt = invoice.nextChargeAt;
    if (invoice.step !== null) schedule(invoice, tx.now);
    isInCase ||= invoice.inCase;
  }
  // The case sleeps until the step that came next with the former card.
  if (isInCase) tx.enqueue({ kind: 'collection', key: subscriptionId });
}
