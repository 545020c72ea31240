import type { Invoice as InvoiceView } from '../../contract/invoices.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps, Tx } from '../deps.ts';
import type { Invoice } from '../invoices/entity.ts';
import { markInvoiceUncollectible, voidInvoice } from '../invoices/life.ts';
import { nextInvoiceStatus } from '../invoices/rules.ts';
import { viewInvoice } from '../invoices/view.ts';
import { BANK_DEADLINE_MS, bankBudget } from './acquirer/ask.ts';
import { type Book, lockBook, paymentInProgress, updateInvoice } from './intents/book.ts';
import { discardUnsettled, endQrAtBank, retireQr } from './pix/expiry.ts';

/** The ways to take an invoice out of payment. */
type Closing = 'void' | 'mark_uncollectible';

const apply: Record<Closing, (tx: Tx, invoice: Invoice) => void> = {
  void: voidInvoice,
  mark_uncollectible: markInvoiceUncollectible,
};

/** A QR code that a checkout made meanwhile is ended as well; a second one sends the caller back. */
const TRIES_MAX = 2;

/**
 * Voids an invoice or marks it uncollectible. An open QR code is ended at the bank first: one that is paid settles and
 * refuses the change; a bank that is away is asked later, and what slips through is returned (decisions §3, PIX).
 */
export async function closeInvoice(
  deps: Deps,
  scope: Scope,
  { invoiceId, closing }: { invoiceId: string; closing: Closing },
): Promise<InvoiceView> {
  const remainingMs = bankBudget(BANK_DEADLINE_MS);
  let ended: EndedQr | null = null;
  for (let tries = 0; tries <= TRIES_MAX; tries += 1) {
    const known = ended;
    const step = await deps.transaction(scope, (tx) => closeUnlessQrOpen(tx, { invoiceId, closing, ended: known }));
    if (step.kind === 'closed') return step.answer;
    await deps.failpoint?.('close.after-retiring');
    ended = await endQr(deps, scope, { invoiceId, txid: step.txid, remainingMs });
    await deps.failpoint?.('close.after-bank');
  }
  throw paymentInProgress(`${invoiceId} gets one new QR code after another`);
}

/** A QR code that was retired, and whether the bank could be told. */
export interface EndedQr {
  readonly txid: string;
  readonly isEndedAtBank: boolean;
}

type Step =
  | { readonly kind: 'closed'; readonly answer: InvoiceView }
  | { readonly kind: 'retired'; readonly txid: string };

/** Makes the change when no QR code stands in its way; else retires that one, so that nobody is given it any more. */
async function closeUnlessQrOpen(
  tx: Tx,
  { invoiceId, closing, ended }: { invoiceId: string; closing: Closing; ended: EndedQr | null },
): Promise<Step> {
  const book = await lockBook(tx, invoiceId);
  const { invoice } = book;
  nextInvoiceStatus(invoice, closing);
  for (const guard of tx.reactions.beforeClosing) await guard(tx, invoice);
  const txid = retireStanding(tx, book, ended?.txid ?? null);
  if (txid !== null) return { kind: 'retired', txid };
  closeIn(tx, book, { closing, endedTxid: ended?.isEndedAtBank === true ? ended.txid : null });
  return { kind: 'closed', answer: tx.answer(viewInvoice(invoice)) };
}

/** Refuses what a payment on its way decides. */
export function refuseWhilePaying({ invoice, intent, isConfirmed }: Book): void {
  if (intent?.status === 'processing') throw paymentInProgress(`A charge of ${invoice.id} is at the acquirer`);
  if (isConfirmed) throw paymentInProgress(`The PIX of ${invoice.id} is paid and not settled yet`);
}

/** Refuses to close an invoice with a payment on its way; retires the QR code that stands, and answers its txid. */
export function retireStanding(tx: Tx, book: Book, knownTxid: string | null): string | null {
  const { qr } = book;
  refuseWhilePaying(book);
  if (qr === null || qr.state === 'ended' || qr.id === knownTxid) return null;
  retireQr(tx, qr);
  return qr.id;
}

/** Closes an invoice whose QR code, if any, is retired; `endedTxid` names one that the bank has ended. */
export function closeIn(
  tx: Tx,
  book: Book,
  { closing, endedTxid }: { closing: Closing; endedTxid: string | null },
): void {
  discardUnsettled(tx, book, endedTxid);
  apply[closing](tx, book.invoice);
  updateInvoice(tx, book.invoice);
}

/** Asks the bank to end a retired QR code; one that is paid settles, and the caller is refused. */
export async function endQr(
  deps: Deps,
  scope: Scope,
  { invoiceId, txid, remainingMs }: { invoiceId: string; txid: string; remainingMs: () => number },
): Promise<EndedQr> {
  const end = await endQrAtBank(deps, scope, { txid, remainingMs });
  if (end === 'paid') throw paymentInProgress(`The PIX of ${invoiceId} is paid`);
  return { txid, isEndedAtBank: end === 'ended' };
}
