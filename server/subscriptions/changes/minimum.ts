import { civilDaysBetween } from '../../kernel/brazil.ts';
import { BillingError } from '../../kernel/errors.ts';
import { type Cents, cents } from '../../kernel/money.ts';
import type { Items } from '../decide.ts';
import { penaltyOfLess, termEnd } from '../penalty.ts';
import { renewsOtherwise } from '../recurrence.ts';
import type { Contracted } from '../rows.ts';
import { cyclePeriod } from '../rules.ts';
import { type ChangeAsked, netOf } from './planned.ts';

interface Changing extends Pick<ChangeAsked, 'now' | 'penalty'> {
  readonly before: Items;
  readonly after: Items;
  /** Cycles of the term that begin before it holds. */
  readonly skipped?: number;
}

/** Whether a change brings less a day within a minimum term. */
function isLess(contracted: Contracted, { before, after, now }: Changing): boolean {
  const { subscription } = contracted;
  if (subscription.termDays == null) return false;
  const bill = subscription.bills + 1;
  const daysOf = ([{ price }]: Items): number => {
    const { start, end } = cyclePeriod(now, price, 0);
    return civilDaysBetween(start, end);
  };
  return netOf(contracted, after, bill) * daysOf(before) < netOf(contracted, before, bill) * daysOf(after);
}

/** Within a minimum term a change brings less a day for the penalty of that, or where it is waived (docs/product/subscriptions.md#minimum-term). */
export function penaltyOfChange(contracted: Contracted, changing: Changing): Cents {
  const { before, after, penalty, skipped = 0 } = changing;
  const { subscription } = contracted;
  if (penalty === 'waive' || !isLess(contracted, changing)) return cents(0);
  const hasPercent =
    subscription.penaltyType === 'remaining_percentage' && !renewsOtherwise(before[0].price, after[0].price);
  if (penalty === 'apply' && hasPercent) return penaltyOfLess({ subscription, items: before }, { after, skipped });
  const how = hasPercent
    ? 'without penalty'
    : 'but with penalty: waive, for its penalty is no percent of cycles alike,';
  throw new BillingError('INVALID_STATE', {
    message: `${subscription.id} is in its minimum term until ${termEnd(contracted)}: until then it is not changed ${how} to bill less`,
  });
}
