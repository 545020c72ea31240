import type { CardHolding, CardReplacement } from '../../contract/payment-methods.ts';
import type { SubscriptionStatus, Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import type { TrialEndBehavior } from '../../contract/trials.ts';
import { lockCustomer } from '../customers/customers.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { missing } from '../kernel/errors.ts';
import type { Timestamp } from '../kernel/time.ts';
import { type OpenedCharge, sendScheduled } from '../payments/card/attempts.ts';
import { type TakenCard, takeVerifiedCard } from '../payments/card/intake.ts';
import { type ChosenCard, chosenCard, followsDefault, keepCard, takeIn } from '../payments/card/stored.ts';
import { refusedByPayment } from '../payments/close-invoice.ts';
import { type EndedQrs, endingQrs, QrsInTheWay } from '../payments/pix/ending.ts';
import { hook } from '../unit-of-work/hooks.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { agree } from './agree.ts';
import { scheduleAgain } from './collection/charge.ts';
import type { Subscription } from './entity.ts';
import { endActiveMandate } from './mandates/end.ts';
import { promiseNoAttempt, renewBy } from './renewed-by.ts';
import { lockSubscription } from './rows.ts';
import { refuseUnlessRenewing, resumesByCard, storesCard, waitsForCard } from './rules.ts';
import { beginTrial, resumeByCard } from './trial.ts';
import { viewSubscription } from './view.ts';

interface CardChangeLook {
  id: string;
  customerId: string;
  status: SubscriptionStatus;
  cycle: number;
  trialEndBehavior: TrialEndBehavior | null;
  trialStartAt: Timestamp | null;
}

const lookAtCardChange = statement<CardChangeLook>(
  'look_at_payment_method_change',
  `SELECT s.id, s.customer_id AS "customerId", s.status, s.cycle,
     s.trial_end_behavior AS "trialEndBehavior", s.trial_start_at AS "trialStartAt" FROM subscription s
   WHERE s.id = :id AND ${mine('s')}`,
);

/**
 * Stores another card, which renewals are charged to from then on (docs/product/subscriptions.md#another-card). The acquirer is asked
 * with no transaction open, and only of a subscription that may have it; the state is looked at again under the lock.
 */
export async function changePaymentMethod(
  deps: Deps,
  scope: Scope,
  { id, holding, installments }: { id: string; holding: CardHolding; installments?: number },
): Promise<SubscriptionView> {
  const look = await lookBeforeChange(deps, scope, id);
  const card = await takeVerifiedCard(deps, scope, { holding, customerId: look.customerId, subscriptionId: id });
  return chargeFrom(deps, scope, look, { choose: storeNew(look, card), installments });
}

/** The card of a request: another one to store, or one that is stored. */
export function replaceCard(
  deps: Deps,
  scope: Scope,
  { id, replacement }: { id: string; replacement: CardReplacement },
): Promise<SubscriptionView> {
  const { payment_method_id: paymentMethodId, billing_details, card, card_token } = replacement;
  if (paymentMethodId !== undefined) return chooseStoredCard(deps, scope, { id, paymentMethodId });
  if (billing_details === undefined) throw new Error('a replacement came without a holder');
  return changePaymentMethod(deps, scope, { id, holding: { card, card_token, billing_details } });
}

/** Has renewals charged to a card that is stored already, or, null, to whichever is the default of the customer then. */
async function chooseStoredCard(
  deps: Deps,
  scope: Scope,
  { id, paymentMethodId }: { id: string; paymentMethodId: string | null },
): Promise<SubscriptionView> {
  const look = await lookBeforeChange(deps, scope, id);
  const { customerId } = look;
  const choose = (tx: Tx) => chosenCard(tx, { id: paymentMethodId, customerId, param: 'payment_method_id' });
  return chargeFrom(deps, scope, look, { choose, installments: undefined });
}

async function lookBeforeChange(deps: Deps, scope: Scope, id: string): Promise<CardChangeLook> {
  const [look] = await readIn(deps.pool, scope, lookAtCardChange, { id });
  if (look === undefined) throw missing('subscription', id);
  refuseCard(look);
  return look;
}

const storeNew =
  ({ customerId }: CardChangeLook, card: TakenCard) =>
  async (tx: Tx): Promise<ChosenCard> => {
    keepCard(tx, takeIn(tx, customerId, card));
    return { card, ownId: card.paymentMethodId };
  };

interface CardChange {
  /** Runs behind the lock of the customer. */
  readonly choose: (tx: Tx) => Promise<ChosenCard>;
  readonly installments: number | undefined;
}

async function chargeFrom(
  deps: Deps,
  scope: Scope,
  look: CardChangeLook,
  change: CardChange,
): Promise<SubscriptionView> {
  const { view, opened } = await endingMandate(deps, scope, look.id, async (tx, ended) => {
    const stored = await storeCard(tx, look, { ...change, ended });
    return stored instanceof QrsInTheWay ? stored : { view: tx.answer(stored.view), opened: stored.opened };
  });
  if (opened !== null) await sendScheduled(deps, scope, opened);
  return view;
}

/** Changes how a subscription is paid; a debit that its mandate has scheduled is cancelled first. */
const endingMandate = <T>(
  deps: Deps,
  scope: Scope,
  of: string,
  change: (tx: Tx, ended: EndedQrs) => Promise<T | QrsInTheWay>,
): Promise<T> => endingQrs(deps, scope, { of, change, whenPaid: refusedByPayment, whenSilent: 'refuse' });

interface StoredCard {
  readonly view: SubscriptionView;
  /** The charge of the first cycle, where that begins with the card. */
  readonly opened: OpenedCharge | null;
}

const findFollowing = statement<{ id: string }>(
  'find_subscriptions_by_default_card',
  `SELECT s.id FROM subscription s WHERE ${mine('s')} AND s.customer_id = :customerId AND ${followsDefault('s')}
     AND s.status <> 'inactive' ORDER BY s.id`,
);

/** Open renewals of subscriptions that name no card of their own are charged to the new default of their customer. */
export async function followDefault(tx: Tx, customerId: string): Promise<void> {
  for (const { id } of await tx.query(findFollowing, { customerId })) {
    await lockSubscription(tx, id);
    await scheduleAgain(tx, id);
  }
}

/** Does what follows once a card is stored for a subscription that was not billed yet. */
export const afterFirstCard = hook<(tx: Tx, subscription: Subscription) => Promise<void>>('afterFirstCard');

/** A trial takes one as well, and may begin with it. */
function refuseCard(subscription: Parameters<typeof storesCard>[0] & { id: string; cycle: number }): void {
  if (!storesCard(subscription)) refuseUnlessRenewing(subscription);
}

async function storeCard(
  tx: Tx,
  { id, customerId }: CardChangeLook,
  { choose, installments, ended }: CardChange & { ended: EndedQrs },
): Promise<StoredCard | QrsInTheWay> {
  // The customer first, as an anonymization does: it erases every card that it finds.
  const [, contracted] = await Promise.all([lockCustomer(tx, customerId, 'customer'), lockSubscription(tx, id)]);
  const { subscription } = contracted;
  refuseCard(subscription);
  const inTheWay = await endActiveMandate(tx, contracted, { reason: 'replaced', ended });
  if (inTheWay !== null) return inTheWay;
  const { card, ownId } = await choose(tx);
  subscription.paymentMethodType = 'card';
  subscription.paymentMethodId = ownId;
  // The installments stay those of the last payment, which by PIX are one; each charge holds them to the price's rules.
  if (installments !== undefined) subscription.installments = installments;
  const isFirst = storesCard(subscription);
  if (isFirst) agree(tx, subscription);
  if (resumesByCard(subscription)) {
    const opened = await resumeByCard(tx, { id, card });
    return { view: viewSubscription(tx, contracted), opened };
  }
  if (waitsForCard(subscription)) beginTrial(tx, contracted);
  else {
    tx.record('subscription.updated', viewSubscription(tx, contracted));
    await scheduleAgain(tx, id);
  }
  if (isFirst) for (const follow of tx.reactionsAt(afterFirstCard)) await follow(tx, subscription);
  return { view: viewSubscription(tx, contracted), opened: null };
}

/**
 * Has renewals be paid by PIX from then on, as a payment by PIX does (docs/product/subscriptions.md#turning-to-pix): no stored
 * card is charged any more, for open bills either.
 */
export const turnToPix = (deps: Deps, scope: Scope, id: string): Promise<SubscriptionView> =>
  endingMandate(deps, scope, id, async (tx, ended) => {
    const contracted = await lockSubscription(tx, id);
    const { subscription } = contracted;
    refuseUnlessRenewing(subscription);
    const inTheWay = await endActiveMandate(tx, contracted, { reason: 'cancelled_by_merchant', ended });
    if (inTheWay !== null) return inTheWay;
    if (subscription.paymentMethodType !== 'pix') {
      renewBy(subscription, { type: 'pix', paymentMethodId: null, installments: 1 });
      tx.write(promiseNoAttempt, { id, besides: null });
      tx.record('subscription.updated', viewSubscription(tx, contracted));
    }
    return tx.answer(viewSubscription(tx, contracted));
  });
