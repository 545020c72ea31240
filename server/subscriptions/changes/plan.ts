import type { ChangeInput } from '../../../contract/subscription-changes.ts';
import type { Prices } from '../../catalog/lookup.ts';
import { civilDaysBetween } from '../../kernel/brazil.ts';
import { BillingError, invalidParameter } from '../../kernel/errors.ts';
import { type Cents, cents } from '../../kernel/money.ts';
import type { Timestamp } from '../../kernel/time.ts';
import { daysGone, periodDays } from '../days.ts';
import { type Decision, decide, type Items, periodOfCycle } from '../decide.ts';
import type { AskedItem, Subscription } from '../entity.ts';
import { termEnd } from '../penalty.ts';
import { restOf } from '../proration.ts';
import { renewsOtherwise } from '../recurrence.ts';
import type { Contracted } from '../rows.ts';
import { cyclePeriod, type Period } from '../rules.ts';
import { changedItems, refuseUnlessChanging } from './items.ts';
import { termsOf } from './scheduled.ts';

/** A bill of a subscription, as far as a change asks. */
export interface KnownBill {
  readonly isPaid: boolean;
  readonly isOpen: boolean;
  /** Its number among the bills of the subscription. */
  readonly number: number;
}

/** What a change is decided by. */
export interface ChangeAsked extends Pick<ChangeInput, 'effective' | 'proration'> {
  readonly asked: readonly AskedItem[];
  readonly prices: Prices;
  readonly now: Timestamp;
  /** That of the current period; null: there is none. */
  readonly current: KnownBill | null;
  /** That of the next period, where it was made already. */
  readonly ahead: KnownBill | null;
}

/** What a change charges and credits. */
export interface Proration {
  readonly charge: Cents;
  readonly credit: Cents;
  /** What is charged for the whole period from then on. */
  readonly net: Cents;
}

/** A change as it was decided. */
export interface PlannedChange {
  readonly effective: 'now' | 'period_end';
  readonly effectiveAt: Timestamp;
  /** The cycle with which it begins to hold; null: it holds at once. */
  readonly cycle: number | null;
  readonly proration: 'next_invoice' | 'invoice_now' | 'none';
  readonly before: Items;
  readonly after: Items;
  /** Of the rest of the current period; null: no money moves. */
  readonly current: Proration | null;
  /** Of the next period, where that was billed ahead and paid. */
  readonly ahead: Proration | null;
  /** The first period of another interval, which begins with it; null: the current period goes on. */
  readonly anew: NewPeriod | null;
}

/** A period that a change begins. */
export interface NewPeriod {
  readonly cycle: number;
  readonly period: Period;
  /** Its number among the bills. */
  readonly bill: number;
  /** What its bill comes to, before the credit of the former period. */
  readonly decision: Decision;
}

const netOf = ({ subscription }: Contracted, items: Items, bill: number): Cents =>
  decide({ items, discounts: subscription.discounts, bill, pending: [] }).net;

/** One change at a time waits for its payment. */
export function refuseWhileAwaiting({ subscription: { id }, scheduled: { awaiting } }: Contracted): void {
  if (awaiting === null) return;
  const { id: change, invoiceId } = awaiting.change;
  throw new BillingError('CHANGE_PENDING', {
    message: `${change} of ${id} waits for the payment of ${invoiceId}: take it back by DELETE /api/v1/subscriptions/${id}/changes/${change}, or wait until it is paid or lapses`,
  });
}

/** Before the first cycle nothing was charged: a change holds at once, and moves no money. A bill that waits for the first payment is made anew. */
const isBefore = ({ status, cycle }: Subscription): boolean =>
  status === 'scheduled' || status === 'trialing' || (status === 'pending' && cycle === 0);

function refuseUnlessOpen(subscription: Subscription): void {
  const { id, status, cancelAt } = subscription;
  if (status !== 'active' && status !== 'paused' && !isBefore(subscription))
    throw new BillingError('INVALID_STATE', { message: `${id} is ${status}: what it bills cannot be changed` });
  if (cancelAt != null)
    throw new BillingError('INVALID_STATE', {
      message: `${id} ends at ${cancelAt}: take that back by POST /api/v1/subscriptions/${id}/uncancel before it is changed`,
    });
}

