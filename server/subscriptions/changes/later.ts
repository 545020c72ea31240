import { BillingError, invalidParameter } from '../../kernel/errors.ts';
import { cents } from '../../kernel/money.ts';
import { periodOfCycle } from '../decide.ts';
import type { SubscriptionChange } from '../entity.ts';
import type { Contracted } from '../rows.ts';
import { changedItems, refuseUnlessChanging } from './items.ts';
import { penaltyOfChange } from './minimum.ts';
import type { ChangeAsked, PlannedChange } from './planned.ts';
import { termsOf } from './scheduled.ts';

/** A change of a later cycle, by its number. */
type LaterAsked = Omit<ChangeAsked, 'effective'> & { readonly cycle: number };

/** So many changes wait for later cycles at most. */
const LATER_MAX = 10;

/** One of the same cycle is replaced. */
export const isReplaced =
  ({ effective, cycle }: Pick<SubscriptionChange, 'effective' | 'cycle'>) =>
  (other: Pick<SubscriptionChange, 'effective' | 'cycle'>): boolean =>
    effective === other.effective && (effective === 'period_end' || cycle === other.cycle);

function refuseUnlessAhead({ subscription }: Contracted, { cycle, ahead }: LaterAsked): void {
  const { id, billedCycle } = subscription;
  const current = Math.max(subscription.cycle, 1);
  if (cycle <= current)
    throw invalidParameter('effective.cycle', `effective.cycle must be a cycle after ${current}, got ${cycle}`);
  if (cycle > billedCycle || ahead?.isPaid !== true) return;
  throw new BillingError('INVALID_STATE', { message: `the cycle ${cycle} of ${id} is billed and paid already` });
}

/** A change that begins to hold with a later cycle: of the items as those that wait before it make them (docs/product/subscriptions.md#later-cycles). */
export function planLater(contracted: Contracted, wanted: LaterAsked): PlannedChange {
  const { subscription, scheduled } = contracted;
  const { cycle, prices, now } = wanted;
  refuseUnlessAhead(contracted, wanted);
  const asked = { effective: 'cycle', cycle } as const;
  const others = scheduled.later.filter(({ change }) => !isReplaced(asked)(change));
  if (others.filter(({ change }) => change.effective === 'cycle').length >= LATER_MAX)
    throw new BillingError('INVALID_STATE', {
      message: `${LATER_MAX} changes of ${subscription.id} wait for later cycles already: take one back before another is made`,
    });
  const without = { ...contracted, scheduled: { ...scheduled, later: others } };
  const { items: before } = termsOf(without, cycle);
  const after = changedItems(before, wanted.asked, { prices, now });
  refuseUnlessChanging(before, after);
  // Of cycles behind the minimum term it says nothing.
  const isWithin = cycle <= subscription.cycle + (subscription.termCyclesLeft ?? 0);
  const skipped = cycle - subscription.cycle - 1;
  const changing = { before, after, now, penalty: wanted.penalty, skipped };
  const penalty = isWithin ? penaltyOfChange(contracted, changing) : cents(0);
  const effectiveAt = periodOfCycle(termsOf(without, cycle - 1), cycle).start;
  return {
    ...{ effective: 'cycle', effectiveAt, cycle, proration: 'none', penalty, before, after },
    ...{ current: null, ahead: null, anew: null },
  };
}
