import { z } from 'zod';
import { arrayOf } from './arrays.ts';
import { conditional, without } from './conditions.ts';
import {
  exampleId,
  externalCode,
  externalCodeFilter,
  externalCodeOrNull,
  field,
  listOf,
  liveMode,
  meta,
  NAME_MAX,
  objectName,
  pageQuery,
  pathId,
  queryFlag,
  TIMESTAMP_MAX,
  timestamp,
  typeId,
} from './kernel.ts';
import { DiscountType, discountCycles, discountPercentage } from './lines.ts';
import { c, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';
import { text } from './texts.ts';

/** Most redemptions that a coupon or a code can be capped at. */
export const REDEMPTIONS_MAX = 1_000_000;
/** Most products, and most prices, that a coupon can name. */
const APPLIES_TO_MAX = 100;

export const maxRedemptionsOrNull = field(
  z.int().nullable(),
  'How often it can be redeemed in all; null: without a limit.',
  100,
);
export const lastInstant = field(
  z.int().nullable(),
  'The last instant it can be redeemed at. Unix time, seconds; null: without an end.',
  1_827_000_000,
);
export const timesRedeemed = field(
  z.int(),
  'How often it is redeemed, what is reserved for an open purchase included.',
  3,
);

export const CouponAppliesTo = z
  .object({
    products: z.array(typeId('prod', 'A product.')).meta({ description: 'Lines of these products.' }),
    prices: z.array(typeId('price', 'A price.')).meta({ description: 'Lines of these prices.' }),
  })
  .meta({ id: 'CouponAppliesTo', description: 'The lines that a coupon takes something off: of any of these.' });

export const Coupon = z
  .object({
    id: typeId('cpn', 'Identifier of the coupon.'),
    object: objectName('coupon'),
    active: field(z.boolean(), 'Whether it can be redeemed.', true),
    amount_cents: field(z.int().nullable(), 'Cents taken off; null when a percentage.', null),
    applies_to: field(CouponAppliesTo.nullable(), 'The lines it takes something off; null: all of them.', null),
    created: timestamp('When the coupon was created.'),
    cycles: field(z.int().nullable(), 'Bills of a subscription it lasts; null: for ever.', 1),
    external_code: externalCodeOrNull,
    live_mode: liveMode,
    max_redemptions: maxRedemptionsOrNull,
    minimum_amount: field(
      z.int().nullable(),
      'Least that the lines it applies to come to, before discounts. Integer cents; null: anything.',
      5_000,
    ),
    name: field(z.string(), 'Name of the coupon, as buyers read it.', 'Boas-vindas'),
    percentage: field(z.number().nullable(), 'Percent taken off; null when fixed.', 10),
    redeem_by: lastInstant,
    times_redeemed: timesRedeemed,
    type: field(DiscountType, 'How the discount is measured.', 'percentage'),
  })
  .meta({
    id: 'Coupon',
    description: 'The terms of a discount that is redeemed by its id, or by its promotion codes.',
  });

export type Coupon = z.output<typeof Coupon>;

const couponName = field(text({ max: NAME_MAX }), 'Name, as buyers read it: 1 to 250 characters.', 'Boas-vindas');
const couponActive = field(z.boolean(), 'Whether it can be redeemed; default true.', true);
export const redemptionsLimit = field(
  z.int().min(1).max(REDEMPTIONS_MAX).nullable().optional(),
  'How often it can be redeemed in all: 1 to 1,000,000; absent: without a limit.',
  100,
);
/** When a coupon or a code ends. */
export const until = (description: string) =>
  field(z.int().min(0).max(TIMESTAMP_MAX).nullable().optional(), `${description} Unix time, seconds.`, 1_827_000_000);
const redeemBy = until('The last instant it can be redeemed at, which lies ahead; absent: without an end.');

const appliesTo = field(
  z
    .strictObject({
      product_ids: field(
        arrayOf(typeId('prod', 'A product.'), { min: 1, max: APPLIES_TO_MAX }).optional(),
        'Lines of these products: 1 to 100.',
      ),
      price_ids: field(
        arrayOf(typeId('price', 'A price.'), { min: 1, max: APPLIES_TO_MAX }).optional(),
        'Lines of these prices: 1 to 100.',
      ),
    })
    .refine(({ product_ids, price_ids }) => product_ids !== undefined || price_ids !== undefined, {
      path: ['product_ids'],
      message: 'or price_ids is required',
      params: { missing: true },
    })
    .meta({
      id: 'CouponAppliesToInput',
      description: 'The lines that a coupon takes something off: of any of these products or prices.',
      ...conditional({ when: without('product_ids'), so: { required: ['price_ids'] } }),
    })
    .nullable()
    .optional(),
  'The lines it takes something off; absent: all of them.',
  { product_ids: [exampleId('prod')] },
);

const couponFields = {
  name: couponName,
  cycles: discountCycles,
  applies_to: appliesTo,
  max_redemptions: redemptionsLimit,
  redeem_by: redeemBy,
  minimum_amount: field(
    z.int().min(1).nullable().optional(),
    'Least that the lines it applies to come to, before discounts. Integer cents, from 1.',
    5_000,
  ),
  active: couponActive.optional(),
  external_code: externalCode.nullable().optional(),
};

export const CouponCreate = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: field(z.literal('percentage'), 'Percent of the lines it applies to.', 'percentage'),
        percentage: discountPercentage,
        ...couponFields,
      })
      .meta({ id: 'PercentageCouponCreate', description: 'A new coupon of a percentage, rounded half up.' }),
    z
      .strictObject({
        type: field(z.literal('fixed'), 'Cents off the lines it applies to.', 'fixed'),
        amount_cents: field(z.int().min(1), 'Cents taken off, as far as there is something left to pay.', 500),
        ...couponFields,
      })
      .meta({ id: 'FixedCouponCreate', description: 'A new coupon of a fixed amount.' }),
  ])
  .meta({ id: 'CouponCreate', description: 'A new coupon.' });

