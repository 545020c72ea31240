import type { Scope, Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { isDue, schedule } from '../../invoices/life.ts';
import { closeAll, refusedByPayment } from '../../payments/close.ts';
import type { Book } from '../../payments/intents/book.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from '../../payments/pix/ending.ts';
import { lockOpenBooks, retireAll } from '../closing.ts';
import { type Contracted, lockSubscription } from '../rows.ts';
import { nextSubscriptionStatus } from '../rules.ts';
import { viewSubscription } from '../view.ts';
import { endCharges } from './charge.ts';

/** Suspends the subscription of an invoice that was left unpaid, and voids its younger open invoices (docs/product/collection.md#suspension); false: not due. */
export const suspendOver = (
  deps: Deps,
  scope: Scope,
  { subscriptionId, invoiceId }: { subscriptionId: string; invoiceId: string },
): Promise<boolean> =>
  endingQrs(deps, scope, {
    of: subscriptionId,
    change: async (tx, ended) => {
      const contracted = await lockSubscription(tx, subscriptionId);
      const books = await lockOpenBooks(tx, subscriptionId);
      const due = books.find(({ invoice }) => invoice.id === invoiceId);
      if (due === undefined || !isDue(due.invoice, 'suspend', tx.now) || contracted.subscription.status !== 'active')
        return false;
      // The oldest is the one to be paid, should the account's days have changed since it was scheduled.
      const [own = due, ...younger] = books;
      return suspend(tx, contracted, { own, younger, ended });
    },
    whenPaid: refusedByPayment,
    whenSilent: 'change',
  });

function suspend(
  tx: Tx,
  { subscription, price }: Contracted,
  { own, younger, ended }: { own: Book; younger: readonly Book[]; ended: EndedQrs },
): true | QrsInTheWay {
  const inTheWay = retireAll(tx, younger, ended);
  if (inTheWay !== null) return inTheWay;
  subscription.status = nextSubscriptionStatus(subscription, 'suspend');
  subscription.suspendedAt = tx.now;
  tx.record('subscription.suspended', viewSubscription(subscription, price));
  closeAll(tx, younger, { closing: 'void', ended });
  own.invoice.collection = 'suspended';
  endCharges(own);
  schedule(own.invoice, tx.scope.account);
  return true;
}
