import { statement } from '../db/statement.ts';
import type { Tx } from '../db/tx.ts';
import { refuseWhilePaying } from '../payments/close.ts';
import { type Book, lockBook, paymentInProgress } from '../payments/intents/book.ts';
import type { EndedQrs, QrsInTheWay } from '../payments/pix/ending.ts';

/** Oldest first. What was given up is not closed, and can be paid all the same. */
const findPayable = statement<{ id: string }>(
  'find_payable_invoices_of_subscription',
  `SELECT id FROM invoice WHERE subscription_id = :subscriptionId AND status IN ('open', 'uncollectible') ORDER BY id`,
);

/** The open invoices of a subscription, oldest first; refuses while a payment of one that can be paid is on its way. */
export async function lockOpenBooks(tx: Tx, subscriptionId: string): Promise<Book[]> {
  const books: Book[] = [];
  for (const payable of await tx.query(findPayable, { subscriptionId })) books.push(await lockBook(tx, payable.id));
  for (const book of books) refuseWhilePaying(book);
  return books.filter(({ invoice }) => invoice.status === 'open');
}

/** Retires the QR codes that stand in the way of closing these invoices; null: none does. */
export function retireAll(tx: Tx, books: readonly Book[], ended: EndedQrs): QrsInTheWay | null {
  // Its QR code was to be ended and was paid first, or somebody else closed it.
  const closed = ended.invoices.find((invoiceId) => !books.some(({ invoice }) => invoice.id === invoiceId));
  if (closed !== undefined) throw paymentInProgress(`${closed} was paid or closed meanwhile`);
  return ended.retireRest(tx, books);
}
