import type { Invoice as InvoiceView } from '../../../contract/invoices.ts';
import type { CheckoutByCard } from '../../../contract/payment-methods.ts';
import { installmentsByTerms, installmentsByValue } from '../../catalog/rules.ts';
import { installmentTerms } from '../../catalog/view.ts';
import { lockCustomer, refuseAnonymized } from '../../customers/customers.ts';
import { run } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Scope } from '../../db/tx.ts';
import type { Deps, Tx } from '../../deps.ts';
import { BillingError, missing } from '../../kernel/errors.ts';
import { cents } from '../../kernel/money.ts';
import { bankBudget, bankUnavailable, requireAcquirer } from '../acquirer/ask.ts';
import {
  insertIntent,
  lockBook,
  newIntent,
  paymentConfirmed,
  paymentInProgress,
  refuseUnlessChargeable,
  UNSETTLED,
  updateInvoice,
} from '../intents/book.ts';
import { endQrAtBank, retireQr, takeOver } from '../pix/expiry.ts';
import { type ChargedCard, openAttempt } from './attempts.ts';
import { answerFormerCharge, type OpenedCharge, type ShowCheckout, seeChargeThrough } from './charge.ts';
import { checkCard, keepCard, tokenize } from './intake.ts';

/** A QR code that another checkout made meanwhile is ended as well; a second one sends the caller back. */
const TRIES_MAX = 2;
/** What comes before the charge leaves the charge its whole time within the answer's. Milliseconds. */
const BEFORE_CHARGE_MS = 4_500;

/**
 * Charges an invoice by card (decisions §3, "Card charge, in order"): a QR code that stands is ended at the bank first,
 * and the acquirer is asked with no transaction open, between two short ones.
 */
export async function checkoutByCard<T>(
  deps: Deps,
  scope: Scope,
  { invoiceId, checkout, show }: { invoiceId: string; checkout: CheckoutByCard; show: ShowCheckout<T> },
): Promise<T> {
  const former = scope.idempotency?.formerAttempt ?? null;
  if (former !== null) return answerFormerCharge(deps, scope, { attemptId: former, show });
  const look = await lookAtInvoice(deps, scope, invoiceId);
  const installments = checkout.installments ?? 1;
  const details = checkCard(checkout, deps.clock.now(scope));
  checkInstallments(look, installments);
  requireAcquirer(deps, scope);
  const remainingMs = bankBudget(BEFORE_CHARGE_MS);
  const card = await tokenize(deps, scope, { card: details, deadlineMs: remainingMs() });
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const mayStand = look.hasQr || tries > 1;
    const endedTxid = mayStand ? await endStandingQr(deps, scope, { invoiceId, remainingMs }) : null;
    const opened = await deps.transaction(scope, (tx) => openCharge(tx, { look, card, installments, endedTxid }));
    if (opened !== null) return seeChargeThrough(deps, scope, { opened, show });
  }
  throw paymentInProgress(`${invoiceId} gets one new QR code after another`);
}

interface Look {
  invoiceId: string;
  customerId: string;
  total: number;
  /** Whether a QR code stood that the buyer might pay. */
  hasQr: boolean;
  priceId: string;
  cardInstallmentsEnabled: boolean;
  maxCardInstallments: number;
  recurringInterval: 'day' | 'week' | 'month' | null;
  recurringIntervalCount: number | null;
}

/** The price of the first item rules the installments of the whole invoice (spec, Price, rule 7). */
const lookStatement = statement(
  'look_at_card_checkout',
  `SELECT i.id AS "invoiceId", i.customer_id AS "customerId", i.status, i.total, q.id AS "priceId",
     q.card_installments_enabled AS "cardInstallmentsEnabled", q.max_card_installments AS "maxCardInstallments",
     q.recurring_interval AS "recurringInterval", q.recurring_interval_count AS "recurringIntervalCount",
     EXISTS(SELECT FROM customer u WHERE u.id = i.customer_id AND u.anonymized_at IS NOT NULL) AS "isAnonymous",
     EXISTS(SELECT FROM pix_charge c WHERE c.invoice_id = i.id AND c.confirmed_at IS NOT NULL) AS "isConfirmed",
     EXISTS(SELECT FROM pix_charge c WHERE c.invoice_id = i.id AND c.state <> 'ended') AS "hasQr",
     (SELECT p.status FROM payment_intent p WHERE p.invoice_id = i.id AND p.status IN ${UNSETTLED}) AS "intentStatus"
   FROM invoice i LEFT JOIN price q ON q.id = i.line_items -> 0 ->> 'price'
   WHERE i.id = $1 AND i.account_id = $2 AND i.live_mode = $3`,
);

