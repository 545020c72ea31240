import type { Deps } from '../../deps.ts';
import type { InvoiceItem } from '../../invoice-items/entity.ts';
import { lockInvoiceItems } from '../../invoice-items/pending.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { type Bill, type BilledCycle, issue } from '../../invoices/life.ts';
import { NO_REMINDERS } from '../../invoices/rules.ts';
import { newId } from '../../kernel/ids.ts';
import { type Cents, cents } from '../../kernel/money.ts';
import type { Timestamp } from '../../kernel/time.ts';
import {
  type OpenedCharge,
  openScheduled,
  type ScheduledOutcome,
  sendScheduled,
} from '../../payments/card/attempts.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { beginPeriod } from '../activation.ts';
import { applyScheduled, termsOf } from '../changes/scheduled.ts';
import { decide, periodOfCycle } from '../decide.ts';
import { discountOfBill } from '../discounts.ts';
import type { Contracted } from '../rows.ts';
import { type DueKind, isPaidByHand, nextDue } from '../rules.ts';
import { takeDecided } from '../taking.ts';
import { billedTo, installmentsOf, lockRenewal, type RenewalTerms } from '../terms.ts';
import { viewSubscription } from '../view.ts';

/** Whether this is what is due of a subscription now: somebody else may have done it. */
export function isDueNow(tx: Tx, { subscription }: Contracted, due: DueKind): boolean {
  const next = nextDue(subscription);
  return next?.due === due && next.at <= tx.now;
}

/** Begins the next cycle, whether it is paid or not. */
export async function startPeriod(tx: Tx, contracted: Contracted): Promise<void> {
  tellPeriod(tx, await enterPeriod(tx, contracted));
}

/** The next cycle begins, and with it a change that waited for it. */
async function enterPeriod(tx: Tx, former: Contracted): Promise<Contracted> {
  const contracted = await applyScheduled(tx, former, former.subscription.cycle + 1);
  beginPeriod(contracted);
  return contracted;
}

/** It shows the invoice of its cycle, which so is known before. */
const tellPeriod = (tx: Tx, contracted: Contracted): void =>
  tx.record('subscription.period_started', viewSubscription(tx, contracted));

/** What waits for a bill of a subscription; mostly there is nothing, which its terms say. */
export const pendingOf = async (
  tx: Tx,
  { contracted: { subscription }, terms }: { contracted: Contracted; terms: RenewalTerms },
): Promise<InvoiceItem[]> =>
  terms.hasPending
    ? lockInvoiceItems(tx, {
        customerId: subscription.customerId,
        subscriptionId: subscription.id,
        takesLate: isPaidByHand(subscription),
      })
    : [];

/** The bill of a cycle that begins by itself, paid or not. */
export function billOfRenewal(
  contracted: Contracted,
  {
    cycle,
    terms,
    pending,
    reminders = 0,
  }: {
    cycle: number;
    terms: RenewalTerms;
    pending: readonly InvoiceItem[];
    reminders?: number;
  },
): ReturnType<typeof billOfCycle> {
  const { subscription } = contracted;
  const { items, subscription: anchored } = termsOf(contracted, cycle);
  const period = periodOfCycle({ items, subscription: anchored }, cycle);
  return billOfCycle(
    { ...contracted, items },
    {
      number: cycle,
      billingReason: subscription.bills === 0 ? 'subscription_create' : 'subscription_cycle',
      buyer: billedTo(subscription, terms),
      dueAt: period.start,
      period,
      collection: 'renewal',
      reminders,
      pending,
    },
  );
}

/** `free`: there was nothing to charge. */
export type RenewalOutcome = ScheduledOutcome | 'free' | 'not_due';

/** Begins the next cycle of a subscription that is paid by card, bills it and charges it (docs/product/subscriptions.md#renewal-by-card). */
export async function renewByCard(deps: Deps, scope: Scope, id: string): Promise<RenewalOutcome> {
  const renewal = await deps.grouped(scope, id, (tx) => openRenewal(tx, id));
  if (renewal === null) return 'not_due';
  return renewal.opened === null ? 'free' : sendScheduled(deps, scope, renewal.opened);
}

async function openRenewal(tx: Tx, id: string): Promise<{ opened: OpenedCharge | null } | null> {
  const { contracted: former, terms } = await lockRenewal(tx, id);
  if (!isDueNow(tx, former, 'renew')) return null;
  const pending = await pendingOf(tx, { contracted: former, terms });
  const contracted = await enterPeriod(tx, former);
  const { cycle } = contracted.subscription;
  const bill = billOfRenewal(contracted, { cycle, terms, pending, reminders: NO_REMINDERS });
  tellPeriod(tx, contracted);
  const invoice = issue(tx, bill);
  return { opened: invoice.status === 'open' ? chargeAtOnce(tx, contracted, { invoice, terms }) : null };
}

/** The first charge of the schedule, made with its invoice. */
export function chargeAtOnce(
  tx: Tx,
  contracted: Contracted,
  { invoice, terms }: { invoice: Invoice; terms: RenewalTerms },
): OpenedCharge {
  const { card } = terms;
  if (card === null) throw new Error(`the card of ${contracted.subscription.id} is not in our books`);
  const installments = installmentsOf(contracted, terms, cents(invoice.total));
  return openScheduled(tx, invoice, { card, installments });
}

/** What a cycle is billed as. */
interface CycleBill
  extends Omit<BilledCycle, 'subscriptionId' | 'bill' | 'reminders' | 'number' | 'lateFees' | 'ownDays'> {
  readonly number: number;
  readonly buyer: Bill['buyer'];
  readonly dueAt: Timestamp;
  /** Reminders that are not to be sent. */
  readonly reminders?: number;
  /** What waits for it, until the transaction ends; what another bill of it has taken since is left out. */
  readonly pending: readonly InvoiceItem[];
}

/** What the invoice of a cycle is made of, and what recurs of it, less its discounts. */
interface CycleInvoice extends Bill {
  readonly cycle: BilledCycle;
  readonly net: Cents;
}

/** What the invoice of a cycle is made of: what is decided of it now. It takes what waited for it. */
export function billOfCycle(
  contracted: Contracted,
  { buyer, dueAt, pending: found, reminders = 0, ...cycle }: CycleBill,
): CycleInvoice {
  const pending = found.filter(({ status }) => status === 'pending');
  const { subscription, items } = contracted;
  const { lateFees = null, ownDays = null } = subscription;
  const bill = subscription.bills + 1;
  const decision = decide({ items, discounts: subscription.discounts, bill, pending });
  const { lines, applied, credits, total } = decision;
  const id = newId('in');
  takeDecided(contracted, { decision, pending, invoiceId: id });
  if (cycle.number === subscription.cycle) subscription.periodNet = decision.net;
  else subscription.aheadNet = decision.net;
  subscription.bills = bill;
  subscription.billedCycle = cycle.number;
  subscription.latestInvoiceId = id;
  return {
    ...{ id, buyer, dueAt, total, net: decision.net },
    lineItems: lines,
    discounts: applied.map(discountOfBill),
    credits,
    cycle: { ...cycle, subscriptionId: subscription.id, bill, reminders, lateFees, ownDays },
  };
}