/** Within a minimum term a change may not bring less a day (docs/product/subscriptions.md#minimum-term). */
function refuseLessInTerm(contracted: Contracted, after: Items, now: Timestamp): void {
  const { subscription, items: before } = contracted;
  if (subscription.termDays == null) return;
  const bill = subscription.bills + 1;
  const daysOf = ([{ price }]: Items): number => {
    const { start, end } = cyclePeriod(now, price, 0);
    return civilDaysBetween(start, end);
  };
  if (netOf(contracted, after, bill) * daysOf(before) >= netOf(contracted, before, bill) * daysOf(after)) return;
  throw new BillingError('INVALID_STATE', {
    message: `${subscription.id} is in its minimum term until ${termEnd(contracted)}: until then it is not changed to bill less`,
  });
}

function momentOf(
  contracted: Contracted,
  after: Items,
  { effective, proration, current }: ChangeAsked,
): 'now' | 'period_end' {
  const { subscription, items } = contracted;
  if (isBefore(subscription)) {
    if (effective !== 'period_end') return 'now';
    const message = `effective must be now of a subscription that is ${subscription.status}, got period_end`;
    throw invalidParameter('effective', message);
  }
  const isOtherInterval = renewsOtherwise(items[0].price, after[0].price);
  if (effective === 'now' && subscription.status === 'paused')
    throw invalidParameter('effective', 'effective must be period_end of a change of a paused subscription, got now');
  if (effective !== undefined) return effective;
  if (subscription.status === 'paused' || current === null) return 'period_end';
  if (isOtherInterval) return proration === 'invoice_now' ? 'now' : 'period_end';
  return netOf(contracted, after, current.number) >= netOf(contracted, items, current.number) ? 'now' : 'period_end';
}

/** Nothing is credited that was not paid. */
function refuseUnlessPaid({ id }: Subscription, current: KnownBill | null): void {
  if (current === null || current.isPaid) return;
  throw new BillingError('INVOICE_UNPAID', {
    message: `the bill of the current period of ${id} is not paid: a change that credits it waits for the period's end`,
  });
}

function prorate(contracted: Contracted, after: Items, { now, current }: ChangeAsked): Proration | null {
  const { subscription } = contracted;
  const days = periodDays(subscription);
  if (current === null || subscription.periodNet == null || days === 0) return null;
  const gone = daysGone(subscription, now);
  const net = netOf(contracted, after, current.number);
  const charge = restOf(net, { gone, days });
  const credit = restOf(cents(subscription.periodNet), { gone, days });
  if (charge < credit) refuseUnlessPaid(subscription, current);
  return { charge, credit, net };
}

/** The next period was paid already: all of it is charged and credited, unless a change that waits for it comes to the same. */
function prorateAhead(contracted: Contracted, after: Items, { ahead }: ChangeAsked): Proration | null {
  const { aheadNet } = contracted.subscription;
  if (ahead === null || !ahead.isPaid || aheadNet == null) return null;
  const { items } = termsOf({ ...contracted, items: after }, contracted.subscription.billedCycle);
  const net = netOf(contracted, items, ahead.number);
  return net === aheadNet ? null : { charge: net, credit: cents(aheadNet), net };
}

/** A change that the next period is paid for already has to hold first. */
function refuseUnlessFree({ subscription, scheduled: { next } }: Contracted, ahead: KnownBill | null): void {
  if (next === null || ahead?.isPaid !== true || (next.change.cycle ?? 0) > subscription.billedCycle) return;
  throw new BillingError('INVALID_STATE', {
    message: `${next.change.id} is paid for and holds from ${next.change.effectiveAt}: a change for a later cycle waits until then`,
  });
}

