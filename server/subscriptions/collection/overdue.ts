import { statement } from '../../db/statement.ts';
import type { Scope, Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { isDue } from '../../invoices/collection/schedule.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { tellOverdue } from '../../invoices/life.ts';
import { refuseWhilePaying } from '../../payments/close.ts';
import { lockBook } from '../../payments/intents/book.ts';
import { lockSubscription } from '../rows.ts';
import { viewSubscription } from '../view.ts';

/** Tells that an invoice is unpaid a day after it was due, and of a subscription once an episode (docs/product/collection.md#overdue-episode); false: not due. */
export function markOverdue(deps: Deps, scope: Scope, invoiceId: string): Promise<boolean> {
  return deps.transaction(scope, async (tx) => {
    const book = await lockBook(tx, invoiceId);
    const { invoice } = book;
    if (!isDue(invoice, 'mark_overdue', tx.now)) return false;
    refuseWhilePaying(book);
    const { subscriptionId } = invoice;
    const begins = subscriptionId != null && !(await isOverdue(tx, subscriptionId));
    tellOverdue(tx, invoice);
    if (subscriptionId != null) await followSubscription(tx, { invoice, subscriptionId, begins });
    return true;
  });
}

/** From here on the invoice is its subscription's case. */
async function followSubscription(
  tx: Tx,
  { invoice, subscriptionId, begins }: { invoice: Invoice; subscriptionId: string; begins: boolean },
): Promise<void> {
  const { subscription, price } = await lockSubscription(tx, subscriptionId);
  if (begins && subscription.status === 'active')
    tx.record('subscription.overdue', viewSubscription(subscription, price));
  // A case that is at work already has asked for this itself.
  if (!invoice.inCase) tx.enqueue({ kind: 'collection', key: subscriptionId });
  invoice.inCase = true;
}

const findOverdue = statement<{ id: string }>(
  'find_overdue_invoice',
  `SELECT id FROM invoice WHERE subscription_id = :subscriptionId AND status = 'open' AND overdue_at IS NOT NULL LIMIT 1`,
);

/** Whether an episode is under way: it ends when none of the invoices is overdue. */
const isOverdue = async (tx: Tx, subscriptionId: string): Promise<boolean> =>
  (await tx.query(findOverdue, { subscriptionId })).length > 0;
