import type { Scope } from '../../db/tx.ts';
import type { Deps, Tx } from '../../deps.ts';
import type { Book } from '../../payments/intents/book.ts';
import { updateInvoice } from '../../payments/intents/book.ts';
import { type Closing, closeAll, type EndedQrs, endingQrs, lockOpenBooks, retireAll } from '../closing.ts';
import { type Contracted, lockSubscription, updateSubscription } from '../rows.ts';
import { nextSubscriptionStatus } from '../rules.ts';
import { viewSubscription } from '../view.ts';
import { endCharges, isDue, schedule } from './schedule.ts';

/** Suspends the subscription of an invoice that was left unpaid, and voids its younger open invoices (decisions §3); false: not due. */
export const suspendOver = (
  deps: Deps,
  scope: Scope,
  { subscriptionId: id, invoiceId }: { subscriptionId: string; invoiceId: string },
): Promise<boolean> =>
  endingQrs(deps, scope, {
    id,
    change: async (tx, ended) => {
      const contracted = await lockSubscription(tx, id);
      const books = await lockOpenBooks(tx, id);
      const due = books.find(({ invoice }) => invoice.id === invoiceId);
      if (due === undefined || !isDue(tx, due.invoice, 'suspend') || contracted.subscription.status !== 'active')
        return { kind: 'done', answer: false };
      // The oldest is the one to be paid, should the account's days have changed since it was scheduled.
      const [own = due, ...younger] = books;
      return suspend(tx, contracted, { own, younger, ended });
    },
  });

async function suspend(
  tx: Tx,
  { subscription, price }: Contracted,
  { own, younger, ended }: { own: Book; younger: readonly Book[]; ended: EndedQrs },
): Promise<Closing<boolean>> {
  const retired = retireAll(tx, younger, ended);
  if (retired !== null) return retired;
  subscription.status = nextSubscriptionStatus(subscription, 'suspend');
  subscription.suspendedAt = tx.now;
  tx.record('subscription.suspended', viewSubscription(subscription, price));
  closeAll(tx, younger, { closing: 'void', ended });
  const { invoice } = own;
  invoice.collection = 'suspended';
  endCharges(tx, own);
  schedule(invoice, tx.scope.account);
  updateInvoice(tx, invoice);
  updateSubscription(tx, subscription);
  return { kind: 'done', answer: true };
}
