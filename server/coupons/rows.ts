import { table } from '../unit-of-work/table.ts';
import { CouponSchema, PromotionCodeSchema, RedemptionSchema } from './entity.ts';

/** What a coupon takes off never changes; how often it is redeemed is counted by statements of redemption alone. */
export const coupons = table(CouponSchema, {
  fixed: [
    'type',
    'percentage',
    'amountCents',
    'cycles',
    'appliesTo',
    'maxRedemptions',
    'minimumAmount',
    'timesRedeemed',
  ],
});

export const promotionCodes = table(PromotionCodeSchema, {
  noun: 'promotion code',
  fixed: ['couponId', 'customerId', 'firstTimeOnly', 'maxRedemptions', 'timesRedeemed'],
});

/** Its terms are copies, and never change. */
export const redemptions = table(RedemptionSchema, {
  fixed: [
    'couponId',
    'promotionCodeId',
    'name',
    'type',
    'percentage',
    'amountCents',
    'cycles',
    'appliesTo',
    'minimumAmount',
  ],
});
