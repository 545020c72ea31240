import type { CanceledReason, Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import { statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { invoiceItems } from '../invoice-items/pending.ts';
import { isDue, issue, schedule } from '../invoices/life.ts';
import { cents } from '../kernel/money.ts';
import { type Closing, closeAll, refusedByPayment } from '../payments/close-invoice.ts';
import { type Book, endCharges, lockBook, paymentInProgress, refuseWhilePaying } from '../payments/intents/book.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from '../payments/pix/ending.ts';
import { hook } from '../unit-of-work/hooks.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { endAwaiting, isOfChange } from './changes/awaiting.ts';
import { cancelScheduled } from './changes/scheduled.ts';
import { releaseCoupon } from './coupon.ts';
import {
  type EndTerms,
  endBill,
  noteReason,
  refundWhole,
  refuseLateWithdrawal,
  settleUnused,
  unusedOf,
} from './ending.ts';
import type { Subscription } from './entity.ts';
import { endOurselves } from './mandates/follow.ts';
import { openMandateOf } from './mandates/rows.ts';
import { type Contracted, forgetPause, lockSubscription } from './rows.ts';
import { nextSubscriptionStatus } from './rules.ts';
import { viewSubscription } from './view.ts';

/** Does what follows once a subscription has ended. */
export const afterEnded = hook<(tx: Tx, subscription: Subscription) => Promise<void>>('afterEnded');

/**
 * Ends a subscription at once and voids its open invoices, oldest first (docs/product/subscriptions.md#cancellation). Their
 * QR codes are ended at the acquirer first, as when an invoice is voided; a payment on its way refuses it. One that ended
 * already is answered as it is.
 */
export const cancelSubscription = (
  deps: Deps,
  scope: Scope,
  { id, ...terms }: EndTerms & { id: string },
): Promise<SubscriptionView> =>
  endingQrs(deps, scope, {
    of: id,
    change: async (tx, ended) => {
      const contracted = await lockSubscription(tx, id);
      if (contracted.subscription.status === 'inactive') return viewSubscription(tx, contracted);
      if (terms.reason !== undefined || terms.comment !== undefined) noteReason(contracted.subscription, terms);
      const isWithdrawal = terms.withdrawal === true;
      if (isWithdrawal) await refuseLateWithdrawal(tx, contracted);
      const ending = { ...BY_WISH, terms, ...(isWithdrawal && { reason: 'withdrawal' as const }) };
      const inTheWay = await endIn(tx, contracted, { ...ending, ended });
      return inTheWay ?? tx.answer(viewSubscription(tx, contracted));
    },
    whenPaid: refusedByPayment,
    whenSilent: 'change',
  });

/** How a subscription ends: what becomes of its open invoices, and why. */
export interface Ending {
  readonly closing: Closing;
  readonly reason: CanceledReason;
  /** What was asked for of it. */
  readonly terms?: EndTerms;
  /** Whether what waits for a bill is billed with the end: its last period was served. */
  readonly isServed?: boolean;
}

/** Nothing is owed any more. */
export const BY_WISH: Ending = { closing: 'void', reason: 'requested' };

/** Ends a subscription by itself, if that is still due under its lock; false: it is not. */
export const endSubscription = (
  deps: Deps,
  scope: Scope,
  {
    id,
    endingOf,
  }: { id: string; endingOf: (tx: Tx, contracted: Contracted) => Ending | null | Promise<Ending | null> },
): Promise<boolean> =>
  endingQrs(deps, scope, {
    of: id,
    change: async (tx, ended) => {
      const contracted = await lockSubscription(tx, id);
      const ending = await endingOf(tx, contracted);
      if (ending === null) return false;
      return (await endIn(tx, contracted, { ...ending, ended })) ?? true;
    },
    whenPaid: refusedByPayment,
    whenSilent: 'change',
  });

/** Ends a subscription under its lock; null: it is ended. */
export async function endIn(
  tx: Tx,
  contracted: Contracted,
  { closing, reason, terms = {}, isServed = false, ended }: Ending & { ended: EndedQrs },
): Promise<QrsInTheWay | null> {
  const { subscription } = contracted;
  const books = await lockOpenBooks(tx, subscription.id);
  const inTheWay = retireAll(tx, books, ended);
  if (inTheWay !== null) return inTheWay;
  const { unused = 'none' } = terms;
  const rest = unused === 'none' ? cents(0) : await unusedOf(tx, contracted);
  const isFined =
    reason === 'unpaid' ? tx.scope.account.penaltyOnUnpaid : reason === 'requested' && terms.penalty !== 'waive';
  const bill = await endBill(tx, contracted, { isFined, isServed });
  // A change that nobody paid is not owed.
  const ofChange = books.filter(({ invoice }) => isOfChange(invoice));
  closeBills(tx, contracted, { books: books.filter((book) => !ofChange.includes(book)), closing, ended });
  closeBills(tx, contracted, { books: ofChange, closing: 'void', ended });
  await endAwaiting(tx, contracted, 'canceled');
  const mandate = await openMandateOf(tx, contracted);
  if (mandate !== null) await endOurselves(tx, contracted, { mandate, reason: 'subscription_ended' });
  subscription.status = nextSubscriptionStatus(subscription, 'end');
  subscription.ended = tx.now;
  subscription.canceledReason = reason;
  subscription.pendingUntil = null;
  forgetPause(subscription);
  await cancelScheduled(tx, contracted);
  tx.record('subscription.canceled', viewSubscription(tx, contracted));
  await releaseCoupon(tx, subscription);
  if (bill !== null) issue(tx, bill);
  if (reason === 'withdrawal') await refundWhole(tx, contracted);
  else await settleUnused(tx, contracted, { unused, amount: rest });
  for (const follow of tx.reactionsAt(afterEnded)) await follow(tx, subscription);
  return null;
}

/** Closes bills of a subscription whose QR codes are retired; credits that void ones used wait for its bills again. */
export function closeBills(
  tx: Tx,
  { credit }: Contracted,
  { books, closing, ended }: { books: readonly Book[]; closing: Closing; ended: EndedQrs },
): void {
  closeAll(tx, books, { closing, ended });
  if (closing !== 'void') return;
  for (const { invoice } of books)
    for (const { item, amount } of invoice.credits)
      if (tx.kept(invoiceItems, item)?.subscriptionId != null) credit.left += amount;
}

/** Suspends the subscription of an invoice that was left unpaid, and voids its younger open invoices (docs/product/collection.md#suspension); false: not due. */
export const suspendFor = (
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
      const { status } = contracted.subscription;
      const isCollected = status === 'active' || status === 'paused';
      if (due === undefined || !isDue(due.invoice, 'suspend', tx.now) || !isCollected) return false;
      // The oldest is the one to be paid, should its days be longer than those of a younger one.
      const [own = due, ...younger] = books;
      return suspend(tx, contracted, { own, younger, ended });
    },
    whenPaid: refusedByPayment,
    whenSilent: 'change',
  });

