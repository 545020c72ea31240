import type { SubscriptionPause } from '../../../contract/subscription-inputs.ts';
import type { Subscription as SubscriptionView } from '../../../contract/subscriptions.ts';
import type { Deps } from '../../deps.ts';
import { civilDaysBetween, civilDaysLater } from '../../kernel/brazil.ts';
import { BillingError, invalidParameter } from '../../kernel/errors.ts';
import { DAY, type Timestamp } from '../../kernel/time.ts';
import { paymentConfirmed } from '../../payments/intents/book.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from '../../payments/pix/ending.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { refuseWhileAwaiting } from '../changes/planned.ts';
import { isOverdue } from '../collection/overdue.ts';
import { daysToServe, periodDays } from '../days.ts';
import type { Subscription } from '../entity.ts';
import { type Contracted, forgetPause, lockSubscription } from '../rows.ts';
import { nextSubscriptionStatus } from '../rules.ts';
import { viewSubscription } from '../view.ts';
import { endOfPaid, lockAhead, withdraw } from './ahead.ts';

/** A pause that ends by itself lasts at most a year. */
const PAUSE_DAYS_MAX = 365;

/** Pauses a subscription, or says that it is paused once its period is over (docs/product/subscriptions.md#pause). */
export const pauseSubscription = (
  deps: Deps,
  scope: Scope,
  { id, at = 'now', resumes_at: resumesAt }: SubscriptionPause & { id: string },
): Promise<SubscriptionView> =>
  endingQrs(deps, scope, {
    of: id,
    change: async (tx, ended) => {
      const contracted = await lockSubscription(tx, id);
      const asked = { at, resumesAt: resumesAt ?? null, ended };
      return (await plan(tx, contracted, asked)) ?? tx.answer(viewSubscription(tx, contracted));
    },
    whenPaid: paymentConfirmed,
    whenSilent: 'change',
  });

interface AskedPause {
  readonly at: 'now' | 'period_end';
  readonly resumesAt: Timestamp | null;
  readonly ended: EndedQrs;
}

/** Null: it is paused, or it is said when. */
async function plan(tx: Tx, contracted: Contracted, { at, resumesAt, ended }: AskedPause): Promise<QrsInTheWay | null> {
  const { subscription } = contracted;
  await refuseUnlessPausable(tx, subscription);
  refuseWhileAwaiting(contracted);
  const ahead = await lockAhead(tx, contracted);
  const periodEnd = subscription.currentPeriodEnd ?? tx.now;
  const since = at === 'now' ? tx.now : endOfPaid(contracted, { ahead, periodEnd });
  refuseUnlessBefore(subscription, since);
  if (resumesAt !== null) refuseUnlessSoonAfter(since, resumesAt);
  if (ahead !== null && since <= periodEnd) {
    const inTheWay = withdraw(tx, contracted, { ahead, ended });
    if (inTheWay !== null) return inTheWay;
  }
  const isSaid = subscription.pausedAt === since && (subscription.resumesAt ?? null) === resumesAt;
  subscription.pausedAt = since;
  subscription.resumesAt = resumesAt;
  if (at === 'now') beginPause(tx, contracted, since);
  else if (!isSaid) tx.record('subscription.updated', viewSubscription(tx, contracted));
  return null;
}

async function refuseUnlessPausable(tx: Tx, subscription: Subscription): Promise<void> {
  const { id, status } = subscription;
  if (status !== 'active')
    throw new BillingError('INVALID_STATE', { message: `${id} is ${status}: only an active subscription is paused` });
  if (await isOverdue(tx, id))
    throw new BillingError('INVALID_STATE', {
      message: `${id} has an overdue invoice: it is paused once that is paid`,
    });
}

/** One that ends with its period, or before the pause would begin, has none to come. */
function refuseUnlessBefore({ id, cancelAt, cancelAtPeriodEnd }: Subscription, since: Timestamp): void {
  if (cancelAt == null || (!cancelAtPeriodEnd && cancelAt > since)) return;
  throw new BillingError('INVALID_STATE', {
    message: `${id} ends at ${cancelAt}: take that back by POST /api/v1/subscriptions/${id}/uncancel before it is paused`,
  });
}

function refuseUnlessSoonAfter(since: Timestamp, resumesAt: Timestamp): void {
  const latest = since + PAUSE_DAYS_MAX * DAY;
  if (resumesAt > since && resumesAt <= latest) return;
  const bounds = `after the pause begins (${since}) and within ${PAUSE_DAYS_MAX} days of that (${latest})`;
  throw invalidParameter('resumes_at', `resumes_at must lie ${bounds}, got ${resumesAt}`);
}

/** The days of the period that are left are kept (docs/product/subscriptions.md#pause). */
export function beginPause(tx: Tx, contracted: Contracted, since: Timestamp): void {
  const { subscription } = contracted;
  subscription.status = nextSubscriptionStatus(subscription, 'pause');
  subscription.periodDays = periodDays(subscription);
  subscription.daysLeft = daysToServe(subscription, since);
  tx.record('subscription.paused', viewSubscription(tx, contracted));
}

/** Ends a pause, or takes back one to come; one that is not paused is answered as it is. */
export const resumeSubscription = (deps: Deps, scope: Scope, id: string): Promise<SubscriptionView> =>
  deps.transaction(scope, async (tx) => {
    const contracted = await lockSubscription(tx, id);
    const { subscription } = contracted;
    if (subscription.status !== 'active') endPause(tx, contracted, tx.now);
    else if (subscription.pausedAt != null) {
      forgetPause(subscription);
      tx.record('subscription.updated', viewSubscription(tx, contracted));
    }
    return tx.answer(viewSubscription(tx, contracted));
  });

/** Has a paused subscription go on with the days that it has left, at an instant that it may be told of later. */
export function endPause(tx: Tx, contracted: Contracted, at: Timestamp): void {
  const { subscription } = contracted;
  subscription.status = nextSubscriptionStatus(subscription, 'resume');
  refuseUnlessBegun(subscription);
  // On the day of the pause no day was left out: the anchor stays, and with it the days of the month.
  if (civilDaysBetween(subscription.pausedAt ?? at, at) > 0) moveAnchor(subscription, at);
  else if (subscription.anchorCycle <= subscription.cycle) subscription.periodDays = null;
  subscription.resumedAt = tx.now;
  forgetPause(subscription);
  tx.record('subscription.resumed', viewSubscription(tx, contracted));
}

function refuseUnlessBegun({ id, cycle }: Subscription): void {
  if (cycle > 0) return;
  throw new BillingError('INVALID_STATE', {
    message: `${id} has no payment method: POST /api/v1/subscriptions/${id}/checkout resumes it`,
  });
}

/** The next cycle begins when the days left are served; without any it begins at once. */
function moveAnchor(subscription: Subscription, at: Timestamp): void {
  const { daysLeft, billingCycleAnchor: former } = subscription;
  const anchor = daysLeft == null || daysLeft === 0 ? at : civilDaysLater(at, daysLeft, former);
  subscription.billingCycleAnchor = anchor;
  subscription.anchorCycle = subscription.cycle + 1;
  subscription.currentPeriodEnd = anchor;
}
