import type { Subscription } from '@fatura/sdk';
import { awaitsCard, isReactivated } from '../../parts/subscription.tsx';
import { type Format, useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { paymentTexts } from '../../texts/payments.ts';
import { type SubscriptionTexts, subscriptionsTexts } from './texts.ts';
import type { WholeSubscription } from './use-subscription.ts';

interface Words {
  readonly states: SubscriptionTexts['states'];
  readonly declines: (typeof paymentTexts)['pt']['declines'];
  readonly format: Format;
  readonly now: number;
}

/** What an active subscription is owed, and what comes of it. */
function ofActive(whole: WholeSubscription, words: Words): readonly (string | false)[] {
  const { subscription, open } = whole;
  const { states, format } = words;
  const { current_period_end: end, cancel_at: endsAt, pause, minimum_term: term } = subscription;
  const stops = Math.min(endsAt ?? Number.POSITIVE_INFINITY, pause?.since ?? Number.POSITIVE_INFINITY);
  const coming = [
    endsAt !== null && states.ending(format.date(endsAt)),
    pause !== null && states.pausing(format.date(pause.since)),
    term !== null && term.ends_at !== null && states.bound(format.date(term.ends_at), format.money(term.penalty_now)),
  ];
  if (open.length === 0) return [end !== null && stops > end && states.regular(format.date(end)), ...coming];
  return [...ofOpen(whole, words), ...coming];
}

function endedOf(reason: Subscription['canceled_reason'], states: SubscriptionTexts['states']) {
  if (reason === 'unpaid') return states.endedUnpaid;
  if (reason === 'trial_ended') return states.endedTrial;
  return reason === 'withdrawal' ? states.withdrawn : states.ended;
}

/** A pause under way. */
function ofPaused(
  pause: Subscription['pause'],
  states: SubscriptionTexts['states'],
  format: Format,
): readonly (string | false)[] {
  if (pause === null) return [];
  return [
    states.paused(format.date(pause.since)),
    pause.resumes_at !== null && states.resuming(format.date(pause.resumes_at)),
    pause.days_left > 0 && states.daysLeft(pause.days_left),
  ];
}

/** What is owed. */
function ofOpen(
  { open, charge }: WholeSubscription,
  { states, declines, format, now }: Words,
): readonly (string | false)[] {
  const [oldest, ...others] = open;
  if (oldest === undefined) return [];
  const told = oldest.due_at < now ? states.late : states.open;
  const reason = charge?.decline_reason ?? null;
  const again = charge?.next_attempt ?? null;
  return [
    told(format.money(oldest.amount_remaining), format.date(oldest.due_at)),
    reason !== null && states.declined(declines[reason]),
    again !== null && states.again(format.moment(again)),
    others.length > 0 && states.more(others.length),
  ];
}

/** When a trial ends, and what comes then. */
function ofTrial(subscription: Subscription, { states, format }: Words): readonly (string | false)[] {
  const { trial_end: end, cancel_at: endsAt, payment_method_type: type, trial_end_behavior: behavior } = subscription;
  if (end === null) return [];
  if (endsAt !== null && endsAt <= end) return [states.ending(format.date(endsAt))];
  if (type === 'card') return [states.trialCharged(format.date(end))];
  const ways = { invoice: states.trialInvoiced, cancel: states.trialCanceled, pause: states.trialPaused } as const;
  return [ways[behavior ?? 'invoice'](format.date(end))];
}

function sentencesOf(whole: WholeSubscription, words: Words): readonly (string | false)[] {
  const { subscription, open } = whole;
  const { states, format } = words;
  const [oldest] = open;
  switch (subscription.status) {
    case 'scheduled':
      return [states.scheduled(format.date(subscription.start_date))];
    case 'trialing':
      return ofTrial(subscription, words);
    case 'pending':
      if (awaitsCard(subscription)) return [states.card];
      if (isReactivated(subscription)) return [states.reactivated];
      return oldest === undefined ? [] : [states.first(format.moment(oldest.due_at))];
    case 'active':
      return ofActive(whole, words);
    case 'paused':
      return [...ofPaused(subscription.pause, states, format), ...ofOpen(whole, words)];
    case 'suspended':
      if (oldest === undefined) return [states.suspendedBare];
      return [states.suspended(format.money(oldest.amount_remaining), format.date(oldest.due_at))];
    case 'inactive':
      if (subscription.ended === null) return [];
      return [endedOf(subscription.canceled_reason, states)(format.date(subscription.ended))];
  }
}

/** Where a subscription stands and what comes next, in words. */
export function useStateInWords(): (whole: WholeSubscription, now: number) => string {
  const { states } = useTexts(subscriptionsTexts);
  const { declines } = useTexts(paymentTexts);
  const format = useFormat();
  return (whole, now) =>
    sentencesOf(whole, { states, declines, format, now })
      .filter((sentence) => sentence !== false)
      .join(' ');
}
