import type { SubscriptionChange as ChangeView } from '../../contract/subscription-changes.ts';
import type { Deps } from '../deps.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { paymentConfirmed } from '../payments/intents/book.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from '../payments/pix/ending.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { lockAhead, withdraw } from './billing/ahead.ts';
import { voidAwaiting } from './billing/lapse.ts';
import { cancelScheduled } from './changes/scheduled.ts';
import type { SubscriptionChange } from './entity.ts';
import { type Contracted, changes, lockSubscription } from './rows.ts';
import { viewChange, viewSubscription } from './view.ts';

/** Takes back a change that waits, for its payment or for its cycle; a bill that was made ahead with it is made anew. */
export const cancelChange = (
  deps: Deps,
  scope: Scope,
  { id, changeId }: { id: string; changeId: string },
): Promise<ChangeView> =>
  endingQrs(deps, scope, {
    of: id,
    change: async (tx, ended): Promise<ChangeView | QrsInTheWay> => {
      const contracted = await lockSubscription(tx, id);
      const change = await tx.lock(changes, changeId);
      if (change.subscriptionId !== id) throw missing('subscription change', changeId);
      if (change.status === 'canceled') return viewChange(change);
      if (change.status === 'awaiting_payment') return takeBackAwaiting(tx, contracted, { change, ended });
      if (change.status !== 'scheduled')
        throw new BillingError('INVALID_STATE', {
          message: `${changeId} is ${change.status}: it cannot be taken back`,
        });
      const isBilled = (change.cycle ?? 0) <= contracted.subscription.billedCycle;
      const ahead = isBilled ? await lockAhead(tx, contracted) : null;
      if (ahead?.invoice.status === 'paid')
        throw new BillingError('INVALID_STATE', { message: `${changeId} is paid for by ${ahead.invoice.id}` });
      const inTheWay = ahead === null ? null : withdraw(tx, contracted, { ahead, ended });
      if (inTheWay !== null) return inTheWay;
      await cancelScheduled(tx, contracted, (one) => one.id === changeId);
      tx.record('subscription.updated', viewSubscription(tx, contracted));
      return tx.answer(viewChange(change));
    },
    whenPaid: paymentConfirmed,
    whenSilent: 'change',
  });

/** Its invoice is void with it. */
async function takeBackAwaiting(
  tx: Tx,
  contracted: Contracted,
  { change, ended }: { change: SubscriptionChange; ended: EndedQrs },
): Promise<ChangeView | QrsInTheWay> {
  const inTheWay = await voidAwaiting(tx, contracted, { status: 'canceled', ended });
  if (inTheWay !== null) return inTheWay;
  tx.record('subscription.updated', viewSubscription(tx, contracted));
  return tx.answer(viewChange(change));
}