export type CouponCreate = z.output<typeof CouponCreate>;

export const CouponUpdate = z
  .strictObject({
    name: couponName.optional(),
    active: couponActive.optional(),
    redeem_by: redeemBy,
    external_code: externalCode.nullable().optional(),
  })
  .meta({
    id: 'CouponUpdate',
    description:
      'Changes of a coupon: an absent field keeps, null clears. What it takes off never changes; what was redeemed keeps its terms.',
  });

export type CouponUpdate = z.output<typeof CouponUpdate>;

const CouponBody = z
  .strictObject({ coupon: CouponCreate })
  .meta({ id: 'CouponCreateBody', description: 'A new coupon.' });
const CouponPatch = z
  .strictObject({ coupon: CouponUpdate })
  .meta({ id: 'CouponUpdateBody', description: 'Changes of a coupon.' });
export const CouponListQuery = z.strictObject({
  ...pageQuery('cpn'),
  active: queryFlag('Only active, or only inactive coupons.'),
  external_code: externalCodeFilter('Only the coupon with this external_code.'),
});

const couponPath = pathId('coupon', 'cpn');
export const coupons = c.router(
  {
    create: {
      method: 'POST',
      path: '/coupons',
      summary: 'Create a coupon',
      body: CouponBody,
      responses: { 201: Coupon, ...writeErrors },
      metadata: meta({ scope: 'write' }),
    },
    retrieve: {
      method: 'GET',
      path: '/coupons/:coupon_id',
      pathParams: couponPath,
      summary: 'Retrieve a coupon',
      responses: { 200: Coupon, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'cpn' }),
    },
    list: {
      method: 'GET',
      path: '/coupons',
      summary: 'List coupons',
      query: CouponListQuery,
      responses: { 200: listOf(Coupon, { id: 'CouponList', url: '/api/v1/coupons' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
    update: {
      method: 'PATCH',
      path: '/coupons/:coupon_id',
      pathParams: couponPath,
      summary: 'Update a coupon',
      body: CouponPatch,
      responses: { 200: Coupon, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'cpn' }),
    },
  },
  routerOptions,
);
