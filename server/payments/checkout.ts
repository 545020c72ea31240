import type { InvoiceStatus } from '../../contract/invoices.ts';
import type { CheckoutByCard } from '../../contract/payment-methods.ts';
import { installmentsByTerms, installmentsByValue, installmentTerms } from '../catalog/rules.ts';
import { lockCustomer, refuseAnonymized } from '../customers/customers.ts';
import { hangsOn } from '../db/months.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { type Lateable, lateAtPayment, lateTotal } from '../invoices/late-fees.ts';
import { firstPriceOf } from '../invoices/lines.ts';
import { billedOf } from '../invoices/rules.ts';
import { viewInvoice } from '../invoices/view.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { type Cents, cents } from '../kernel/money.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { acquirerTimeout, cardDeclined, timeBudget } from './acquirer/ask.ts';
import {
  type AttemptRef,
  type ChargeRecord,
  type OpenedCharge,
  openAttempt,
  readRecord,
  seeThrough,
} from './card/attempts.ts';
import { countDeclines, declinesOf, refuseExhausted } from './card/declines.ts';
import { type CheckedCard, checkCard, requireCardAcquirer, type TakenCard, tokenizeCard } from './card/intake.ts';
import { takeIn } from './card/stored.ts';
import type { ChargeAttempt } from './entity.ts';
import {
  discardUnsettled,
  lockBook,
  newIntent,
  paymentConfirmed,
  refuseUnlessChargeable,
  type ShowCheckout,
  UNSETTLED,
} from './intents/book.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from './pix/ending.ts';
import { viewCardMethod } from './view.ts';

/** What comes before the charge leaves the charge its whole time within the answer's. Milliseconds. */
const BEFORE_CHARGE_MS = 4_500;

/**
 * Charges an invoice by card (docs/product/cards.md#checkout-by-card): a QR code that stands is ended at the acquirer first,
 * and the acquirer is asked with no transaction open, between two short ones.
 */
export async function checkoutByCard<T>(
  deps: Deps,
  scope: Scope,
  { invoiceId, checkout, show }: { invoiceId: string; checkout: CheckoutByCard; show: ShowCheckout<T> },
): Promise<T> {
  const former = scope.idempotency?.formerAttempt ?? null;
  if (former !== null) return answerFormerCharge(deps, scope, { attemptId: former, show });
  const look = await lookBeforeCharge(deps, scope, invoiceId);
  const installments = checkout.installments ?? 1;
  const details = checkCard(checkout, deps.clock.now(scope));
  const asked = cents(look.total + lateTotal(lateAtPayment(look, deps.clock.now(scope))));
  refuseOtherTotal(invoiceId, { asked, expected: checkout.expected_total });
  checkInstallments(look, { asked, installments });
  await requireCardAcquirer(deps, scope, details);
  const order = { look, details, installments, asked, show };
  if ('number' in details.card) return watched(deps, scope, details.card.number, () => chargeCard(deps, scope, order));
  return chargeCard(deps, scope, order);
}

const watched = <T>(deps: Deps, scope: Scope, number: string, charge: () => Promise<T>): Promise<T> =>
  deps.cardTesting.watch(scope, { number, verifiedFor: null, charge });

async function chargeCard<T>(
  deps: Deps,
  scope: Scope,
  order: { look: CardLook; details: CheckedCard; installments: number; asked: Cents; show: ShowCheckout<T> },
): Promise<T> {
  const { look, details, installments, asked, show } = order;
  const cvc = 'number' in details.card ? details.card.cvc : null;
  const remainingMs = timeBudget(BEFORE_CHARGE_MS);
  const card = await tokenizeCard(deps, scope, {
    card: details,
    customerId: look.customerId,
    deadlineMs: remainingMs(),
  });
  const charge = async (): Promise<T> => {
    const opened = await endingQrs(deps, scope, {
      of: look.invoiceId,
      change: (tx, ended) => openCharge(tx, { look, card, cvc, installments, asked, ended }),
      whenPaid: paymentConfirmed,
      whenSilent: 'refuse',
      remainingMs,
    });
    return chargeAndAnswer(deps, scope, { opened, show });
  };
  // Of a card that came by a token nobody here knows the number; what it looks like is known once it is taken in.
  return cvc === null ? watched(deps, scope, likenessOf(card), charge) : charge();
}

