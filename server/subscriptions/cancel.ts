import type { Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps, Tx } from '../deps.ts';
import { type Closing, closeAll, type EndedQrs, endingQrs, lockOpenBooks, retireAll } from './closing.ts';
import { type Contracted, lockSubscription, updateSubscription } from './rows.ts';
import { nextSubscriptionStatus } from './rules.ts';
import { viewSubscription } from './view.ts';

/**
 * Ends a subscription at once and voids its open invoices, oldest first (spec, DELETE). Their QR codes are ended at the bank
 * first, as when an invoice is voided; a payment on its way refuses it. One that ended already is answered as it is.
 */
export const cancelSubscription = (deps: Deps, scope: Scope, id: string): Promise<SubscriptionView> =>
  endingQrs(deps, scope, {
    id,
    change: async (tx, ended) => {
      const contracted = await lockSubscription(tx, id);
      if (contracted.subscription.status === 'inactive')
        return { kind: 'done', answer: viewSubscription(contracted.subscription, contracted.price) };
      const closed = await end(tx, contracted, { closing: 'void', ended });
      return closed.kind === 'done' ? { ...closed, answer: tx.answer(closed.answer) } : closed;
    },
  });

/** Ends a subscription by itself, if that is still due under its lock; false: it is not. */
export const endSubscription = (
  deps: Deps,
  scope: Scope,
  {
    id,
    closing,
    isDue,
  }: {
    id: string;
    closing: 'void' | 'mark_uncollectible';
    isDue: (tx: Tx, contracted: Contracted) => boolean | Promise<boolean>;
  },
): Promise<boolean> =>
  endingQrs(deps, scope, {
    id,
    change: async (tx, ended) => {
      const contracted = await lockSubscription(tx, id);
      if (!(await isDue(tx, contracted))) return { kind: 'done', answer: false };
      const closed = await end(tx, contracted, { closing, ended });
      return closed.kind === 'done' ? { kind: 'done', answer: true } : closed;
    },
  });

async function end(
  tx: Tx,
  { subscription, price }: Contracted,
  { closing, ended }: { closing: 'void' | 'mark_uncollectible'; ended: EndedQrs },
): Promise<Closing<SubscriptionView>> {
  const books = await lockOpenBooks(tx, subscription.id);
  const retired = retireAll(tx, books, ended);
  if (retired !== null) return retired;
  closeAll(tx, books, { closing, ended });
  subscription.status = nextSubscriptionStatus(subscription, 'end');
  subscription.ended = tx.now;
  subscription.pendingUntil = null;
  const answer = viewSubscription(subscription, price);
  tx.record('subscription.canceled', answer);
  updateSubscription(tx, subscription);
  return { kind: 'done', answer };
}
