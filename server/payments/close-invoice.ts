import type { Invoice as InvoiceView } from '../../contract/invoices.ts';
import type { Deps } from '../deps.ts';
import type { Invoice } from '../invoices/entity.ts';
import { markUncollectible, voidInvoice } from '../invoices/life.ts';
import { nextInvoiceStatus } from '../invoices/rules.ts';
import { viewInvoice } from '../invoices/view.ts';
import type { BillingError } from '../kernel/errors.ts';
import { hook } from '../unit-of-work/hooks.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { type Book, discardUnsettled, lockBook, paymentInProgress, refuseWhilePaying } from './intents/book.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from './pix/ending.ts';

/** The ways to take an invoice out of payment. */
export type Closing = 'void' | 'mark_uncollectible';

const apply: Record<Closing, (tx: Tx, invoice: Invoice) => void> = {
  void: voidInvoice,
  mark_uncollectible: markUncollectible,
};

/** Each may refuse to let an invoice be voided or marked uncollectible by hand. */
export const beforeClosing = hook<(tx: Tx, invoice: Invoice) => Promise<void>>('beforeClosing');

/** Does what follows once an invoice was closed by hand. */
export const afterClosing = hook<(tx: Tx, invoice: Invoice) => Promise<void>>('afterClosing');

/** A payment came first: whoever closes the invoice is refused. */
export const refusedByPayment = (invoiceId: string): BillingError =>
  paymentInProgress(`The PIX of ${invoiceId} is paid`);

/**
 * Voids an invoice or marks it uncollectible. An open QR code is ended at the acquirer first: one that is paid settles and
 * refuses the change; an acquirer that is away is asked later, and what slips through is returned (docs/product/pix.md#ending-a-qr-code).
 */
export const closeInvoice = (
  deps: Deps,
  scope: Scope,
  { invoiceId, closing }: { invoiceId: string; closing: Closing },
): Promise<InvoiceView> =>
  endingQrs(deps, scope, {
    of: invoiceId,
    change: (tx, ended) => closeByHand(tx, { invoiceId, closing, ended }),
    whenPaid: refusedByPayment,
    whenSilent: 'change',
  });

async function closeByHand(
  tx: Tx,
  { invoiceId, closing, ended }: { invoiceId: string; closing: Closing; ended: EndedQrs },
): Promise<InvoiceView | QrsInTheWay> {
  const book = await lockBook(tx, invoiceId);
  const { invoice } = book;
  // Refuses a move that the table does not have, ahead of what else may refuse it.
  nextInvoiceStatus(invoice, closing);
  for (const guard of tx.reactionsAt(beforeClosing)) await guard(tx, invoice);
  refuseWhilePaying(book);
  const inTheWay = ended.retireRest(tx, [book]);
  if (inTheWay !== null) return inTheWay;
  closeAll(tx, [book], { closing, ended });
  for (const follow of tx.reactionsAt(afterClosing)) await follow(tx, invoice);
  return tx.answer(viewInvoice(tx, invoice));
}

/** Closes invoices whose QR codes, if any, are retired. */
export function closeAll(
  tx: Tx,
  books: readonly Book[],
  { closing, ended }: { closing: Closing; ended: EndedQrs },
): void {
  for (const book of books) {
    discardUnsettled(tx, book, ended.txidOf(book.invoice.id));
    apply[closing](tx, book.invoice);
  }
}
