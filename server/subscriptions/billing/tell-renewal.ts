import type { Deps } from '../../deps.ts';
import { writeOfRenewal } from '../../mail/fact-letters.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import { termsOf } from '../changes/scheduled.ts';
import { decide, periodOfCycle } from '../decide.ts';
import { isLong, losesDiscount } from '../rules.ts';
import { lockRenewal } from '../terms.ts';
import { viewSubscription } from '../view.ts';
import { isDueNow, pendingOf } from './renew.ts';

/** Writes to the buyer ahead of a renewal that is rare, or costs another amount than before; false: it is not due. */
export const tellRenewal = (deps: Deps, scope: Scope, id: string): Promise<boolean> =>
  deps.transaction(scope, async (tx) => {
    const { contracted, terms } = await lockRenewal(tx, id);
    const { subscription, scheduled, items } = contracted;
    if (!isDueNow(tx, contracted, 'tell_renewal')) return false;
    const cycle = subscription.cycle + 1;
    const changes = scheduled.later.some(({ change }) => (change.cycle ?? cycle) <= cycle);
    const isRare = isLong(items[0].price);
    subscription.renewalTold = subscription.cycle;
    // A change that was taken back brings no other price.
    subscription.tellsRenewal = isRare || scheduled.later.length > 0;
    if (!isRare && !changes && !losesDiscount(subscription)) return true;
    const pending = await pendingOf(tx, { contracted, terms });
    const next = termsOf(contracted, cycle);
    const { discounts, bills } = subscription;
    const { total: amount } = decide({ items: next.items, discounts, bill: bills + 1, pending });
    const on = periodOfCycle(next, cycle).start;
    await writeOfRenewal(tx, { subscription: viewSubscription(tx, contracted), amount, on });
    return true;
  });
