import { z } from 'zod';
import { CouponAppliesTo } from './coupons.ts';
import { field } from './kernel.ts';
import { DiscountType, discountCycles, discountPercentage, givenByCoupon } from './lines.ts';

export const SubscriptionDiscount = z
  .object({
    type: field(DiscountType, 'How the discount is measured.', 'percentage'),
    amount: field(z.int().nullable(), 'Cents taken off each bill; null when a percentage.', null),
    percentage: field(z.number().nullable(), 'Percent of the running subtotal; null when fixed.', 10),
    cycles: field(z.int().nullable(), 'Bills it lasts, counted from the first; null: for ever.', 3),
    description: field(
      z.string().nullable(),
      'What the buyer is told: the name of the coupon; null without one.',
      null,
    ),
    ...givenByCoupon,
    applies_to: field(
      CouponAppliesTo.nullable(),
      'The items it takes something off, by their products or prices; null: all of them.',
      null,
    ),
  })
  .meta({ id: 'SubscriptionDiscount', description: 'A discount of the bills of a subscription.' });

export type SubscriptionDiscount = z.output<typeof SubscriptionDiscount>;

export const SubscriptionDiscountInput = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: field(z.literal('percentage'), 'Percent of the running subtotal.', 'percentage'),
        percentage: discountPercentage,
        cycles: discountCycles,
      })
      .meta({ id: 'SubscriptionPercentageDiscount', description: 'Percent of each bill, rounded half up.' }),
    z
      .strictObject({
        type: field(z.literal('fixed'), 'Cents off the running subtotal.', 'fixed'),
        amount: field(z.int().min(1), 'Cents taken off each bill; not more than the first one.', 500),
        cycles: discountCycles,
      })
      .meta({ id: 'SubscriptionFixedDiscount', description: 'Cents off each bill.' }),
  ])
  .meta({ id: 'SubscriptionDiscountInput', description: 'A discount by percentage or of a fixed amount.' });

export type SubscriptionDiscountInput = z.output<typeof SubscriptionDiscountInput>;
