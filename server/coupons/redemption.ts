import { mine, statement } from '../db/statement.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import type { Redemption } from './entity.ts';
import { redemptions } from './rows.ts';
import { viewRedemption } from './view.ts';

/** A discount as it is stored, which names the redemption that gives it. */
interface Given {
  readonly redemption?: string | null | undefined;
}

/** The redemption that gives one of some discounts; null: no coupon does. */
export const redemptionIn = (discounts: readonly Given[]): string | null =>
  discounts.find(({ redemption }) => redemption != null)?.redemption ?? null;

/** Locks the redemption of some discounts behind the object that has them, so that the object can redeem or release it. */
export async function lockRedemption(tx: Tx, discounts: readonly Given[]): Promise<Redemption | null> {
  const id = redemptionIn(discounts);
  return id === null ? null : tx.lock(redemptions, id);
}

/** Of discounts whose redemption was locked, or made, in this transaction. */
function keptRedemption(tx: Tx, discounts: readonly Given[]): Redemption | null {
  const id = redemptionIn(discounts);
  if (id === null) return null;
  const redemption = tx.kept(redemptions, id);
  if (redemption === null) throw new Error(`${id} is changed by a transaction that does not keep it`);
  return redemption;
}

/** What is bought with a coupon. */
interface Purchase {
  readonly id: string;
  readonly discounts: readonly Given[];
  readonly billNumber?: number | null | undefined;
}

/** The discounts of an invoice whose payment redeems them: of a subscription that of its first bill alone. */
export const redeemedBy = ({ discounts, billNumber }: Omit<Purchase, 'id'>): readonly Given[] =>
  (billNumber ?? 1) === 1 ? discounts : [];

/** Says for whom, and for what, a coupon is reserved, once it is known. */
export function reserveFor(
  tx: Tx,
  discounts: readonly Given[],
  purchase: Partial<Pick<Redemption, 'customerId' | 'subscriptionId' | 'invoiceId'>>,
): void {
  const redemption = keptRedemption(tx, discounts);
  if (redemption?.status === 'reserved') Object.assign(redemption, purchase);
}

/** What a reserved coupon was redeemed for is paid: it is redeemed for good, refund or not. */
export function redeem(tx: Tx, purchase: Purchase): void {
  const redemption = keptRedemption(tx, redeemedBy(purchase));
  if (redemption?.status !== 'reserved' || redemption.invoiceId !== purchase.id) return;
  redemption.status = 'redeemed';
  redemption.redeemedAt = tx.now;
  tx.record('discount.redeemed', viewRedemption(redemption));
}

/** Sent with the commit, coupon before code: counted down under the lock that a redemption counts up under. */
const uncountCoupon = statement(
  'uncount_redemption_of_coupon',
  `UPDATE coupon c SET times_redeemed = times_redeemed - 1 WHERE ${mine('c')} AND c.id = :id`,
);
const uncountCode = statement(
  'uncount_redemption_of_promotion_code',
  `UPDATE promotion_code h SET times_redeemed = times_redeemed - 1 WHERE ${mine('h')} AND h.id = :id`,
);

/** Gives a reserved coupon back: another may redeem it. */
export function release(tx: Tx, redemption: Redemption): void {
  if (redemption.status !== 'reserved') return;
  redemption.status = 'released';
  redemption.releasedAt = tx.now;
  tx.write(uncountCoupon, { id: redemption.couponId });
  if (redemption.promotionCodeId != null) tx.write(uncountCode, { id: redemption.promotionCodeId });
  tx.record('discount.released', viewRedemption(redemption));
}

/** The same of what was redeemed for an invoice that cannot be paid any more. */
export function releaseOf(tx: Tx, purchase: Purchase): void {
  const redemption = keptRedemption(tx, redeemedBy(purchase));
  if (redemption?.invoiceId === purchase.id) release(tx, redemption);
}
