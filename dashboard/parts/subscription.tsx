import type { Subscription, SubscriptionStatus } from '@fatura/sdk';
import { useFormat } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import { subscriptionTexts } from '../texts/subscriptions.ts';
import { Status, type Tone } from './status.tsx';

const tones: Readonly<Record<SubscriptionStatus, Tone>> = {
  pending: 'calm',
  active: 'good',
  paused: 'calm',
  suspended: 'bad',
  inactive: 'off',
  scheduled: 'calm',
  trialing: 'good',
};

type State = Pick<Subscription, 'status' | 'current_period_start' | 'trial_start' | 'trial_end_behavior'>;

/** A pending subscription that had a period was paid before: it was suspended and reactivated. */
export const isReactivated = ({ status, current_period_start: start }: State): boolean =>
  status === 'pending' && start !== null;

/** A pending one whose trial has not begun waits for the card that it begins with. */
export const awaitsCard = ({ status, trial_start: begun, trial_end_behavior: behavior }: State): boolean =>
  status === 'pending' && behavior !== null && begun === null;

/** Where a subscription stands. */
export function SubscriptionStatusBadge(subscription: State) {
  const { status } = subscription;
  const texts = useTexts(subscriptionTexts);
  const waiting = isReactivated(subscription) ? texts.reactivated : texts.statuses[status];
  const text = awaitsCard(subscription) ? texts.awaitsCard : waiting;
  return <Status tone={tones[status]}>{text}</Status>;
}

/** What of an item says what it costs. */
interface Priced {
  readonly quantity: number;
  readonly price: Pick<Subscription['item']['price'], 'unit_amount' | 'interval' | 'interval_count'>;
}

/** `3 × R$ 99,90 por mês`. */
export function usePriceText(): (item: Priced) => string {
  const { every } = useTexts(subscriptionTexts);
  const { money } = useFormat();
  return ({ quantity, price: { unit_amount: amount, interval, interval_count: count } }) =>
    `${quantity > 1 ? `${quantity} × ` : ''}${money(amount)} ${every(interval, count)}`;
}
