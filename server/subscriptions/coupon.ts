import type { Redemption } from '../coupons/entity.ts';
import { askedCoupon, reserve } from '../coupons/redeem.ts';
import { lockRedemption, redemptionIn, release } from '../coupons/redemption.ts';
import { type DiscountedLine, pricesOf } from '../coupons/rules.ts';
import type { Invoice } from '../invoices/entity.ts';
import { lineAmount } from '../invoices/rules.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import type { SubscriptionDiscount } from './discounts.ts';
import type { Subscription } from './entity.ts';
import { lockSubscription } from './rows.ts';
import { viewSubscription } from './view.ts';

/** A price and how many of it. */
interface SoldItem {
  readonly price: { readonly id: string; readonly productId: string; readonly unitAmount: number };
  readonly quantity: number;
}

/** What the first bill asks for. */
interface Sold {
  readonly sold: readonly SoldItem[];
  readonly setup: readonly SoldItem[];
}

const linesOf = (items: readonly SoldItem[], isSetup: boolean): DiscountedLine[] =>
  items.map(({ price, quantity }) => ({
    price: price.id,
    product: price.productId,
    amount: lineAmount({ quantity, unitAmount: price.unitAmount }),
    isSetup,
  }));

/** The discount that a redemption gives a subscription, whose first bill asks for some setup fees: it stands before all others. */
export const discountOfRedemption = (redemption: Redemption, { setup }: Pick<Sold, 'setup'>): SubscriptionDiscount => ({
  type: redemption.type,
  percentage: redemption.percentage ?? null,
  amount: redemption.amountCents ?? null,
  cycles: redemption.cycles ?? null,
  redemption: redemption.id,
  coupon: redemption.couponId,
  promotion_code: redemption.promotionCodeId ?? null,
  description: redemption.name,
  applies_to: redemption.appliesTo ?? null,
  setup: pricesOf(redemption.appliesTo ?? null, linesOf(setup, true)) ?? [],
});

/** Reserves the coupon that a new subscription asks for, and answers the discount that it gives; none: an empty list. */
export async function redeemForSubscription(
  tx: Tx,
  input: Parameters<typeof askedCoupon>[0],
  { customerId, sold, setup }: Sold & { customerId: string },
): Promise<SubscriptionDiscount[]> {
  const asked = askedCoupon(input);
  if (asked === null) return [];
  const lines = [...linesOf(sold, false), ...linesOf(setup, true)];
  const redemption = await reserve(tx, asked, { root: 'subscription', customerId, invoiceId: null, lines });
  return [discountOfRedemption(redemption, { setup })];
}

/** Of a subscription that has ended: a coupon that nothing was paid with is given back. */
export async function releaseCoupon(tx: Tx, { discounts }: Subscription): Promise<void> {
  const redemption = await lockRedemption(tx, discounts);
  if (redemption !== null) release(tx, redemption);
}

/** The first bill was voided by hand, which gave its coupon back: the later ones are without it (docs/product/coupons.md#redemption). */
export async function dropReleased(tx: Tx, { status, subscriptionId, billNumber, discounts }: Invoice): Promise<void> {
  const redemption = redemptionIn(discounts);
  if (status !== 'void' || subscriptionId == null || billNumber !== 1 || redemption === null) return;
  const contracted = await lockSubscription(tx, subscriptionId);
  const { subscription } = contracted;
  if (subscription.status === 'inactive') return;
  subscription.discounts = subscription.discounts.filter((discount) => discount.redemption !== redemption);
  tx.record('subscription.updated', viewSubscription(tx, contracted));
}