async function suspend(
  tx: Tx,
  contracted: Contracted,
  { own, younger, ended }: { own: Book; younger: readonly Book[]; ended: EndedQrs },
): Promise<true | QrsInTheWay> {
  const { subscription } = contracted;
  const inTheWay = retireAll(tx, younger, ended);
  if (inTheWay !== null) return inTheWay;
  const lapsed = await endAwaiting(tx, contracted, 'lapsed');
  subscription.status = nextSubscriptionStatus(subscription, 'suspend');
  subscription.suspendedAt = tx.now;
  forgetPause(subscription);
  tx.record('subscription.suspended', viewSubscription(tx, contracted));
  closeBills(tx, contracted, { books: younger, closing: 'void', ended });
  if (lapsed !== null) tx.record('subscription.change_lapsed', viewSubscription(tx, contracted));
  own.invoice.collection = 'suspended';
  endCharges(own);
  schedule(own.invoice, tx.now);
  return true;
}

/** Oldest first. What was given up is not closed, and can be paid all the same. */
const findPayable = statement<{ id: string }>(
  'find_payable_invoices_of_subscription',
  `SELECT id FROM invoice WHERE subscription_id = :subscriptionId AND status IN ('open', 'uncollectible') ORDER BY id`,
);

/** The open invoices of a subscription, oldest first; refuses while a payment of one that can be paid is on its way. */
async function lockOpenBooks(tx: Tx, subscriptionId: string): Promise<Book[]> {
  const books: Book[] = [];
  for (const payable of await tx.query(findPayable, { subscriptionId })) books.push(await lockBook(tx, payable.id));
  for (const book of books) refuseWhilePaying(book);
  return books.filter(({ invoice }) => invoice.status === 'open');
}

/** Retires the QR codes that stand in the way of closing these invoices; null: none does. */
function retireAll(tx: Tx, books: readonly Book[], ended: EndedQrs): QrsInTheWay | null {
  // Its QR code was to be ended and was paid first, or somebody else closed it.
  const closed = ended.invoices.find((invoiceId) => !books.some(({ invoice }) => invoice.id === invoiceId));
  if (closed !== undefined) throw paymentInProgress(`${closed} was paid or closed meanwhile`);
  return ended.retireRest(tx, books);
}
