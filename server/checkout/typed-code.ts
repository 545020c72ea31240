import { promotionCodeText } from '../../contract/promotion-codes.ts';
import { findBilledPrices } from '../catalog/lookup.ts';
import { redemptionIn } from '../coupons/redemption.ts';
import { lockCustomer } from '../customers/customers.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { discountedLines, redeemCoupon } from '../invoices/coupon.ts';
import { discountOpen } from '../invoices/life.ts';
import { asDiscountInputs } from '../invoices/lines.ts';
import { totalOf } from '../invoices/rules.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { type Book, lockBook, paymentInProgress } from '../payments/intents/book.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import type { CheckoutSession } from './entity.ts';
import { priceSession } from './fill.ts';
import { closeSession, sessions } from './rows.ts';
import { refuseUnlessOpen, takesCode } from './rules.ts';

interface Look {
  readonly invoiceId: string | null;
  readonly customerId: string | null;
}

const look = statement<Look>(
  'look_at_session_of_code',
  `SELECT c.invoice_id AS "invoiceId", c.customer_id AS "customerId" FROM checkout_session c WHERE c.id = :id AND ${mine('c')}`,
);

/** Whatever is wrong with a code that a buyer typed: one answer, so that nobody finds out which codes there are. */
const codeInvalid = (): BillingError =>
  new BillingError('PROMOTION_CODE_INVALID', { message: 'The code cannot be redeemed here', param: 'promotion_code' });

const ALIKE: readonly string[] = ['PROMOTION_CODE_INVALID', 'COUPON_NOT_APPLICABLE', 'COUPON_EXHAUSTED'];

/** Redeems the code that a buyer typed on the page of a session; what is charged already comes to the less (docs/product/checkout-sessions.md#a-code). */
export async function redeemTyped(deps: Deps, scope: Scope, { id, text }: { id: string; text: string }): Promise<void> {
  const code = promotionCodeText.safeParse(text);
  if (!code.success) throw codeInvalid();
  const [found] = await readIn(deps.pool, scope, look, { id });
  if (found === undefined) throw missing('checkout session', id);
  try {
    await deps.transaction(scope, (tx) => redeemIn(tx, { id, code: code.data, found }));
  } catch (error) {
    throw error instanceof BillingError && ALIKE.includes(error.code) ? codeInvalid() : error;
  }
}

/** In the order of locks: customer, invoice, session, coupon. */
async function redeemIn(tx: Tx, { id, code, found }: { id: string; code: string; found: Look }): Promise<void> {
  if (found.customerId !== null) await lockCustomer(tx, found.customerId);
  const book = found.invoiceId === null ? null : await lockBook(tx, found.invoiceId);
  const session = await tx.lock(sessions, id);
  if ((session.invoiceId ?? null) !== found.invoiceId) throw paymentInProgress(`${id} is being filled in`);
  refuseUnlessOpen(session, tx.now);
  if (!takesCode(session) || redemptionIn(session.discounts) !== null) throw codeInvalid();
  // What a charge was made for does not change under it.
  if (book !== null && book.invoice.paymentIntentId != null) throw paymentInProgress(`${id} is being paid`);
  await discount(tx, { session, book, code });
}

async function discount(
  tx: Tx,
  { session, book, code }: { session: CheckoutSession; book: Book | null; code: string },
): Promise<void> {
  const prices = await findBilledPrices(
    tx,
    session.lineItems.map(({ price }) => price),
  );
  const { lines } = priceSession(session, prices);
  const redeeming = { root: 'session', customerId: session.customerId ?? null, invoiceId: session.invoiceId ?? null };
  const coupon = await redeemCoupon(
    tx,
    { promotion_code: code },
    { ...redeeming, lines: discountedLines(lines, prices) },
  );
  session.discounts = [...coupon, ...session.discounts];
  const total = totalOf(lines, asDiscountInputs(session.discounts), 'session.discounts');
  if (book === null) return;
  session.amount = total;
  discountOpen(tx, book.invoice, { discounts: session.discounts, total });
  if (book.invoice.status === 'paid') closeSession(tx, session, { action: 'complete', invoice: book.invoice });
}
