import { defineEntity, type InferEntity } from '@mikro-orm/core';
import { check, codeKey, index, inScope, p, scoped, scopedAtTop, scopeKey, told } from '../db/columns.ts';

/** The lines that a coupon takes something off: of any of these. */
export interface AppliesTo {
  readonly products: readonly string[];
  readonly prices: readonly string[];
}

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
