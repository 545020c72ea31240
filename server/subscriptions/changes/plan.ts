import { BillingError, invalidParameter } from '../../kernel/errors.ts';
import { type Cents, cents } from '../../kernel/money.ts';
import { daysGone, periodDays } from '../days.ts';
import { decide, type Items, periodOfCycle } from '../decide.ts';
import type { Subscription } from '../entity.ts';
import { restOf } from '../proration.ts';
import { renewsOtherwise } from '../recurrence.ts';
import type { Contracted } from '../rows.ts';
import { cyclePeriod } from '../rules.ts';
import { changedItems, refuseUnlessChanging } from './items.ts';
import { planLater } from './later.ts';
import { penaltyOfChange } from './minimum.ts';
import {
  type ChangeAsked,
  type KnownBill,
  netOf,
  type PlannedChange,
  type Proration,
  refuseWhileAwaiting,
} from './planned.ts';
import { termsOf } from './scheduled.ts';

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

function momentOf(
  contracted: Contracted,
  after: Items,
  { effective, proration, current }: NearAsked,
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

function prorate(contracted: Contracted, after: Items, { now, current }: NearAsked): Proration | null {
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
function prorateAhead(contracted: Contracted, after: Items, { ahead }: NearAsked): Proration | null {
  const { aheadNet } = contracted.subscription;
  if (ahead === null || !ahead.isPaid || aheadNet == null) return null;
  const { items } = termsOf({ ...contracted, items: after }, contracted.subscription.billedCycle);
  const net = netOf(contracted, items, ahead.number);
  return net === aheadNet ? null : { charge: net, credit: cents(aheadNet), net };
}

/** A change that the next period is paid for already has to hold first. */
function refuseUnlessFree({ subscription, scheduled: { later } }: Contracted, ahead: KnownBill | null): void {
  const next = later.find(({ change }) => change.effective === 'period_end');
  if (next === undefined || ahead?.isPaid !== true || (next.change.cycle ?? 0) > subscription.billedCycle) return;
  throw new BillingError('INVALID_STATE', {
    message: `${next.change.id} is paid for and holds from ${next.change.effectiveAt}: a change for a later cycle waits until then`,
  });
}

/** The rest of the current period, and the next one where that is paid. */
function creditOf({ subscription }: Contracted, { now, current, ahead }: NearAsked): Cents {
  const days = periodDays(subscription);
  const isCharged = current !== null && subscription.periodNet != null && days > 0;
  const rest = isCharged ? restOf(cents(subscription.periodNet ?? 0), { gone: daysGone(subscription, now), days }) : 0;
  return cents(rest + (ahead?.isPaid === true ? (subscription.aheadNet ?? 0) : 0));
}

/** A change of the interval now: a new first period begins, and what is left of the former one is credited (docs/product/subscriptions.md#another-interval). */
function planAnew(contracted: Contracted, after: Items, wanted: NearAsked): PlannedChange {
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
    ...{ effective: 'now', effectiveAt: now, cycle: null, proration, penalty: cents(0), before, after, ahead: null },
    current: { charge: net, credit: creditOf(contracted, wanted), net },
    anew: { cycle, bill, decision, period: cyclePeriod(now, after[0].price, 0) },
  };
}

/** Decides a change as it stands now: its preview and the change itself are both this (docs/product/subscriptions.md#changes). */
export function planChange(contracted: Contracted, wanted: ChangeAsked): PlannedChange {
  refuseUnlessOpen(contracted.subscription);
  refuseWhileAwaiting(contracted);
  const { effective, ...rest } = wanted;
  return typeof effective === 'object'
    ? planLater(contracted, { ...rest, cycle: effective.cycle })
    : planNear(contracted, { ...rest, effective });
}

type NearAsked = Omit<ChangeAsked, 'effective'> & { readonly effective: 'now' | 'period_end' | undefined };

/** A change now, or at the end of the period. */
function planNear(contracted: Contracted, wanted: NearAsked): PlannedChange {
  const { subscription, items: before } = contracted;
  const { prices, now, proration = 'next_invoice', ahead } = wanted;
  const after = changedItems(before, wanted.asked, { prices, now });
  refuseUnlessChanging(before, after);
  const penalty = penaltyOfChange(contracted, { before, after, now, penalty: wanted.penalty });
  const effective = momentOf(contracted, after, wanted);
  if (effective === 'period_end') {
    refuseUnlessFree(contracted, ahead);
    const cycle = (ahead?.isPaid === true ? subscription.billedCycle : subscription.cycle) + 1;
    const effectiveAt = periodOfCycle(termsOf(contracted, cycle - 1), cycle - 1).end;
    return {
      ...{ effective, effectiveAt, cycle, proration: 'none', penalty, before, after },
      ...{ current: null, ahead: null, anew: null },
    };
  }
  if (renewsOtherwise(before[0].price, after[0].price) && !isBefore(subscription))
    return planAnew(contracted, after, wanted);
  const isCharged = proration !== 'none';
  return {
    ...{ effective, effectiveAt: now, cycle: null, proration, penalty, before, after },
    current: isCharged ? prorate(contracted, after, wanted) : null,
    ahead: isCharged ? prorateAhead(contracted, after, wanted) : null,
    anew: null,
  };
}
