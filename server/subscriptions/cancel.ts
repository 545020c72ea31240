import type { Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import { hook } from '../db/hooks.ts';
import type { Scope, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { type Closing, closeAll, refusedByPayment } from '../payments/close.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from '../payments/pix/ending.ts';
import { lockOpenBooks, retireAll } from './closing.ts';
import type { Subscription } from './entity.ts';
import { type Contracted, lockSubscription } from './rows.ts';
import { nextSubscriptionStatus } from './rules.ts';
import { viewSubscription } from './view.ts';

/** Does what follows once a subscription has ended. */
export const afterEnded = hook<(tx: Tx, subscription: Subscription) => Promise<void>>('afterEnded');

/**
 * Ends a subscription at once and voids its open invoices, oldest first (docs/product/subscriptions.md#cancellation). Their
 * QR codes are ended at the bank first, as when an invoice is voided; a payment on its way refuses it. One that ended
 * already is answered as it is.
 */
export const cancelSubscription = (deps: Deps, scope: Scope, id: string): Promise<SubscriptionView> =>
  endingQrs(deps, scope, {
    of: id,
    change: async (tx, ended) => {
      const contracted = await lockSubscription(tx, id);
      const { subscription, price } = contracted;
      if (subscription.status === 'inactive') return viewSubscription(subscription, price);
      const inTheWay = await endIn(tx, contracted, { closing: 'void', ended });
      return inTheWay ?? tx.answer(viewSubscription(subscription, price));
    },
    whenPaid: refusedByPayment,
    whenSilent: 'change',
  });

/** Ends a subscription by itself, if that is still due under its lock; false: it is not. */
export const endSubscription = (
  deps: Deps,
  scope: Scope,
  {
    id,
    closing,
    isDue,
  }: { id: string; closing: Closing; isDue: (tx: Tx, contracted: Contracted) => boolean | Promise<boolean> },
): Promise<boolean> =>
  endingQrs(deps, scope, {
    of: id,
    change: async (tx, ended) => {
      const contracted = await lockSubscription(tx, id);
      if (!(await isDue(tx, contracted))) return false;
      return (await endIn(tx, contracted, { closing, ended })) ?? true;
    },
    whenPaid: refusedByPayment,
    whenSilent: 'change',
  });

/** Ends a subscription under its lock; null: it is ended. */
export async function endIn(
  tx: Tx,
  { subscription, price }: Contracted,
  { closing, ended }: { closing: Closing; ended: EndedQrs },
): Promise<QrsInTheWay | null> {
  const books = await lockOpenBooks(tx, subscription.id);
  const inTheWay = retireAll(tx, books, ended);
  if (inTheWay !== null) return inTheWay;
  closeAll(tx, books, { closing, ended });
  subscription.status = nextSubscriptionStatus(subscription, 'end');
  subscription.ended = tx.now;
  subscription.pendingUntil = null;
  tx.record('subscription.canceled', viewSubscription(subscription, price));
  for (const follow of tx.reactionsAt(afterEnded)) await follow(tx, subscription);
  return null;
}
