import type { Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps, Tx } from '../deps.ts';
import { BANK_DEADLINE_MS, bankBudget } from '../payments/bank.ts';
import { type Book, lockBook, paymentInProgress } from '../payments/book.ts';
import { closeIn, type EndedQr, endQr, refuseWhilePaying, retireStanding } from '../payments/close.ts';
import { lockSubscription, updateSubscription } from './rows.ts';
import { nextSubscriptionStatus } from './rules.ts';
import { viewSubscription } from './view.ts';

/** QR codes that are ended one after the other before the caller is sent back: of the invoices, and of new checkouts. */
const TRIES_MAX = 24;

/**
 * Ends a subscription at once and voids its open invoices, oldest first (spec, DELETE). Their QR codes are ended at the bank
 * first, as when an invoice is voided; a payment on its way refuses it. One that ended already is answered as it is.
 */
export async function cancelSubscription(deps: Deps, scope: Scope, id: string): Promise<SubscriptionView> {
  const ended = new Map<string, EndedQr>();
  const remainingMs = bankBudget(BANK_DEADLINE_MS);
  for (let tries = 0; tries <= TRIES_MAX; tries += 1) {
    const step = await deps.transaction(scope, (tx) => cancelUnlessQrOpen(tx, id, ended));
    if (step.kind === 'ended') return step.answer;
    await deps.failpoint?.('cancel.after-retiring');
    ended.set(step.invoiceId, await endQr(deps, scope, { ...step, remainingMs }));
    await deps.failpoint?.('cancel.after-bank');
  }
  throw paymentInProgress(`${id} gets one new QR code after another`);
}

type Step =
  | { readonly kind: 'ended'; readonly answer: SubscriptionView }
  | { readonly kind: 'retired'; readonly invoiceId: string; readonly txid: string };

/** Oldest first. What was given up is not voided, and can be paid all the same. */
const findPayable = statement(
  'find_payable_invoices_of_subscription',
  `SELECT id FROM invoice WHERE subscription_id = $1 AND status IN ('open', 'uncollectible') ORDER BY id`,
);

async function lockOpenBooks(tx: Tx, id: string): Promise<Book[]> {
  const books: Book[] = [];
  for (const payable of await tx.query<{ id: string }>(findPayable, [id])) books.push(await lockBook(tx, payable.id));
  for (const book of books) refuseWhilePaying(book);
  return books.filter(({ invoice }) => invoice.status === 'open');
}

async function cancelUnlessQrOpen(tx: Tx, id: string, ended: ReadonlyMap<string, EndedQr>): Promise<Step> {
  const contracted = await lockSubscription(tx, id);
  const { subscription, price } = contracted;
  if (subscription.status === 'inactive') return { kind: 'ended', answer: viewSubscription(subscription, price) };
  const books = await lockOpenBooks(tx, id);
  // Its QR code was to be ended and was paid first, or somebody else closed it.
  const closed = [...ended.keys()].find((invoiceId) => !books.some(({ invoice }) => invoice.id === invoiceId));
  if (closed !== undefined) throw paymentInProgress(`${closed} was paid or closed meanwhile`);
  for (const book of books) {
    const txid = retireStanding(tx, book, ended.get(book.invoice.id)?.txid ?? null);
    if (txid !== null) return { kind: 'retired', invoiceId: book.invoice.id, txid };
  }
  for (const book of books) {
    const qr = ended.get(book.invoice.id);
    closeIn(tx, book, { closing: 'void', endedTxid: qr?.isEndedAtBank === true ? qr.txid : null });
  }
  subscription.status = nextSubscriptionStatus(subscription, 'end');
  subscription.ended = tx.now;
  subscription.pendingUntil = null;
  const answer = viewSubscription(subscription, price);
  tx.record('subscription.canceled', answer);
  updateSubscription(tx, subscription);
  return { kind: 'ended', answer: tx.answer(answer) };
}
