import { z } from 'zod';
import { lastInstant, maxRedemptionsOrNull, redemptionsLimit, timesRedeemed, until } from './coupons.ts';
import {
  field,
  listOf,
  liveMode,
  meta,
  objectName,
  pageQuery,
  pathId,
  queryFlag,
  timestamp,
  typeId,
} from './kernel.ts';
import { c, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';

const CODE = /^[A-Za-z0-9-]{3,40}$/;
const CODE_RULE = 'must have 3 to 40 of the characters A-Z, 0-9 and -';

/** A code as buyers type it, in capitals. */
export const promotionCodeText = z
  .string()
  .trim()
  .regex(CODE, CODE_RULE)
  .transform((code) => code.toUpperCase())
  .pipe(z.string())
  .meta({ minLength: 3, maxLength: 40, pattern: CODE.source });

export const PromotionCode = z
  .object({
    id: typeId('promo', 'Identifier of the promotion code.'),
    object: objectName('promotion_code'),
    active: field(z.boolean(), 'Whether it can be redeemed, as long as its coupon can.', true),
    code: field(z.string(), 'What buyers type: in capitals, whatever case it is typed in.', 'VOLTE10'),
    coupon: typeId('cpn', 'The coupon that the code redeems.'),
    created: timestamp('When the code was created.'),
    customer: field(
      typeId('cus', 'Who alone may redeem it.').nullable(),
      'Who alone may redeem it; null: anybody.',
      null,
    ),
    expires_at: lastInstant,
    first_time_only: field(z.boolean(), 'Whether only customers who have paid nothing yet may redeem it.', false),
    live_mode: liveMode,
    max_redemptions: maxRedemptionsOrNull,
    times_redeemed: timesRedeemed,
  })
  .meta({ id: 'PromotionCode', description: 'What buyers type to redeem a coupon.' });

export type PromotionCode = z.output<typeof PromotionCode>;

const codeActive = field(z.boolean(), 'Whether it can be redeemed; default true.', true);
const expiresAt = until('The last instant it can be redeemed at, which lies ahead; absent: without an end.');

export const PromotionCodeCreate = z
  .strictObject({
    coupon_id: typeId('cpn', 'The coupon that the code redeems.'),
    code: field(
      promotionCodeText,
      'What buyers type: 3 to 40 of A-Z, 0-9 and -. Compared in capitals, unique among the active codes.',
      'VOLTE10',
    ),
    customer_id: field(typeId('cus', 'Who alone may redeem it.').nullable().optional(), 'Who alone may redeem it.'),
    first_time_only: field(
      z.boolean().optional(),
      'Whether only customers who have paid nothing yet may redeem it; default false.',
      true,
    ),
    max_redemptions: redemptionsLimit,
    expires_at: expiresAt,
    active: codeActive.optional(),
  })
  .meta({ id: 'PromotionCodeCreate', description: 'A new promotion code.' });

export type PromotionCodeCreate = z.output<typeof PromotionCodeCreate>;

export const PromotionCodeUpdate = z.strictObject({ active: codeActive.optional(), expires_at: expiresAt }).meta({
  id: 'PromotionCodeUpdate',
  description: 'Changes of a promotion code: an absent field keeps, null clears.',
});

export type PromotionCodeUpdate = z.output<typeof PromotionCodeUpdate>;

const CodeBody = z
  .strictObject({ promotion_code: PromotionCodeCreate })
  .meta({ id: 'PromotionCodeCreateBody', description: 'A new promotion code.' });
const CodePatch = z
  .strictObject({ promotion_code: PromotionCodeUpdate })
  .meta({ id: 'PromotionCodeUpdateBody', description: 'Changes of a promotion code.' });

export const PromotionCodeListQuery = z.strictObject({
  ...pageQuery('promo'),
  active: queryFlag('Only active, or only inactive codes.'),
  code: field(promotionCodeText.optional(), 'Only codes of this text, in any case.', 'VOLTE10'),
  coupon_id: typeId('cpn', 'Only codes of this coupon.').optional(),
  customer_id: typeId('cus', 'Only codes of this customer alone.').optional(),
});

const codePath = pathId('promotion_code', 'promo');

export const promotionCodes = c.router(
  {
    create: {
      method: 'POST',
      path: '/promotion_codes',
      summary: 'Create a promotion code',
      description: 'A code that another active one has is 409 EXTERNAL_CODE_TAKEN.',
      body: CodeBody,
      responses: { 201: PromotionCode, ...writeErrors },
      metadata: meta({ scope: 'write' }),
    },
    retrieve: {
      method: 'GET',
      path: '/promotion_codes/:promotion_code_id',
      pathParams: codePath,
      summary: 'Retrieve a promotion code',
      responses: { 200: PromotionCode, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'promo' }),
    },
    list: {
      method: 'GET',
      path: '/promotion_codes',
      summary: 'List promotion codes',
      query: PromotionCodeListQuery,
      responses: {
        200: listOf(PromotionCode, { id: 'PromotionCodeList', url: '/api/v1/promotion_codes' }),
        ...listErrors,
      },
      metadata: meta({ scope: 'read' }),
    },
    update: {
      method: 'PATCH',
      path: '/promotion_codes/:promotion_code_id',
      pathParams: codePath,
      summary: 'Update a promotion code',
      description: 'Activating a code that another active one has is 409 EXTERNAL_CODE_TAKEN.',
      body: CodePatch,
      responses: { 200: PromotionCode, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'promo' }),
    },
  },
  routerOptions,
);