interface LookRow extends Look {
  status: InvoiceView['status'];
  isAnonymous: boolean;
  isConfirmed: boolean;
  intentStatus: 'pending' | 'processing' | 'failed' | null;
}

/** The invoice without its lock: refuses early what the lock would refuse, before the acquirer sees the card. */
async function lookAtInvoice(deps: Deps, scope: Scope, invoiceId: string): Promise<Look> {
  const [look] = await run<LookRow>(deps.pool, lookStatement, [invoiceId, scope.accountId, scope.liveMode]);
  if (look === undefined) throw missing('invoice', invoiceId);
  refuseUnlessChargeable({
    invoice: { id: invoiceId, status: look.status },
    intent: look.intentStatus === null ? null : { status: look.intentStatus },
    isConfirmed: look.isConfirmed,
  });
  if (look.isAnonymous) throw refuseAnonymized(look.customerId);
  return look;
}

function checkInstallments(look: Look, installments: number): void {
  const byTerms = installmentsByTerms(installmentTerms(look));
  if (installments > byTerms) {
    const message = `installments must be at most ${byTerms}, which ${look.priceId} of the first item allows, got ${installments}`;
    throw new BillingError('INSTALLMENTS_NOT_ALLOWED', { message, param: 'installments' });
  }
  const byValue = installmentsByValue(cents(look.total));
  if (installments > byValue) {
    const message = `installments must be at most ${byValue}, so that each of ${look.total} cents is R$ 5,00 or more, got ${installments}`;
    throw new BillingError('INSTALLMENT_BELOW_MINIMUM', { message, param: 'installments' });
  }
}

/** Ends the QR code that stands, so that the invoice is not paid twice; answers its txid, null when none stood. */
export async function endStandingQr(
  deps: Deps,
  scope: Scope,
  { invoiceId, remainingMs }: { invoiceId: string; remainingMs: () => number },
): Promise<string | null> {
  const txid = await deps.transaction(scope, async (tx) => {
    const book = await lockBook(tx, invoiceId);
    refuseUnlessChargeable(book);
    if (book.qr === null || book.qr.state === 'ended') return null;
    if (book.qr.state !== 'retiring') retireQr(tx, book.qr);
    return book.qr.id;
  });
  if (txid === null) return null;
  await deps.failpoint?.('card.after-retiring');
  const end = await endQrAtBank(deps, scope, { txid, remainingMs });
  await deps.failpoint?.('card.after-expiry');
  if (end === 'bank_silent') throw bankUnavailable('The acquirer cannot be reached to end the open QR code');
  if (end === 'paid') throw paymentConfirmed(invoiceId);
  return txid;
}

/** Transaction A: the new charge, sent; null when a QR code stands again. */
async function openCharge(
  tx: Tx,
  charge: { look: Look; card: ChargedCard; installments: number; endedTxid: string | null },
): Promise<OpenedCharge | null> {
  const { look, card, installments, endedTxid } = charge;
  // The customer first, as an anonymization does: it erases every card that it finds.
  const [, book] = await Promise.all([lockCustomer(tx, look.customerId, 'customer'), lockBook(tx, look.invoiceId)]);
  const { invoice, qr } = book;
  refuseUnlessChargeable(book);
  if (qr !== null && qr.state !== 'ended' && qr.id !== endedTxid) return null;
  await takeOver(tx, book, endedTxid);
  const intent = newIntent(tx, invoice, { method: 'card', installments });
  const attempt = openAttempt(tx, intent, { card, initiator: 'customer' });
  // Kept before it is known whether this charge is approved: renewals are charged by the token.
  if (invoice.subscriptionId != null) keepCard(tx, invoice.customerId, card);
  invoice.paymentIntentId = intent.id;
  insertIntent(tx, intent);
  updateInvoice(tx, invoice);
  return { attempt, token: card.token };
}
