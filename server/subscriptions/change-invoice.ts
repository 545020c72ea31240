import type { SubscriptionChange as ChangeView } from '../../contract/subscription-changes.ts';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { addInvoiceItem, type NewInvoiceItem, takeFrom, tellInvoiceItem } from '../invoice-items/pending.ts';
import { type Bill, issue } from '../invoices/life.ts';
import { NO_REMINDERS } from '../invoices/rules.ts';
import { cents } from '../kernel/money.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import { type OpenedCharge, seeThrough } from '../payments/card/attempts.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { chargeAtOnce } from './billing/renew.ts';
import { beginAnew } from './changes/anew.ts';
import { itemsOfChange } from './changes/pending.ts';
import { moneyOf, type PlannedChange } from './changes/planned.ts';
import { discountOfBill } from './discounts.ts';
import type { SubscriptionChange } from './entity.ts';
import { type Contracted, changeItems, changes } from './rows.ts';
import type { Period } from './rules.ts';
import { billedTo, lockRenewal, type RenewalTerms } from './terms.ts';
import { viewChange, viewSubscription } from './view.ts';

/** A change that was asked for, and the charge that it waits for. */
export interface MadeChange {
  readonly change: ChangeView;
  /** Null: nothing is charged within the request. */
  readonly opened: OpenedCharge | null;
}

/** A change waits so long for its payment, and not beyond its period (docs/product/subscriptions.md#changes). */
const AWAITED = DAY;

/** When a change lapses that is asked for now. */
export const lapsesAt = (tx: Tx, { subscription }: Contracted): Timestamp =>
  Math.min(tx.now + AWAITED, subscription.currentPeriodEnd ?? Number.POSITIVE_INFINITY);

const lineOf = (item: NewInvoiceItem): Bill['lineItems'] => {
  const { type, priceId, itemId, periodStart: start, periodEnd: end } = item;
  if (type !== 'charge' || priceId == null) return [];
  return [
    {
      ...{ price: priceId, quantity: item.quantity, unitAmount: item.unitAmount, description: item.description },
      kind: 'proration',
      ...(itemId != null && { item: itemId }),
      ...(start != null && end != null && { period: { start, end } }),
    },
  ];
};

const creditOf = ({ type, unitAmount: amount, description }: NewInvoiceItem): NonNullable<Bill['credits']> =>
  type === 'credit' ? [{ item: '', type: 'proration', amount, description }] : [];

interface Asking {
  readonly change: SubscriptionChange;
  readonly planned: PlannedChange;
  /** The next period, where that was billed ahead. */
  readonly ahead: Period | null;
}

/** What the invoice of a change asks for: its charges, or the bill of the period that it begins. */
function contentsOf(
  contracted: Contracted,
  { planned, ahead }: Asking,
): Pick<Bill, 'lineItems' | 'discounts' | 'credits'> {
  const items = itemsOfChange(contracted, planned, ahead);
  const credits = items.flatMap(creditOf);
  if (planned.anew === null) return { lineItems: items.flatMap(lineOf), discounts: [], credits };
  const { lines, applied } = planned.anew.decision;
  return { lineItems: lines, discounts: applied.map(discountOfBill), credits };
}

/** The invoice of the change alone: what else waits for a bill waits on. */
function billOf(contracted: Contracted, asking: Asking, terms: RenewalTerms): Bill {
  const { subscription } = contracted;
  const { change, planned } = asking;
  return {
    id: change.invoiceId ?? '',
    buyer: billedTo(subscription, terms),
    ...contentsOf(contracted, asking),
    total: cents(Math.max(0, moneyOf(planned).total)),
    dueAt: change.lapsesAt ?? planned.effectiveAt,
    cycle: {
      subscriptionId: subscription.id,
      // The payment says which cycle it begins.
      ...{ number: null, bill: null, period: null },
      billingReason: 'subscription_change',
      collection: 'awaited',
      lateFees: subscription.lateFees ?? null,
      ownDays: subscription.ownDays ?? null,
      reminders: NO_REMINDERS,
    },
  };
}

const readInstallments = statement<Pick<RenewalTerms, 'cardInstallmentsEnabled' | 'maxCardInstallments'>>(
  'read_installments_of_price',
  `SELECT q.card_installments_enabled AS "cardInstallmentsEnabled", q.max_card_installments AS "maxCardInstallments"
   FROM price q WHERE ${mine('q')} AND q.id = :id`,
);

