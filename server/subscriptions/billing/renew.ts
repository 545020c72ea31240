import { statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { type Bill, type BilledCycle, issue } from '../../invoices/life.ts';
import { lineAmount, NO_REMINDERS } from '../../invoices/rules.ts';
import { newId } from '../../kernel/ids.ts';
import { cents } from '../../kernel/money.ts';
import type { Timestamp } from '../../kernel/time.ts';
import {
  type OpenedCharge,
  openScheduled,
  type ScheduledOutcome,
  sendScheduled,
} from '../../payments/card/attempts.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import type { Subscription } from '../entity.ts';
import type { Contracted } from '../rows.ts';
import { type AppliedDiscount, billOf, cyclePeriod, type DueKind, nextDue, type Period } from '../rules.ts';
import { installmentsOf, lockRenewal, type RenewalTerms } from '../terms.ts';
import { viewSubscription } from '../view.ts';

/** Whether this is what is due of a subscription now: somebody else may have done it. */
export function isDueNow(tx: Tx, { subscription }: Contracted, due: DueKind): boolean {
  const next = nextDue(subscription);
  return next?.due === due && next.at <= tx.now;
}

const periodOf = ({ subscription, price }: Contracted, cycle: number): Period =>
  cyclePeriod(subscription.billingCycleAnchor, price, cycle - subscription.anchorCycle);

/** Begins the next cycle, whether it is paid or not. */
export function startPeriod(tx: Tx, contracted: Contracted): void {
  enterPeriod(contracted);
  tellPeriod(tx, contracted);
}

function enterPeriod(contracted: Contracted): void {
  const { subscription } = contracted;
  const period = periodOf(contracted, subscription.cycle + 1);
  subscription.cycle += 1;
  subscription.billedCycle = Math.max(subscription.billedCycle, subscription.cycle);
  subscription.currentPeriodStart = period.start;
  subscription.currentPeriodEnd = period.end;
}

/** It shows the invoice of its cycle, which so is known before. */
const tellPeriod = (tx: Tx, { subscription, price }: Contracted): void =>
  tx.record('subscription.period_started', viewSubscription(tx, subscription, price));

/** The bill of a cycle after the first. */
export function billOfRenewal(
  tx: Tx,
  contracted: Contracted,
  { cycle, terms, reminders = 0 }: { cycle: number; terms: RenewalTerms; reminders?: number },
): ReturnType<typeof billOfCycle> {
  const { subscription } = contracted;
  const period = periodOf(contracted, cycle);
  return billOfCycle(tx, contracted, {
    number: cycle,
    billingReason: 'subscription_cycle',
    buyer: { id: subscription.customerId, name: terms.customerName, email: terms.customerEmail },
    dueAt: period.start,
    period,
    collection: 'renewal',
    reminders,
  });
}

/** `free`: there was nothing to charge. */
export type RenewalOutcome = ScheduledOutcome | 'free' | 'not_due';

/** Begins the next cycle of a subscription that is paid by card, bills it and charges it (docs/product/subscriptions.md#renewal-by-card). */
export async function renewByCard(deps: Deps, scope: Scope, id: string): Promise<RenewalOutcome> {
  const renewal = await deps.transaction(scope, (tx) => openRenewal(tx, id));
  if (renewal === null) return 'not_due';
  return renewal.opened === null ? 'free' : sendScheduled(deps, scope, renewal.opened);
}

async function openRenewal(tx: Tx, id: string): Promise<{ opened: OpenedCharge | null } | null> {
  const { contracted, terms } = await lockRenewal(tx, id);
  if (!isDueNow(tx, contracted, 'renew')) return null;
  enterPeriod(contracted);
  const { cycle } = contracted.subscription;
  const bill = await billOfRenewal(tx, contracted, { cycle, terms, reminders: NO_REMINDERS });
  tellPeriod(tx, contracted);
  const invoice = issue(tx, bill);
  return { opened: invoice.status === 'open' ? chargeAtOnce(tx, contracted, { invoice, terms }) : null };
}

/** The first charge of the schedule, made with its invoice. */
function chargeAtOnce(
  tx: Tx,
  contracted: Contracted,
  { invoice, terms }: { invoice: Invoice; terms: RenewalTerms },
): OpenedCharge {
  const { card } = terms;
  if (card === null) throw new Error(`the card of ${contracted.subscription.id} is not in our books`);
  const installments = installmentsOf(contracted, terms, cents(invoice.total));
  const attempt = openScheduled(tx, invoice, { card, installments });
  return { attempt, token: card.token, cvc: null };
}

/** What a cycle is billed as. */
interface CycleBill extends Omit<BilledCycle, 'subscriptionId' | 'reminders'> {
  readonly buyer: Bill['buyer'];
  readonly dueAt: Timestamp;
  /** Reminders that are not to be sent. */
  readonly reminders?: number;
}

/** What the invoice of a cycle is made of: the price in the quantity of now, less the discounts that still last. */
export async function billOfCycle(
  tx: Tx,
  { subscription, price }: Contracted,
  { buyer, dueAt, reminders = 0, ...cycle }: CycleBill,
): Promise<Bill & { readonly cycle: BilledCycle }> {
  const line = {
    price: price.id,
    quantity: subscription.quantity,
    unitAmount: price.unitAmount,
    description: price.productName,
  };
  const { applied, total } = billOf(lineAmount(line), subscription.discounts, await numberOf(tx, subscription));
  const id = newId('in');
  subscription.billedCycle = cycle.number;
  subscription.latestInvoiceId = id;
  const discounts = applied.map(asInvoiceDiscount);
  return {
    ...{ id, buyer, dueAt, discounts, total },
    lineItems: [line],
    cycle: { ...cycle, subscriptionId: subscription.id, reminders },
  };
}

const countBills = statement<{ bills: number }>(
  'count_bills_of_subscription',
  `SELECT count(*) AS bills FROM invoice WHERE subscription_id = :id`,
);

/** The number of the bill to come, the first being 1: cycles skip numbers after a suspension, and discounts count bills. */
async function numberOf(tx: Tx, { id, discounts, cycle }: Subscription): Promise<number> {
  const lasts = discounts.some((discount) => discount.cycles !== null);
  // The first invoice is made with its subscription, which is not stored before it.
  if (cycle === 0) return 1;
  if (!lasts) return cycle + 1;
  const [found] = await tx.query(countBills, { id });
  return (found?.bills ?? 0) + 1;
}

/** As the invoice shows it: a fixed one with what it took off. */
const asInvoiceDiscount = ({ discount, off }: AppliedDiscount): Invoice['discounts'][number] => ({
  type: discount.type,
  percentage: discount.percentage,
  amount_cents: discount.type === 'fixed' ? off : null,
  cycles: discount.cycles,
  description: null,
});
