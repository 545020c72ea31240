import type { Coupon as CouponView } from '../../contract/coupons.ts';
import type { RedeemedDiscount } from '../../contract/lines.ts';
import type { PromotionCode as PromotionCodeView } from '../../contract/promotion-codes.ts';
import type { Coupon, PromotionCode, Redemption } from './entity.ts';

/** The coupon as its retrieval answers it (docs/product/coupons.md#coupons). */
export function viewCoupon(coupon: Coupon): CouponView {
  const { appliesTo } = coupon;
  return {
    id: coupon.id,
    object: 'coupon',
    active: coupon.active,
    amount_cents: coupon.amountCents ?? null,
    applies_to: appliesTo == null ? null : { products: [...appliesTo.products], prices: [...appliesTo.prices] },
    created: coupon.created,
    cycles: coupon.cycles ?? null,
    external_code: coupon.externalCode ?? null,
    live_mode: coupon.liveMode,
    max_redemptions: coupon.maxRedemptions ?? null,
    minimum_amount: coupon.minimumAmount ?? null,
    name: coupon.name,
    percentage: coupon.percentage ?? null,
    redeem_by: coupon.redeemBy ?? null,
    times_redeemed: coupon.timesRedeemed,
    type: coupon.type,
  };
}

/** The promotion code as its retrieval answers it (docs/product/coupons.md#promotion-codes). */
export function viewPromotionCode(code: PromotionCode): PromotionCodeView {
  return {
    id: code.id,
    object: 'promotion_code',
    active: code.active,
    code: code.code,
    coupon: code.couponId,
    created: code.created,
    customer: code.customerId ?? null,
    expires_at: code.expiresAt ?? null,
    first_time_only: code.firstTimeOnly,
    live_mode: code.liveMode,
    max_redemptions: code.maxRedemptions ?? null,
    times_redeemed: code.timesRedeemed,
  };
}

/** What `discount.redeemed` and `discount.released` tell (docs/product/coupons.md#redemption). */
export function viewRedemption(redemption: Redemption): RedeemedDiscount {
  return {
    id: redemption.id,
    object: 'discount',
    amount_cents: redemption.amountCents ?? null,
    coupon: redemption.couponId,
    created: redemption.created,
    customer: redemption.customerId ?? null,
    cycles: redemption.cycles ?? null,
    description: redemption.name,
    invoice: redemption.invoiceId ?? null,
    live_mode: redemption.liveMode,
    percentage: redemption.percentage ?? null,
    promotion_code: redemption.promotionCodeId ?? null,
    status: redemption.status,
    subscription: redemption.subscriptionId ?? null,
    type: redemption.type,
  };
}