/** The terms of a change hold once its invoice is paid; a stored card is charged for it within the request. */
export async function askForPayment(tx: Tx, contracted: Contracted, asking: Asking): Promise<MadeChange> {
  const { subscription, scheduled } = contracted;
  const { change, planned } = asking;
  const { terms } = await lockRenewal(tx, subscription.id);
  const invoice = issue(tx, billOf(contracted, asking, terms));
  subscription.latestInvoiceId = invoice.id;
  subscription.changeLapsesAt = change.lapsesAt;
  scheduled.awaiting = { change, prices: planned.after.map(({ price }) => price) };
  tx.record('subscription.updated', viewSubscription(tx, contracted));
  if (subscription.paymentMethodType !== 'card' || terms.card === null)
    return { change: tx.answer(viewChange(change)), opened: null };
  const [installments] = await tx.query(readInstallments, { id: planned.after[0].price.id });
  const opened = chargeAtOnce(
    tx,
    { ...contracted, items: planned.after },
    { invoice, terms: { ...terms, ...installments } },
  );
  // Its outcome is part of the answer, also of a repeated request.
  tx.lease(opened.attempt.id);
  return { change: viewChange(change), opened };
}

/** A period of another interval begins that the credit of the former one pays; what is left of the credit waits for the bills to come. */
export async function beginFree(tx: Tx, contracted: Contracted, asking: Asking): Promise<MadeChange> {
  const { subscription, credit } = contracted;
  const { change, planned } = asking;
  const { terms } = await lockRenewal(tx, subscription.id);
  const bill = billOf(contracted, asking, terms);
  const net = planned.current?.net ?? cents(0);
  const left = itemsOfChange(contracted, planned, asking.ahead).flatMap((item) =>
    item.type === 'credit' ? [addInvoiceItem(tx, item)] : [],
  );
  const credits = (bill.credits ?? []).map((used, index) => ({ ...used, amount: net, item: left[index]?.id ?? '' }));
  for (const item of left) {
    takeFrom(item, { amount: net, invoiceId: bill.id });
    credit.left += item.amount - item.used;
  }
  const period = beginAnew(contracted, { items: planned.after, at: tx.now, net });
  const { cycle: number, bills } = subscription;
  subscription.latestInvoiceId = bill.id;
  const cycle = bill.cycle === null ? null : { ...bill.cycle, number, bill: bills, period };
  issue(tx, { ...bill, credits: credits.filter(({ amount }) => amount > 0), cycle });
  const changed = viewSubscription(tx, await changeItems(tx, contracted, { items: planned.after }));
  tx.record('subscription.changed', changed);
  tx.record('subscription.period_started', changed);
  for (const item of left) tellInvoiceItem(tx, item);
  return { change: tx.answer(viewChange(change)), opened: null };
}

/** The change as the outcome of its charge leaves it: declined, or while nobody knows, it waits for payment. */
const answerChange = async (tx: Tx, id: string): Promise<ChangeView> =>
  tx.answer(viewChange(await tx.lock(changes, id)));

/** Sends the charge of a change, and answers the change with what came of it. */
export async function seeChangeThrough(deps: Deps, scope: Scope, { change, opened }: MadeChange): Promise<ChangeView> {
  if (opened === null) return change;
  const seen = await seeThrough(deps, scope, opened, (tx) => answerChange(tx, change.id));
  return seen ?? deps.transaction(scope, (tx) => answerChange(tx, change.id));
}

const findOfAttempt = statement<{ id: string }>(
  'find_change_of_attempt',
  `SELECT g.id FROM charge_attempt c JOIN subscription_change g ON g.invoice_id = c.invoice_id WHERE c.id = :attemptId AND ${mine('c')}`,
);

/** Answers a repeated request the change that its first run made, and charges nothing (docs/product/requests.md#idempotency). */
export const answerFormer = (deps: Deps, scope: Scope, attemptId: string): Promise<ChangeView> =>
  deps.transaction(scope, async (tx) => {
    const [found] = await tx.query(findOfAttempt, { attemptId });
    if (found === undefined) throw new Error(`the attempt ${attemptId} of a repeated request is of no change`);
    return answerChange(tx, found.id);
  });
