import { promotionCodeText } from '../../contract/promotion-codes.ts';
import { findBilledPrices } from '../catalog/lookup.ts';
import { lockRedemption, redemptionIn } from '../coupons/redemption.ts';
import { lockCustomer } from '../customers/customers.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { discountedLines, redeemCoupon } from '../invoices/coupon.ts';
import type { Invoice } from '../invoices/entity.ts';
import { discountOpen } from '../invoices/life.ts';
import { asDiscountInputs } from '../invoices/lines.ts';
import { totalOf } from '../invoices/rules.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { lockBook, paymentInProgress } from '../payments/intents/book.ts';
import { discountOfRedemption } from '../subscriptions/coupon.ts';
import { discountUnpaid } from '../subscriptions/first-bill.ts';
import { type Contracted, lockSubscription } from '../subscriptions/rows.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import type { CheckoutSession } from './entity.ts';
import { priceSession } from './fill.ts';
import { closeSession, sessions } from './rows.ts';
import { refuseUnlessOpen } from './rules.ts';

interface Look {
  readonly invoiceId: string | null;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
}

const look = statement<Look>(
  'look_at_session_of_code',
  `SELECT c.invoice_id AS "invoiceId", c.customer_id AS "customerId", c.subscription_id AS "subscriptionId" FROM checkout_session c
   WHERE c.id = :id AND ${mine('c')}`,
);

/** Whatever is wrong with a code that a buyer typed: one answer, so that nobody finds out which codes there are. */
const codeInvalid = (): BillingError =>
  new BillingError('PROMOTION_CODE_INVALID', { message: 'The code cannot be redeemed here', param: 'promotion_code' });

/** The last: it leaves less than the other discounts take off. */
const ALIKE: readonly string[] = [
  ...['PROMOTION_CODE_INVALID', 'COUPON_NOT_APPLICABLE', 'COUPON_EXHAUSTED', 'DISCOUNT_EXCEEDS_SUBTOTAL'],
];

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

/** In the order of locks: customer, subscription, invoice, session, coupon. */
async function redeemIn(tx: Tx, { id, code, found }: { id: string; code: string; found: Look }): Promise<void> {
  const { customerId, subscriptionId, invoiceId } = found;
  if (customerId !== null) await lockCustomer(tx, customerId);
  const contracted = subscriptionId === null ? null : await lockSubscription(tx, subscriptionId);
  const book = invoiceId === null ? null : await lockBook(tx, invoiceId);
  const session = await tx.lock(sessions, id);
  if ((session.customerId ?? null) !== customerId) throw paymentInProgress(`${id} is being filled in`);
  refuseUnlessOpen(session, tx.now);
  if (!session.allowPromotionCodes || redemptionIn(session.discounts) !== null) throw codeInvalid();
  // What a charge was made for does not change under it.
  if (book !== null && book.invoice.paymentIntentId != null) throw paymentInProgress(`${id} is being paid`);
  await discount(tx, { session, code, invoice: book?.invoice ?? null, contracted });
}

interface Discounted {
  readonly session: CheckoutSession;
  readonly code: string;
  readonly invoice: Invoice | null;
  readonly contracted: Contracted | null;
}

/** The session has the discount, and what it charges already: its invoice, or its subscription with the first bill. */
async function discount(tx: Tx, { session, code, invoice, contracted }: Discounted): Promise<void> {
  const prices = await findBilledPrices(
    tx,
    session.lineItems.map(({ price }) => price),
  );
  const { lines, setup } = priceSession(session, prices);
  const redeeming = { root: 'session', customerId: session.customerId ?? null, invoiceId: session.invoiceId ?? null };
  const coupon = await redeemCoupon(
    tx,
    { promotion_code: code },
    { ...redeeming, lines: discountedLines(lines, prices) },
  );
  session.discounts = [...coupon, ...session.discounts];
  const total = totalOf(lines, asDiscountInputs(session.discounts), 'session.discounts');
  const redemption = await lockRedemption(tx, coupon);
  if (contracted !== null && redemption !== null)
    discountUnpaid(tx, contracted, { discount: discountOfRedemption(redemption, { setup }), invoice });
  else if (invoice !== null) discountOpen(tx, invoice, { discounts: session.discounts, total });
  if (invoice === null) return;
  session.amount = invoice.total;
  if (invoice.status === 'paid') closeSession(tx, session, { action: 'complete', invoice });
}
