import { defineEntity, type InferEntity } from '@mikro-orm/core';
import { check, codeKey, index, inScope, p, scoped, scopedAtTop, scopeKey, told } from '../db/columns.ts';
import { type AppliesTo, redemptionStatuses } from './rules.ts';

export const CouponSchema = defineEntity({
  name: 'Coupon',
  tableName: 'coupon',
  ...inScope,
  properties: {
    ...scopedAtTop,
    ...told,
    name: p.text(),
    type: p.enum(['percentage', 'fixed'] as const),
    percentage: p.double().$type<number>().check('percentage > 0 AND percentage <= 100').nullable(),
    amountCents: p.whole().check('amount_cents >= 1').nullable(),
    cycles: p.integer().check('cycles BETWEEN 1 AND 9999').nullable(),
    appliesTo: p.json<AppliesTo>().nullable(),
    maxRedemptions: p.integer().check('max_redemptions BETWEEN 1 AND 1000000').nullable(),
    redeemBy: p.whole().nullable(),
    minimumAmount: p.whole().check('minimum_amount >= 1').nullable(),
    active: p.boolean(),
    externalCode: p.text().nullable(),
    timesRedeemed: p.integer().default(0).check('times_redeemed >= 0'),
  },
  uniques: [scopeKey, codeKey('coupon')],
  checks: [
    check(
      'coupon_terms',
      `((type = 'percentage') = (percentage IS NOT NULL)) AND ((type = 'fixed') = (amount_cents IS NOT NULL))`,
    ),
    check('coupon_cap', 'times_redeemed <= max_redemptions'),
  ],
});

export type Coupon = InferEntity<typeof CouponSchema>;

export const PromotionCodeSchema = defineEntity({
  name: 'PromotionCode',
  tableName: 'promotion_code',
  ...inScope,
  properties: {
    ...scoped,
    ...told,
    couponId: p.idIn('coupon'),
    /** In capitals. */
    code: p.text(),
    customerId: p.idIn('customer').nullable(),
    firstTimeOnly: p.boolean(),
    maxRedemptions: p.integer().check('max_redemptions BETWEEN 1 AND 1000000').nullable(),
    expiresAt: p.whole().nullable(),
    active: p.boolean(),
    timesRedeemed: p.integer().default(0).check('times_redeemed >= 0'),
  },
  uniques: [scopeKey, index('promotion_code_active', ['accountId', 'liveMode', 'code'], 'active')],
  indexes: [
    index('promotion_code_code', ['accountId', 'liveMode', 'code', 'id']),
    index('promotion_code_coupon', ['couponId', 'id']),
    index('promotion_code_customer', ['customerId', 'id'], 'customer_id IS NOT NULL'),
  ],
  checks: [check('promotion_code_cap', 'times_redeemed <= max_redemptions')],
});

export type PromotionCode = InferEntity<typeof PromotionCodeSchema>;

/** A coupon that something was bought with: a copy of its terms, which last although the coupon ends. */
export const RedemptionSchema = defineEntity({
  name: 'Redemption',
  tableName: 'redemption',
  ...inScope,
  properties: {
    ...scoped,
    ...told,
    couponId: p.idIn('coupon'),
    promotionCodeId: p.idIn('promotion_code').nullable(),
    status: p.enum(redemptionStatuses),
    /** Null until the buyer of a checkout session is known. */
    customerId: p.idIn('customer').nullable(),
    /** The invoice whose payment redeems it: of a subscription the first. */
    invoiceId: p.idIn('invoice').nullable(),
    /** Null: it is redeemed for none. */
    subscriptionId: p.idIn('subscription').nullable(),
    name: p.text(),
    type: p.enum(['percentage', 'fixed'] as const),
    percentage: p.double().$type<number>().nullable(),
    amountCents: p.whole().nullable(),
    cycles: p.integer().nullable(),
    appliesTo: p.json<AppliesTo>().nullable(),
    minimumAmount: p.whole().nullable(),
    redeemedAt: p.whole().nullable(),
    releasedAt: p.whole().nullable(),
  },
  uniques: [scopeKey],
  indexes: [
    index('redemption_coupon', ['couponId', 'id']),
    index('redemption_promotion_code', ['promotionCodeId', 'id'], 'promotion_code_id IS NOT NULL'),
    index('redemption_customer', ['customerId', 'id'], 'customer_id IS NOT NULL'),
    index('redemption_invoice', ['invoiceId'], 'invoice_id IS NOT NULL'),
    index('redemption_subscription', ['subscriptionId'], 'subscription_id IS NOT NULL'),
  ],
  checks: [
    check(
      'redemption_status',
      `((status = 'redeemed') = (redeemed_at IS NOT NULL)) AND ((status = 'released') = (released_at IS NOT NULL))`,
    ),
  ],
});

export type Redemption = InferEntity<typeof RedemptionSchema>;
