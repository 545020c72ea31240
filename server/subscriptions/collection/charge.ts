import { run } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Scope } from '../../db/tx.ts';
import type { Deps, Tx } from '../../deps.ts';
import { cents } from '../../kernel/money.ts';
import { BANK_DEADLINE_MS, bankBudget } from '../../payments/acquirer/ask.ts';
import { openAttempt } from '../../payments/card/attempts.ts';
import type { OpenedCharge } from '../../payments/card/charge.ts';
import { endStandingQr } from '../../payments/card/checkout.ts';
import { openScheduled, type ScheduledOutcome, sendScheduled } from '../../payments/card/scheduled.ts';
import type { ChargeAttempt } from '../../payments/entity.ts';
import {
  type Book,
  lockBook,
  paymentInProgress,
  refuseUnlessChargeable,
  updateIntent,
  updateInvoice,
} from '../../payments/intents/book.ts';
import { takeOver } from '../../payments/pix/expiry.ts';
import { isScheduled } from '../../payments/rules.ts';
import { installmentsOf, lockRenewal, type RenewalTerms } from '../billing/terms.ts';
import type { Contracted } from '../rows.ts';
import { maxCharges, remindersPast } from './rules.ts';
import { endCharges, isDue, park, schedule } from './schedule.ts';

/** A QR code that a checkout made meanwhile is ended as well; after a second one the charge waits. */
const TRIES_MAX = 2;

interface Look {
  subscriptionId: string;
  hasQr: boolean;
  /** Whether it is to be made at all: a QR code is not ended for nothing. */
  isToBeMade: boolean;
}

const lookStatement = statement(
  'look_at_scheduled_charge',
  `SELECT i.subscription_id AS "subscriptionId",
     EXISTS(SELECT FROM pix_charge c WHERE c.invoice_id = i.id AND c.state <> 'ended') AS "hasQr",
     coalesce(i.step = 'charge' AND s.status = 'active' AND s.payment_method_type = 'card', false) AS "isToBeMade"
   FROM invoice i JOIN subscription s ON s.id = i.subscription_id
   WHERE i.id = $1 AND i.account_id = $2 AND i.live_mode = $3 AND i.subscription_id IS NOT NULL`,
);

/**
 * Charges the stored card for a renewal by its schedule (decisions §3, Subscription). A QR code that stands is ended at the
 * bank first; paid, confirmed or with a bank that is silent, nothing is charged and the refusal is thrown.
 */
export async function chargeBySchedule(
  deps: Deps,
  scope: Scope,
  invoiceId: string,
): Promise<ScheduledOutcome | 'not_due'> {
  const [look] = await run<Look & Record<string, unknown>>(deps.pool, lookStatement, [
    invoiceId,
    scope.accountId,
    scope.liveMode,
  ]);
  if (look === undefined) return 'not_due';
  const remainingMs = bankBudget(BANK_DEADLINE_MS);
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const mayStand = look.isToBeMade && (look.hasQr || tries > 1);
    const endedTxid = mayStand ? await endStandingQr(deps, scope, { invoiceId, remainingMs }) : null;
    const opened = await deps.transaction(scope, (tx) => openRetry(tx, { invoiceId, ...look, endedTxid }));
    if (opened === 'not_due') return opened;
    if (opened !== 'qr_stands') return sendScheduled(deps, scope, opened);
  }
  throw paymentInProgress(`${invoiceId} gets one new QR code after another`);
}

async function openRetry(
  tx: Tx,
  { invoiceId, subscriptionId, endedTxid }: { invoiceId: string; subscriptionId: string; endedTxid: string | null },
): Promise<OpenedCharge | 'not_due' | 'qr_stands'> {
  const { contracted, terms } = await lockRenewal(tx, subscriptionId);
  const book = await lockBook(tx, invoiceId);
  const { invoice, qr } = book;
  if (!isDue(tx, invoice, 'charge')) return 'not_due';
  const { card } = terms;
  if (
    contracted.subscription.status !== 'active' ||
    contracted.subscription.paymentMethodType !== 'card' ||
    card === null
  ) {
    giveUp(tx, book);
    return 'not_due';
  }
  refuseUnlessChargeable(book);
  if (qr !== null && qr.state !== 'ended' && qr.id !== endedTxid) return 'qr_stands';
  const attempt = await attemptOf(tx, book, { contracted, terms: { ...terms, card }, endedTxid });
  invoice.charges += 1;
  invoice.nextChargeAt = null;
  // What comes of it schedules the invoice again.
  park(invoice);
  updateInvoice(tx, invoice);
  return { attempt, token: card.token };
}

/** There is no card to charge any more: the buyer pays by PIX, and is reminded of what is still ahead. */
function giveUp(tx: Tx, book: Book): void {
  const { invoice } = book;
  endCharges(tx, book);
  invoice.reminders = remindersPast(invoice.dueAt, tx.now);
  schedule(invoice, tx.scope.account);
  updateInvoice(tx, invoice);
}

/** On the intent of the schedule, or on a fresh one where a buyer's checkout took over. */
async function attemptOf(
  tx: Tx,
  book: Book,
  {
    contracted,
    terms,
    endedTxid,
  }: {
    contracted: Contracted;
    terms: RenewalTerms & { card: NonNullable<RenewalTerms['card']> };
    endedTxid: string | null;
  },
): Promise<ChargeAttempt> {
  const { invoice, intent } = book;
  const { card } = terms;
  const most = maxCharges(tx.scope.account);
  if (intent?.status === 'failed' && isScheduled(intent)) {
    // The account may have a longer schedule by now.
    intent.maxAttempts = Math.max(intent.maxAttempts, most);
    const attempt = openAttempt(tx, intent, { card, initiator: 'merchant' });
    updateIntent(tx, intent);
    return attempt;
  }
  await takeOver(tx, book, endedTxid);
  const installments = installmentsOf(contracted, terms, cents(invoice.total));
  return openScheduled(tx, invoice, { card, installments, most });
}
