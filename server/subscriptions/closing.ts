import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps, Tx } from '../deps.ts';
import { BANK_DEADLINE_MS, bankBudget } from '../payments/acquirer/ask.ts';
import { closeIn, type EndedQr, endQr, refuseWhilePaying, retireStanding } from '../payments/close.ts';
import { type Book, lockBook, paymentInProgress } from '../payments/intents/book.ts';

/** QR codes that checkouts made meanwhile are ended as well; after a second time the caller is sent back. */
const TRIES_MAX = 2;

/** A QR code that nobody is given any more, and the invoice that it is of. */
interface RetiredQr {
  readonly invoiceId: string;
  readonly txid: string;
}

/** What one transaction came to: it is done, or QR codes have to be ended at the bank first. */
export type Closing<T> =
  | { readonly kind: 'done'; readonly answer: T }
  | { readonly kind: 'retired'; readonly qrs: readonly RetiredQr[] };

/** The QR codes that were ended for a change so far, by invoice. */
export type EndedQrs = ReadonlyMap<string, EndedQr>;

/** Makes a change that takes invoices out of payment: their QR codes are ended at the bank before it, with no transaction open. */
export async function endingQrs<T>(
  deps: Deps,
  scope: Scope,
  { id, change }: { id: string; change: (tx: Tx, ended: EndedQrs) => Promise<Closing<T>> },
): Promise<T> {
  const ended = new Map<string, EndedQr>();
  const remainingMs = bankBudget(BANK_DEADLINE_MS);
  for (let tries = 0; tries <= TRIES_MAX; tries += 1) {
    const step = await deps.transaction(scope, (tx) => change(tx, ended));
    if (step.kind === 'done') return step.answer;
    await deps.failpoint?.('cancel.after-retiring');
    for (const qr of step.qrs) ended.set(qr.invoiceId, await endQr(deps, scope, { ...qr, remainingMs }));
    await deps.failpoint?.('cancel.after-bank');
  }
  throw paymentInProgress(`${id} gets one new QR code after another`);
}

/** Oldest first. What was given up is not closed, and can be paid all the same. */
const findPayable = statement(
  'find_payable_invoices_of_subscription',
  `SELECT id FROM invoice WHERE subscription_id = $1 AND status IN ('open', 'uncollectible') ORDER BY id`,
);

/** The open invoices of a subscription, oldest first; refuses while a payment of one that can be paid is on its way. */
export async function lockOpenBooks(tx: Tx, subscriptionId: string): Promise<Book[]> {
  const books: Book[] = [];
  for (const payable of await tx.query<{ id: string }>(findPayable, [subscriptionId]))
    books.push(await lockBook(tx, payable.id));
  for (const book of books) refuseWhilePaying(book);
  return books.filter(({ invoice }) => invoice.status === 'open');
}

/** Retires the QR codes that stand in the way of closing these invoices; null: none does. */
export function retireAll(tx: Tx, books: readonly Book[], ended: EndedQrs): Closing<never> | null {
  // Its QR code was to be ended and was paid first, or somebody else closed it.
  const closed = [...ended.keys()].find((invoiceId) => !books.some(({ invoice }) => invoice.id === invoiceId));
  if (closed !== undefined) throw paymentInProgress(`${closed} was paid or closed meanwhile`);
  const qrs: RetiredQr[] = [];
  for (const book of books) {
    const invoiceId = book.invoice.id;
    const txid = retireStanding(tx, book, ended.get(invoiceId)?.txid ?? null);
    if (txid !== null) qrs.push({ invoiceId, txid });
  }
  return qrs.length === 0 ? null : { kind: 'retired', qrs };
}

/** Closes invoices whose QR codes, if any, are retired. */
export function closeAll(
  tx: Tx,
  books: readonly Book[],
  { closing, ended }: { closing: 'void' | 'mark_uncollectible'; ended: EndedQrs },
): void {
  for (const book of books) {
    const qr = ended.get(book.invoice.id);
    closeIn(tx, book, { closing, endedTxid: qr?.isEndedAtBank === true ? qr.txid : null });
  }
}
