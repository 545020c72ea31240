import { civilDaysBetween } from '../../kernel/brazil.ts';
import { BillingError } from '../../kernel/errors.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { Items } from '../decide.ts';
import { termEnd } from '../penalty.ts';
import type { Contracted } from '../rows.ts';
import { cyclePeriod } from '../rules.ts';
import { netOf } from './planned.ts';

/** Within a minimum term a change may not bring less a day (docs/product/subscriptions.md#minimum-term). */
export function refuseLessInTerm(
  contracted: Contracted,
  { before, after, now }: { before: Items; after: Items; now: Timestamp },
): void {
  const { subscription } = contracted;
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
