import type { SubscriptionCancel } from '../../contract/subscription-inputs.ts';
import { mine, statement } from '../db/statement.ts';
import type { InvoiceItem } from '../invoice-items/entity.ts';
import { addInvoiceItem, lockInvoiceItems, tellInvoiceItem } from '../invoice-items/pending.ts';
import type { Invoice } from '../invoices/entity.ts';
import type { Bill } from '../invoices/life.ts';
import { netOfBill } from '../invoices/lines.ts';
import { NO_REMINDERS } from '../invoices/rules.ts';
import { civilDate, inPercent, inReais } from '../kernel/brazil.ts';
import { BillingError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { BASIS_POINTS_IN_PERCENT, type Cents, cents } from '../kernel/money.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import { askPart, lockRefundBook, type RefundBook } from '../payments/refunds/parts.ts';
import { refundableOf, refuseBeyondBound } from '../payments/rules.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { daysToServe, periodDays } from './days.ts';
import { type DecidedLine, decideEnd } from './decide.ts';
import type { Subscription } from './entity.ts';
import { penaltyAt, termEnd } from './penalty.ts';
import { restOf } from './proration.ts';
import type { Contracted } from './rows.ts';
import { takeDecided } from './taking.ts';
import { billedTo, lockRenewal } from './terms.ts';

/** What is asked for of an end: what becomes of the rest of a paid period, and of the penalty of a minimum term. */
export type EndTerms = Pick<SubscriptionCancel, 'unused' | 'penalty' | 'withdrawal' | 'reason' | 'comment'>;

/** Keeps what was said of an end. */
export function noteReason(subscription: Subscription, { reason, comment }: EndTerms): void {
  subscription.cancelReason = reason ?? null;
  subscription.cancelComment = comment ?? null;
}

/** It is due after so long, where no stored card is charged for it. */
const END_BILL_DUE = 3 * DAY;

/** What a buyer reads of a penalty: its formula, which the invoice so keeps. */
function formulaOf(contracted: Contracted): string {
  const { penaltyType, penaltyValue, termCyclesLeft } = contracted.subscription;
  const end = civilDate(termEnd(contracted) ?? contracted.subscription.created);
  const value = penaltyValue ?? 0;
  const how =
    penaltyType === 'declining_amount'
      ? `${inReais(value)} menos o tempo já cumprido`
      : `${inPercent(value / BASIS_POINTS_IN_PERCENT)} dos ${termCyclesLeft} ciclos que faltavam`;
  return `Multa por encerrar antes de ${end}: ${how}`;
}

/** What an end before the minimum term costs; null: nothing. */
function penaltyLine(contracted: Contracted, now: Timestamp): DecidedLine | null {
  const penalty = penaltyAt(contracted, now);
  if (penalty === 0) return null;
  const [{ price }] = contracted.items;
  return { price: price.id, quantity: 1, unitAmount: penalty, description: formulaOf(contracted), kind: 'penalty' };
}

/** What waits for the bills of a subscription alone: nobody else will ask for it. */
async function pendingAlone(tx: Tx, { subscription }: Contracted): Promise<InvoiceItem[]> {
  const { id: subscriptionId, customerId } = subscription;
  const items = await lockInvoiceItems(tx, { customerId, subscriptionId, takesLate: false });
  return items.filter((item) => item.subscriptionId === subscriptionId);
}

/**
 * The bill of an end by wish, to be issued once that is told: the penalty of one before the minimum term, and behind a last
 * period that was served what still waits for a bill. Null: there is nothing to bill.
 */
export async function endBill(
  tx: Tx,
  contracted: Contracted,
  { isFined, isServed }: { isFined: boolean; isServed: boolean },
): Promise<Bill | null> {
  const penalty = isFined ? penaltyLine(contracted, tx.now) : null;
  const pending = isServed && contracted.subscription.cycle > 0 ? await pendingAlone(tx, contracted) : [];
  const { lines, credits, total } = decideEnd(pending, penalty);
  if (lines.length === 0) return null;
  const { subscription } = contracted;
  const { terms } = await lockRenewal(tx, subscription.id);
  const isCharged = subscription.paymentMethodType === 'card' && terms.card !== null;
  const id = newId('in');
  takeDecided(contracted, { decision: { lines, credits }, pending, invoiceId: id });
  subscription.latestInvoiceId = id;
  return {
    ...{ id, total, credits },
    buyer: billedTo(subscription, terms),
    lineItems: lines,
    discounts: [],
    dueAt: isCharged ? tx.now : tx.now + END_BILL_DUE,
    cycle: {
      subscriptionId: subscription.id,
      ...{ number: null, bill: null, period: null },
      billingReason: 'subscription_end',
      collection: 'final',
      lateFees: subscription.lateFees ?? null,
      ownDays: subscription.ownDays ?? null,
      reminders: isCharged ? NO_REMINDERS : 0,
      nextChargeAt: isCharged ? tx.now : null,
    },
  };
}

interface PaidPeriod extends Pick<Invoice, 'lineItems' | 'discounts'> {
  cycle: number;
}

const findPaidPeriods = statement<PaidPeriod>(
  'find_paid_periods',
  `SELECT i.cycle, i.line_items AS "lineItems", i.discounts FROM invoice i
   WHERE ${mine('i')} AND i.subscription_id = :id AND i.cycle >= :cycle AND i.status = 'paid' AND NOT i.superseded`,
);

/** What is left of the paid periods of a subscription, by the days that are not served. */
export async function unusedOf(tx: Tx, { subscription }: Contracted): Promise<Cents> {
  const { id, cycle, periodNet, aheadNet, periodApart, aheadApart } = subscription;
  const days = periodDays(subscription);
  const gone = days - daysToServe(subscription, tx.now);
  const periods = cycle === 0 ? [] : await tx.query(findPaidPeriods, { id, cycle });
  const rests = periods.map((period) => {
    // Of a change what was charged later is not paid, and what was credited is given back already.
    const isAhead = period.cycle > cycle;
    const charged = (isAhead ? aheadNet : periodNet) ?? Number.POSITIVE_INFINITY;
    const paid = netOfBill(period) + (isAhead ? aheadApart : periodApart);
    const net = cents(Math.max(0, Math.min(paid, charged)));
    return isAhead ? net : days === 0 ? 0 : restOf(net, { gone, days });
  });
  return cents(rests.reduce<number>((sum, rest) => sum + rest, 0));
}

const findPayments = statement<{ intentId: string; invoiceId: string }>(
  'find_payments_of_subscription',
  `SELECT p.id AS "intentId", p.invoice_id AS "invoiceId" FROM payment_intent p
   WHERE ${mine('p')} AND p.subscription_id = :id AND p.status IN ('paid', 'refunding') AND NOT p.surplus ORDER BY p.paid_at DESC, p.id DESC`,
);

/** Asks so much of a payment back, or what may be returned of it, and answers that; its case sees it through. */
function giveBackOf(tx: Tx, book: RefundBook, most: number): number {
  const { intent, parts } = book;
  const left = refundableOf(intent, { parts, now: tx.now });
  const amount = Math.min(left, most);
  if (amount === 0) return 0;
  const promised = intent.amount - intent.amountDisputed - left;
  refuseBeyondBound(tx.scope.refunds, { intent: intent.id, total: promised + amount });
  askPart(tx, book, { amount, reason: 'requested_by_customer' });
  // A card's case would leave the acquirer to the request, which asks for nothing itself.
  tx.enqueue({ kind: 'refund-settlement', key: intent.id });
  return amount;
}

/** Returns an amount from the last payments, newest first; answers what none of them covers. */
async function refundLast(tx: Tx, { subscription }: Contracted, amount: number): Promise<number> {
  let left = amount;
  for (const payment of await tx.query(findPayments, { id: subscription.id })) {
    if (left === 0) break;
    left -= giveBackOf(tx, await lockRefundBook(tx, payment), left);
  }
  return left;
}

/** Has whichever subscription of the customer is billed next use what is left of this one, and the credits that wait for its bills. */
async function leaveCredit(tx: Tx, { subscription, items, credit }: Contracted, amount: Cents): Promise<void> {
  const { id: subscriptionId, customerId } = subscription;
  for (const item of await lockInvoiceItems(tx, { customerId, subscriptionId, takesLate: false })) {
    if (item.type !== 'credit' || item.subscriptionId !== subscriptionId) continue;
    item.subscriptionId = null;
    credit.left -= item.amount - item.used;
  }
  addCredit(tx, { customerId, amount, description: `Dias não usados de ${items[0].price.productName}` });
}

function addCredit(
  tx: Tx,
  { customerId, amount, description }: { customerId: string; amount: number; description: string },
): void {
  if (amount === 0) return;
  const item = addInvoiceItem(tx, {
    ...{ customerId, description, unitAmount: amount },
    ...{ type: 'credit', kind: 'unused', quantity: 1 },
  });
  tellInvoiceItem(tx, item);
}

/** Sees to the rest of the paid periods of a subscription that has ended. */
export async function settleUnused(
  tx: Tx,
  contracted: Contracted,
  { unused, amount }: { unused: NonNullable<EndTerms['unused']>; amount: Cents },
): Promise<void> {
  if (unused === 'credit') return leaveCredit(tx, contracted, amount);
  if (unused === 'none' || amount === 0) return;
  const { customerId } = contracted.subscription;
  const left = await refundLast(tx, contracted, amount);
  addCredit(tx, {
    customerId,
    amount: left,
    description: `Dias não usados de ${contracted.items[0].price.productName}`,
  });
}

/** A buyer may withdraw for so long after the first payment (docs/product/subscriptions.md#withdrawal). */
const WITHDRAWAL = 7 * DAY;

const findFirstPayment = statement<{ paidAt: Timestamp | null }>(
  'find_first_payment_of_subscription',
  `SELECT min(i.paid_at) AS "paidAt" FROM invoice i WHERE ${mine('i')} AND i.subscription_id = :id AND i.paid_at IS NOT NULL`,
);

export async function refuseLateWithdrawal(tx: Tx, { subscription: { id } }: Contracted): Promise<void> {
  const [{ paidAt } = { paidAt: null }] = await tx.query(findFirstPayment, { id });
  if (paidAt !== null && tx.now <= paidAt + WITHDRAWAL) return;
  const since = paidAt === null ? 'was never paid' : `was first paid at ${paidAt}`;
  throw new BillingError('INVALID_STATE', { message: `${id} ${since}: a withdrawal is for the 7 days after that` });
}

/** Returns all that was paid for a subscription. */
export async function refundWhole(tx: Tx, { subscription: { id } }: Contracted): Promise<void> {
  for (const payment of await tx.query(findPayments, { id })) {
    giveBackOf(tx, await lockRefundBook(tx, payment), Number.POSITIVE_INFINITY);
  }
}
