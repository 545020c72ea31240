import type { Timestamp } from '../../kernel/time.ts';
import type { Items } from '../decide.ts';
import { countTerm, recountTerm } from '../penalty.ts';
import type { Contracted } from '../rows.ts';
import { cyclePeriod, type Period } from '../rules.ts';

/**
 * A new first period begins with another interval, at the instant at which it was asked for: the cycles are counted from there
 * (docs/product/subscriptions.md#another-interval).
 */
export function beginAnew(
  contracted: Contracted,
  { items, at, net }: { items: Items; at: Timestamp; net: number },
): Period {
  const { subscription } = contracted;
  const period = cyclePeriod(at, items[0].price, 0);
  recountTerm(contracted, { items, start: period.start });
  const cycle = subscription.billedCycle + 1;
  Object.assign(subscription, { cycle, billedCycle: cycle, anchorCycle: cycle, bills: subscription.bills + 1 });
  subscription.billingCycleAnchor = at;
  subscription.currentPeriodStart = period.start;
  subscription.currentPeriodEnd = period.end;
  Object.assign(subscription, { periodDays: null, periodNet: net, aheadNet: null, periodApart: 0, aheadApart: 0 });
  if (subscription.cancelAtPeriodEnd) subscription.cancelAt = period.end;
  countTerm({ subscription, items }, period);
  return period;
}
