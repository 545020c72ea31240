import { isDeepStrictEqual } from 'node:util';
import type { SubscriptionUpdate } from '../../contract/subscription-inputs.ts';
import type { Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { checkLateFees } from '../kernel/late-fee-limits.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { refuseWhileAwaiting } from './changes/planned.ts';
import { readOwnDays } from './own-days.ts';
import { type Contracted, changeItems, lockSubscription } from './rows.ts';
import { moveTrialEnd, tellNearEnd } from './trial.ts';
import { viewSubscription } from './view.ts';

/** Changes the code, the days of collection, the late fees and the end of a trial at once, and the quantity of the first item from the next bill on. */
export function updateSubscription(
  deps: Deps,
  scope: Scope,
  id: string,
  changes: SubscriptionUpdate,
): Promise<SubscriptionView> {
  checkLateFees(changes.late_fees, 'subscription.late_fees');
  return deps.transaction(scope, async (tx) => {
    const contracted = await lockSubscription(tx, id);
    if (contracted.subscription.status === 'inactive')
      throw new BillingError('INVALID_STATE', { message: `${id} is inactive: it is not changed any more` });
    const before = viewSubscription(tx, contracted);
    const after = viewSubscription(tx, await change(tx, contracted, changes));
    if (!isDeepStrictEqual(before, after)) tx.record('subscription.updated', after);
    if (before.trial_end !== after.trial_end) tellNearEnd(tx, contracted);
    return tx.answer(after);
  });
}

async function change(
  tx: Tx,
  contracted: Contracted,
  { external_code: externalCode, collection, late_fees: lateFees, quantity, trial_end: trialEnd }: SubscriptionUpdate,
): Promise<Contracted> {
  const { subscription } = contracted;
  const [first, ...more] = contracted.items;
  if (externalCode !== undefined) subscription.externalCode = externalCode;
  if (collection !== undefined) {
    const { ownDays: own } = subscription;
    subscription.ownDays = readOwnDays(tx, collection, { own, param: 'subscription.collection' });
  }
  if (lateFees !== undefined) subscription.lateFees = lateFees;
  if (trialEnd !== undefined) moveTrialEnd(tx, contracted, trialEnd);
  if (quantity === undefined || quantity === first.quantity) return contracted;
  refuseWhileAwaiting(contracted);
  return changeItems(tx, contracted, { items: [{ ...first, quantity }, ...more] });
}
