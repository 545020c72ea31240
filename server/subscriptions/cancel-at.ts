import type { SubscriptionCancel } from '../../contract/subscription-inputs.ts';
import type { Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import type { Deps } from '../deps.ts';
import { BillingError, invalidParameter } from '../kernel/errors.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import { paymentConfirmed } from '../payments/intents/book.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from '../payments/pix/ending.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { endOfPaid, lockAhead, withdraw } from './billing/ahead.ts';
import { cancelSubscription } from './cancel.ts';
import { type EndTerms, noteReason } from './ending.ts';
import { type Contracted, lockSubscription } from './rows.ts';
import { viewSubscription } from './view.ts';

/** Two years. */
const AHEAD_MAX = 730 * DAY;

/** Ends a subscription now, or says when it ends (docs/product/subscriptions.md#cancellation). */
export const cancelSubscriptionAt = (
  deps: Deps,
  scope: Scope,
  { id, at = 'now', ...terms }: SubscriptionCancel & { id: string },
): Promise<SubscriptionView> =>
  at === 'now'
    ? cancelSubscription(deps, scope, { id, ...terms })
    : endingQrs(deps, scope, {
        of: id,
        change: async (tx, ended) => {
          const contracted = await lockSubscription(tx, id);
          return (
            (await scheduleEnd(tx, contracted, { at, terms, ended })) ?? tx.answer(viewSubscription(tx, contracted))
          );
        },
        whenPaid: paymentConfirmed,
        whenSilent: 'change',
      });

type At = 'period_end' | Timestamp;

/** Null: it is said when the subscription ends. */
async function scheduleEnd(
  tx: Tx,
  contracted: Contracted,
  { at, terms, ended }: { at: At; terms: EndTerms; ended: EndedQrs },
): Promise<QrsInTheWay | null> {
  const { subscription } = contracted;
  const { id, status } = subscription;
  const periodEnd = status === 'trialing' ? subscription.trialEndAt : subscription.currentPeriodEnd;
  // A pause keeps its period from ending, and no instant from coming.
  const hasEnd = status === 'active' || status === 'trialing' || (status === 'paused' && at !== 'period_end');
  if (!hasEnd || periodEnd == null)
    throw new BillingError('INVALID_STATE', {
      message: `${id} is ${status}, and has no period that is paid for and no trial: it can only be canceled now`,
    });
  if (at !== 'period_end') refuseUnlessAhead(tx, at);
  const ahead = await lockAhead(tx, contracted);
  const cancelAt = at === 'period_end' ? endOfPaid(contracted, { ahead, periodEnd }) : at;
  if (ahead !== null && cancelAt <= periodEnd) {
    const inTheWay = withdraw(tx, contracted, { ahead, ended });
    if (inTheWay !== null) return inTheWay;
  }
  const isSaid = subscription.cancelAt === cancelAt && subscription.cancelAtPeriodEnd === (at === 'period_end');
  subscription.cancelAt = cancelAt;
  subscription.cancelAtPeriodEnd = at === 'period_end';
  subscription.penaltyWaived = terms.penalty === 'waive';
  subscription.unused = terms.unused ?? 'none';
  noteReason(subscription, terms);
  if (!isSaid) tx.record('subscription.cancel_scheduled', viewSubscription(tx, contracted));
  return null;
}

function refuseUnlessAhead(tx: Tx, at: Timestamp): void {
  const latest = tx.now + AHEAD_MAX;
  if (at > tx.now && at <= latest) return;
  throw invalidParameter('at', `at must lie after now (${tx.now}) and within two years (${latest}), got ${at}`);
}

/** Takes back an end to come: the subscription renews again (docs/product/subscriptions.md#cancellation). */
export const uncancelSubscription = (deps: Deps, scope: Scope, id: string): Promise<SubscriptionView> =>
  deps.transaction(scope, async (tx) => {
    const contracted = await lockSubscription(tx, id);
    const { subscription } = contracted;
    if (subscription.status === 'inactive')
      throw new BillingError('INVALID_STATE', { message: `${id} has ended: create a subscription anew` });
    if (subscription.cancelAt != null) {
      subscription.cancelAt = null;
      subscription.cancelAtPeriodEnd = false;
      subscription.penaltyWaived = false;
      subscription.unused = 'none';
      noteReason(subscription, {});
      tx.record('subscription.cancel_unscheduled', viewSubscription(tx, contracted));
    }
    return tx.answer(viewSubscription(tx, contracted));
  });