const likenessOf = ({ brand, last4, expMonth, expYear }: TakenCard): string =>
  [brand, last4, expMonth, expYear].join(' ');

interface CardLook extends Lateable {
  invoiceId: string;
  customerId: string;
  priceId: string;
  cardInstallmentsEnabled: boolean;
  maxCardInstallments: number;
  recurringInterval: 'day' | 'week' | 'month' | null;
  recurringIntervalCount: number | null;
}

/** The price of the first item rules the installments of the whole invoice (docs/product/catalog.md#installments). */
const lookAtCardCheckout = statement<CardLookRow>(
  'look_at_card_checkout',
  `SELECT i.id AS "invoiceId", i.customer_id AS "customerId", i.status, i.payable_until AS "payableUntil", i.total,
     i.due_at AS "dueAt", i.line_items AS "lineItems", i.late_fees AS "lateFees", q.id AS "priceId",
     q.card_installments_enabled AS "cardInstallmentsEnabled", q.max_card_installments AS "maxCardInstallments",
     q.recurring_interval AS "recurringInterval", q.recurring_interval_count AS "recurringIntervalCount",
     EXISTS(SELECT FROM customer u WHERE u.id = i.customer_id AND u.anonymized_at IS NOT NULL) AS "isAnonymous",
     EXISTS(SELECT FROM pix_charge c WHERE ${hangsOn('', 'c.invoice_id', 'i.id')} AND c.confirmed_at IS NOT NULL) AS "isConfirmed",
     ${declinesOf('i.id')} AS declines,
     (SELECT p.status FROM payment_intent p WHERE ${hangsOn('pi_', 'p.invoice_id', 'i.id')} AND p.status IN ${UNSETTLED}) AS "intentStatus"
   FROM invoice i ${firstPriceOf('i', 'q')}
   WHERE i.id = :invoiceId AND ${mine('i')}`,
);

interface CardLookRow extends CardLook {
  status: InvoiceStatus;
  payableUntil: Timestamp | null;
  isAnonymous: boolean;
  isConfirmed: boolean;
  declines: number;
  intentStatus: 'pending' | 'scheduled' | 'processing' | 'failed' | null;
}

/** The invoice without its lock: refuses early what the lock would refuse, before the acquirer sees the card. */
async function lookBeforeCharge(deps: Deps, scope: Scope, invoiceId: string): Promise<CardLook> {
  const [look] = await readIn(deps.pool, scope, lookAtCardCheckout, { invoiceId });
  if (look === undefined) throw missing('invoice', invoiceId);
  const { status, payableUntil, intentStatus, isConfirmed } = look;
  const invoice = { id: invoiceId, status, payableUntil };
  const intent = intentStatus === null ? null : { status: intentStatus };
  refuseUnlessChargeable({ invoice, intent, isConfirmed }, deps.clock.now(scope));
  if (look.isAnonymous) throw refuseAnonymized(look.customerId);
  refuseExhausted(invoiceId, look.declines);
  return look;
}

function refuseOtherTotal(
  id: string,
  { asked, expected = asked }: { asked: number; expected?: number | undefined },
): void {
  if (asked === expected) return;
  const message = `${id} asks for ${asked} cents now, and expected_total is ${expected}: nothing was charged`;
  throw new BillingError('PREVIEW_OUTDATED', { message, param: 'expected_total' });
}

function checkInstallments(look: CardLook, { asked, installments }: { asked: Cents; installments: number }): void {
  const byTerms = installmentsByTerms(installmentTerms(look));
  if (installments > byTerms) {
    const message = `installments must be at most ${byTerms}, which ${look.priceId} of the first item allows, got ${installments}`;
    throw new BillingError('INSTALLMENTS_NOT_ALLOWED', { message, param: 'installments' });
  }
  const byValue = installmentsByValue(asked);
  if (installments > byValue) {
    const message = `installments must be at most ${byValue}, so that each of ${asked} cents is R$ 5,00 or more, got ${installments}`;
    throw new BillingError('INSTALLMENT_BELOW_MINIMUM', { message, param: 'installments' });
  }
}

