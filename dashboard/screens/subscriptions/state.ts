import { isReactivated } from '../../parts/subscription.tsx';
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
function ofActive(
  { subscription, open, charge }: WholeSubscription,
  { states, declines, format, now }: Words,
): readonly (string | false)[] {
  const [oldest, ...others] = open;
  const end = subscription.current_period_end;
  const ending = subscription.cancel_at === null ? false : states.ending(format.date(subscription.cancel_at));
  const isLast = subscription.cancel_at !== null && end !== null && subscription.cancel_at <= end;
  const next = end === null || isLast ? false : states.regular(format.date(end));
  if (oldest === undefined) return [next, ending];
  const told = oldest.due_at < now ? states.late : states.open;
  const reason = charge?.decline_reason ?? null;
  const again = charge?.next_attempt ?? null;
  return [
    told(format.money(oldest.amount_remaining), format.date(oldest.due_at)),
    reason !== null && states.declined(declines[reason]),
    again !== null && states.again(format.moment(again)),
    others.length > 0 && states.more(others.length),
    ending,
  ];
}

function sentencesOf(whole: WholeSubscription, words: Words): readonly (string | false)[] {
  const { subscription, open } = whole;
  const { states, format } = words;
  const [oldest] = open;
  switch (subscription.status) {
    case 'pending':
      if (isReactivated(subscription)) return [states.reactivated];
      return oldest === undefined ? [] : [states.first(format.moment(oldest.due_at))];
    case 'active':
      return ofActive(whole, words);
    case 'suspended':
      if (oldest === undefined) return [states.suspendedBare];
      return [states.suspended(format.money(oldest.amount_remaining), format.date(oldest.due_at))];
    case 'inactive':
      if (subscription.ended === null) return [];
      return [
        (subscription.canceled_reason === 'unpaid' ? states.endedUnpaid : states.ended)(
          format.date(subscription.ended),
        ),
      ];
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
