import type { Scope } from '../../db/tx.ts';
import type { Deps, Tx } from '../../deps.ts';
import { open, storeInvoice } from '../../invoices/create.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { cents } from '../../kernel/money.ts';
import type { OpenedCharge } from '../../payments/card/charge.ts';
import { openScheduled, type ScheduledOutcome, sendScheduled } from '../../payments/card/scheduled.ts';
import { maxCharges, NO_REMINDERS } from '../collection/rules.ts';
import { schedule } from '../collection/schedule.ts';
import { type Contracted, updateSubscription } from '../rows.ts';
import { cyclePeriod, type Period } from '../rules.ts';
import { viewSubscription } from '../view.ts';
import { billCycle } from './bill.ts';
import { type DueKind, nextDue } from './rules.ts';
import { installmentsOf, lockRenewal, type RenewalTerms } from './terms.ts';

/** Whether this is what is due of a subscription now: somebody else may have done it. */
export function isDueNow(tx: Tx, { subscription }: Contracted, due: DueKind): boolean {
  const next = nextDue(subscription);
  return next?.due === due && next.at <= tx.now;
}

const periodOf = ({ subscription, price }: Contracted, cycle: number): Period =>
  cyclePeriod(subscription.billingCycleAnchor, price, cycle - subscription.anchorCycle);

/** Begins the next cycle, whether it is paid or not. */
export function startPeriod(tx: Tx, contracted: Contracted): Period {
  const { subscription, price } = contracted;
  const period = periodOf(contracted, subscription.cycle + 1);
  subscription.cycle += 1;
  subscription.billedCycle = Math.max(subscription.billedCycle, subscription.cycle);
  subscription.currentPeriodStart = period.start;
  subscription.currentPeriodEnd = period.end;
  tx.record('subscription.period_started', viewSubscription(subscription, price));
  return period;
}

/** The invoice of a cycle after the first; the caller stores it. */
export async function billRenewal(
  tx: Tx,
  contracted: Contracted,
  { cycle, terms }: { cycle: number; terms: RenewalTerms },
): Promise<Invoice> {
  const { subscription } = contracted;
  const period = periodOf(contracted, cycle);
  const buyer = { id: subscription.customerId, name: terms.customerName, email: terms.customerEmail };
  const invoice = await billCycle(tx, contracted, {
    cycle,
    billingReason: 'subscription_cycle',
    buyer,
    dueAt: period.start,
    period,
    collection: 'renewal',
  });
  subscription.latestInvoiceId = invoice.id;
  open(tx, invoice, 'invoice.created');
  return invoice;
}

/** `free`: there was nothing to charge. */
export type RenewalOutcome = ScheduledOutcome | 'free' | 'not_due';

/** Begins the next cycle of a subscription that is paid by card, bills it and charges it (decisions §3, Subscription). */
export async function renewByCard(deps: Deps, scope: Scope, id: string): Promise<RenewalOutcome> {
  const renewal = await deps.transaction(scope, (tx) => openRenewal(tx, id));
  if (renewal === null) return 'not_due';
  await deps.failpoint?.('renewal.after-opening');
  return renewal.opened === null ? 'free' : sendScheduled(deps, scope, renewal.opened);
}

async function openRenewal(tx: Tx, id: string): Promise<{ opened: OpenedCharge | null } | null> {
  const { contracted, terms } = await lockRenewal(tx, id);
  if (!isDueNow(tx, contracted, 'renew')) return null;
  const { subscription } = contracted;
  startPeriod(tx, contracted);
  const invoice = await billRenewal(tx, contracted, { cycle: subscription.cycle, terms });
  invoice.reminders = NO_REMINDERS;
  const opened = chargeAtOnce(tx, contracted, { invoice, terms });
  // What comes of its charge schedules it.
  if (opened === null) schedule(invoice, tx.scope.account);
  storeInvoice(tx, invoice);
  updateSubscription(tx, subscription);
  return { opened };
}

/** The first charge of the schedule, made with its invoice. */
function chargeAtOnce(
  tx: Tx,
  contracted: Contracted,
  { invoice, terms }: { invoice: Invoice; terms: RenewalTerms },
): OpenedCharge | null {
  const { card } = terms;
  if (invoice.status !== 'open') return null;
  if (card === null) throw new Error(`the card of ${contracted.subscription.id} is not in our books`);
  const installments = installmentsOf(contracted, terms, cents(invoice.total));
  const attempt = openScheduled(tx, invoice, { card, installments, most: maxCharges(tx.scope.account) });
  invoice.charges += 1;
  return { attempt, token: card.token };
}