/** Transaction A: the new charge, sent; or the QR codes in its way. */
async function openCharge(
  tx: Tx,
  charge: { look: CardLook; card: TakenCard; cvc: string | null; installments: number; asked: Cents; ended: EndedQrs },
): Promise<OpenedCharge | QrsInTheWay> {
  const { look, card, cvc, installments, asked, ended } = charge;
  // The customer first, as an anonymization does: it erases every card that it finds.
  const [, book, [counted]] = await Promise.all([
    lockCustomer(tx, look.customerId, 'customer'),
    lockBook(tx, look.invoiceId),
    tx.query(countDeclines, { invoiceId: look.invoiceId }),
  ]);
  const { invoice } = book;
  refuseUnlessChargeable(book, tx.now);
  refuseExhausted(invoice.id, counted?.declines ?? 0);
  // Midnight may have come meanwhile.
  const late = lateAtPayment(invoice, tx.now);
  refuseOtherTotal(invoice.id, { asked: invoice.total + lateTotal(late), expected: asked });
  const inTheWay = ended.retireRest(tx, [book]);
  if (inTheWay !== null) return inTheWay;
  discardUnsettled(tx, book, ended.txidOf(invoice.id));
  const intent = newIntent(tx, invoice, { method: 'card', installments, late });
  const attempt = openAttempt(tx, intent, { card, initiator: 'customer' });
  // Before it is known whether this charge is approved: renewals are charged by the token.
  if (invoice.subscriptionId != null) takeIn(tx, invoice.customerId, card);
  const series = invoice.subscriptionId == null ? null : { origin: card.origin, isRetry: false };
  return { attempt, token: card.token, cvc, series, of: billedOf(invoice) };
}

/** Sends the charge and answers what came of it: the paid invoice, or the refusal that is already in our books. */
async function chargeAndAnswer<T>(
  deps: Deps,
  scope: Scope,
  { opened, show }: { opened: OpenedCharge; show: ShowCheckout<T> },
): Promise<T> {
  const answer = await seeThrough(deps, scope, opened, (tx, record) => answerRecord(tx, record, show));
  if (answer === null) throw outcomeUnknown(opened.attempt);
  if (answer.kind === 'paid') return answer.shown;
  throw answer.refusal;
}

const outcomeUnknown = ({ intentId }: Pick<ChargeAttempt, 'intentId'>): BillingError =>
  acquirerTimeout(
    intentId,
    `What became of the charge ${intentId} is not known yet: repeat with the same Idempotency-Key or read it, and do not charge anew`,
  );

type Answer<T> =
  | { readonly kind: 'paid'; readonly shown: T }
  | { readonly kind: 'refused'; readonly refusal: BillingError };

/** What a checkout answers of its attempt. A refusal is thrown after the commit, or the decline would be lost with it. */
async function answerRecord<T>(tx: Tx, { invoice, attempt }: ChargeRecord, show: ShowCheckout<T>): Promise<Answer<T>> {
  const { declineReason } = attempt;
  if (attempt.status === 'sent') return { kind: 'refused', refusal: outcomeUnknown(attempt) };
  if (declineReason != null) return { kind: 'refused', refusal: cardDeclined(declineReason) };
  // Erased with the data of its customer, should that have happened since.
  const method = viewCardMethod(attempt);
  const paid = { ...viewInvoice(tx, invoice), ...(method === null ? {} : { payment_method: method }) };
  return { kind: 'paid', shown: tx.answer(await show(tx, paid)) };
}

const findAttempt = statement<AttemptRef>(
  'find_attempt',
  `SELECT c.id, c.intent_id AS "intentId", c.invoice_id AS "invoiceId" FROM charge_attempt c WHERE c.id = :id AND ${mine('c')}`,
);

/** Answers a repeated request the outcome of the attempt that its first run made, and charges nothing (docs/product/requests.md#idempotency). */
async function answerFormerCharge<T>(
  deps: Deps,
  scope: Scope,
  { attemptId, show }: { attemptId: string; show: ShowCheckout<T> },
): Promise<T> {
  const [ref] = await readIn(deps.pool, scope, findAttempt, { id: attemptId });
  if (ref === undefined) throw new Error(`the attempt ${attemptId} of a repeated request is not in our books`);
  const answer = await deps.transaction(scope, async (tx) => answerRecord(tx, await readRecord(tx, ref), show));
  if (answer.kind === 'paid') return answer.shown;
  throw answer.refusal;
}