/** The rest of the current period, and the next one where that is paid. */
function creditOf({ subscription }: Contracted, { now, current, ahead }: ChangeAsked): Cents {
  const days = periodDays(subscription);
  const isCharged = current !== null && subscription.periodNet != null && days > 0;
  const rest = isCharged ? restOf(cents(subscription.periodNet ?? 0), { gone: daysGone(subscription, now), days }) : 0;
  return cents(rest + (ahead?.isPaid === true ? (subscription.aheadNet ?? 0) : 0));
}

/** A change of the interval now: a new first period begins, and what is left of the former one is credited (docs/product/subscriptions.md#another-interval). */
function planAnew(contracted: Contracted, after: Items, wanted: ChangeAsked): PlannedChange {
  const { subscription, items: before } = contracted;
  const { now, proration = 'invoice_now', current, ahead } = wanted;
  if (proration !== 'invoice_now')
    throw invalidParameter(
      'proration',
      `proration must be invoice_now of a change of the interval now, got ${proration}`,
    );
  if (subscription.pausedAt != null)
    throw new BillingError('INVALID_STATE', {
      message: `${subscription.id} is to be paused: take that back by POST /api/v1/subscriptions/${subscription.id}/resume before its interval changes now`,
    });
  refuseUnlessPaid(subscription, current);
  // A bill that was made ahead and is open is voided.
  const isAhead = ahead !== null && !ahead.isOpen;
  const bill = subscription.bills + (ahead?.isOpen === true ? 0 : 1);
  const cycle = (isAhead ? subscription.billedCycle : subscription.cycle) + 1;
  const decision = decide({ items: after, discounts: subscription.discounts, bill, pending: [] });
  const { net } = decision;
  return {
    ...{ effective: 'now', effectiveAt: now, cycle: null, proration, before, after, ahead: null },
    current: { charge: net, credit: creditOf(contracted, wanted), net },
    anew: { cycle, bill, decision, period: cyclePeriod(now, after[0].price, 0) },
  };
}

/** Decides a change as it stands now: its preview and the change itself are both this (docs/product/subscriptions.md#changes). */
export function planChange(contracted: Contracted, wanted: ChangeAsked): PlannedChange {
  const { subscription, items: before } = contracted;
  refuseUnlessOpen(subscription);
  refuseWhileAwaiting(contracted);
  const { prices, now, proration = 'next_invoice', ahead } = wanted;
  const after = changedItems(before, wanted.asked, { prices, now });
  refuseUnlessChanging(before, after);
  refuseLessInTerm(contracted, after, now);
  const effective = momentOf(contracted, after, wanted);
  if (effective === 'period_end') {
    refuseUnlessFree(contracted, ahead);
    const cycle = (ahead?.isPaid === true ? subscription.billedCycle : subscription.cycle) + 1;
    const effectiveAt = periodOfCycle(termsOf(contracted, cycle - 1), cycle - 1).end;
    return { effective, effectiveAt, cycle, proration: 'none', before, after, current: null, ahead: null, anew: null };
  }
  if (renewsOtherwise(before[0].price, after[0].price) && !isBefore(subscription))
    return planAnew(contracted, after, wanted);
  const isCharged = proration !== 'none';
  return {
    ...{ effective, effectiveAt: now, cycle: null, proration, before, after },
    current: isCharged ? prorate(contracted, after, wanted) : null,
    ahead: isCharged ? prorateAhead(contracted, after, wanted) : null,
    anew: null,
  };
}

/** Whether a change has an invoice of its own, and waits for its payment: not where nothing is left to pay. */
export const isInvoiced = (planned: PlannedChange): boolean =>
  planned.proration === 'invoice_now' && moneyOf(planned).total > 0;

/** Both periods together, in cents. */
export function moneyOf({ current, ahead }: PlannedChange): { charge: number; credit: number; total: number } {
  const charge = (current?.charge ?? 0) + (ahead?.charge ?? 0);
  const credit = (current?.credit ?? 0) + (ahead?.credit ?? 0);
  return { charge, credit, total: charge - credit };
}
