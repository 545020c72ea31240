import type { Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import { TRIAL_DAYS_MAX, type TrialInput } from '../../contract/trials.ts';
import { lockRedemption } from '../coupons/redemption.ts';
import type { Deps } from '../deps.ts';
import { civilDaysLater } from '../kernel/brazil.ts';
import { BillingError, invalidParameter } from '../kernel/errors.ts';
import type { Timestamp } from '../kernel/time.ts';
import { type ChargedCard, type OpenedCharge, sendScheduled } from '../payments/card/attempts.ts';
import { refusedByPayment } from '../payments/close-invoice.ts';
import { type EndedQrs, endingQrs, QrsInTheWay } from '../payments/pix/ending.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { agree } from './agree.ts';
import { isDueNow, pendingOf } from './billing/renew.ts';
import { BY_WISH, type Ending, endIn } from './cancel.ts';
import type { Subscription } from './entity.ts';
import { activateByCard, activateByMandate, askForFirst, type Beginning, chargeFirst } from './first-bill.ts';
import { type Contracted, forgetPause } from './rows.ts';
import { nextSubscriptionStatus, TRIAL_TOLD_AHEAD } from './rules.ts';
import { lockRenewal } from './terms.ts';
import { viewSubscription } from './view.ts';

type Begun = Pick<Subscription, 'status' | 'startsAt' | 'trialDays' | 'trialEndAt' | 'trialEndBehavior'>;
type Trial = Pick<Subscription, 'trialDays' | 'trialEndAt' | 'trialNeedsMethod' | 'trialEndBehavior'>;

/** A trial as it is stored with its subscription. */
export function storedTrial(trial: TrialInput | undefined): Trial {
  if (trial === undefined)
    return { trialDays: null, trialEndAt: null, trialNeedsMethod: false, trialEndBehavior: null };
  const { days = null, end = null, requires_payment_method: needsMethod = true, end_behavior: behavior } = trial;
  return {
    trialDays: days,
    trialEndAt: end,
    trialNeedsMethod: needsMethod,
    trialEndBehavior: behavior ?? 'invoice',
  };
}

/** A trial ends after an instant, and at most 730 days after its start (docs/product/subscriptions.md#trials). */
export function refuseUnlessWithin(
  end: Timestamp,
  { after, start, param }: { after: Timestamp; start: Timestamp; param: string },
): void {
  const latest = civilDaysLater(start, TRIAL_DAYS_MAX, start);
  if (end > after && end <= latest) return;
  throw invalidParameter(
    param,
    `${param} must lie after ${after} and at most ${TRIAL_DAYS_MAX} days after ${start}, which is ${latest}, got ${end}`,
  );
}

/** When a subscription that was never billed makes its first bill, should it begin as it is to, or now. */
export function firstBillAt(
  { status, startsAt, trialDays, trialEndAt, trialEndBehavior }: Begun,
  now: Timestamp,
): Timestamp {
  const start = status === 'scheduled' || trialEndBehavior == null ? (startsAt ?? now) : now;
  return trialEndAt ?? civilDaysLater(start, trialDays ?? 0, start);
}

/** The trial begins now; its end is told at once where it is near. */
export function beginTrial(tx: Tx, contracted: Contracted): void {
  const { subscription } = contracted;
  subscription.status = nextSubscriptionStatus(subscription, 'begin_trial');
  subscription.pendingUntil = null;
  subscription.trialStartAt = tx.now;
  agree(tx, subscription);
  subscription.trialEndAt ??= civilDaysLater(tx.now, subscription.trialDays ?? 0, tx.now);
  tx.record('subscription.trial_started', viewSubscription(tx, contracted));
  tellNearEnd(tx, contracted);
}

/** Tells the end of a trial ahead, once. */
export function tellNearEnd(tx: Tx, contracted: Contracted): void {
  const { subscription } = contracted;
  const isNear = (subscription.trialEndAt ?? 0) - TRIAL_TOLD_AHEAD <= tx.now;
  if (isNear && !subscription.trialTold) tx.record('subscription.trial_will_end', viewSubscription(tx, contracted));
  subscription.trialTold = isNear;
}

/** False: it is not due. */
export const tellTrialEnd = (deps: Deps, scope: Scope, id: string): Promise<boolean> =>
  deps.transaction(scope, async (tx) => {
    const { contracted } = await lockRenewal(tx, id);
    if (!isDueNow(tx, contracted, 'tell_trial')) return false;
    tellNearEnd(tx, contracted);
    return true;
  });

const WITHOUT_CARD: Ending = { closing: 'void', reason: 'trial_ended' };

/** What the end of a trial came to. */
export interface TrialEnded {
  readonly contracted: Contracted;
  /** Null: nothing is charged. */
  readonly opened: OpenedCharge | null;
}

/**
 * What comes when a trial ends (docs/product/subscriptions.md#trials): a stored card is charged for the first cycle; without one its first bill
 * waits for payment, or the subscription ends or is paused.
 */
async function closeTrial(tx: Tx, beginning: Beginning, ended: EndedQrs): Promise<TrialEnded | QrsInTheWay> {
  const { contracted, terms } = beginning;
  const { subscription } = contracted;
  if (terms.card !== null)
    return { contracted, opened: activateByCard(tx, beginning, subscription.trialEndAt ?? tx.now) };
  if (await activateByMandate(tx, beginning, subscription.trialEndAt ?? tx.now)) return { contracted, opened: null };
  if (subscription.trialEndBehavior === 'cancel')
    return (await endIn(tx, contracted, { ...WITHOUT_CARD, ended })) ?? { contracted, opened: null };
  if (subscription.trialEndBehavior === 'pause') pauseWithoutCard(tx, contracted);
  else await askForFirst(tx, beginning);
  return { contracted, opened: null };
}

/** It is paused until a card comes; it has no days of a period to serve. */
function pauseWithoutCard(tx: Tx, contracted: Contracted): void {
  const { subscription } = contracted;
  subscription.status = nextSubscriptionStatus(subscription, 'pause');
  subscription.pausedAt = tx.now;
  subscription.daysLeft = 0;
  tx.record('subscription.paused', viewSubscription(tx, contracted));
}

/** A card has come for one that is paused since its trial: its first cycle begins now, and is charged. */
export async function resumeByCard(
  tx: Tx,
  { id, card }: { id: string; card: ChargedCard },
): Promise<OpenedCharge | null> {
  const { contracted, terms, pending } = await lockBeginning(tx, id);
  const { subscription } = contracted;
  subscription.status = nextSubscriptionStatus(subscription, 'resume');
  subscription.resumedAt = tx.now;
  forgetPause(subscription);
  tx.record('subscription.resumed', viewSubscription(tx, contracted));
  return chargeFirst(tx, { contracted, terms: { ...terms, card }, pending }, tx.now);
}

/** Ends a trial in its time; null: it is not due. */
export async function endTrialInTime(deps: Deps, scope: Scope, id: string): Promise<TrialEnded | null> {
  const result = await endingQrs<TrialEnded | null>(deps, scope, {
    of: id,
    change: async (tx, ended) => {
      const beginning = await lockBeginning(tx, id);
      return isDueNow(tx, beginning.contracted, 'end_trial') ? closeTrial(tx, beginning, ended) : null;
    },
    whenPaid: refusedByPayment,
    whenSilent: 'change',
  });
  if (result?.opened != null) await sendScheduled(deps, scope, result.opened);
  return result;
}

/** A subscription whose first bill may come now, with all that it is made of. */
export async function lockBeginning(tx: Tx, id: string): Promise<Beginning> {
  const { contracted, terms } = await lockRenewal(tx, id);
  await lockRedemption(tx, contracted.subscription.discounts);
  return { contracted, terms, pending: await pendingOf(tx, { contracted, terms }) };
}

/** Ends a trial now (docs/product/subscriptions.md#trials); one that is to end by wish with its trial ends so. */
export async function endTrialNow(deps: Deps, scope: Scope, id: string): Promise<SubscriptionView> {
  const { answer, opened } = await endingQrs<{ answer: SubscriptionView; opened: OpenedCharge | null }>(deps, scope, {
    of: id,
    change: async (tx, ended) => {
      const beginning = await lockBeginning(tx, id);
      const { contracted, terms } = beginning;
      refuseToEnd(contracted, terms.card !== null || contracted.subscription.paymentMethodType === 'pix_automatico');
      contracted.subscription.trialEndAt = tx.now;
      contracted.subscription.trialTold = true;
      const closed = await closeOrEnd(tx, beginning, ended);
      if (closed instanceof QrsInTheWay) return closed;
      return { answer: tx.answer(viewSubscription(tx, contracted)), opened: closed.opened };
    },
    whenPaid: refusedByPayment,
    whenSilent: 'change',
  });
  if (opened !== null) await sendScheduled(deps, scope, opened);
  return answer;
}

async function closeOrEnd(tx: Tx, beginning: Beginning, ended: EndedQrs): Promise<TrialEnded | QrsInTheWay> {
  const { contracted } = beginning;
  if (!contracted.subscription.cancelAtPeriodEnd) return closeTrial(tx, beginning, ended);
  contracted.subscription.cancelAt = tx.now;
  return (await endIn(tx, contracted, { ...BY_WISH, ended })) ?? { contracted, opened: null };
}

function refuseToEnd({ subscription: { id, status, trialNeedsMethod } }: Contracted, hasCard: boolean): void {
  if (status !== 'trialing')
    throw new BillingError('INVALID_STATE', { message: `${id} is ${status}: it has no trial to end` });
  if (trialNeedsMethod && !hasCard)
    throw new BillingError('PAYMENT_METHOD_NEEDED', {
      message: `${id} has no card to charge: store one by POST /api/v1/subscriptions/${id}/checkout`,
    });
}

/** Moves the end of a trial that has begun and is not over. */
export function moveTrialEnd(tx: Tx, contracted: Contracted, end: Timestamp): void {
  const { subscription } = contracted;
  const { id, status, trialStartAt: start } = subscription;
  if (status !== 'trialing' || start == null)
    throw new BillingError('INVALID_STATE', { message: `${id} is ${status}: it has no trial whose end could move` });
  refuseUnlessWithin(end, { after: tx.now, start, param: 'subscription.trial_end' });
  if (subscription.trialEndAt === end) return;
  subscription.trialEndAt = end;
  if (subscription.cancelAtPeriodEnd) subscription.cancelAt = end;
}
