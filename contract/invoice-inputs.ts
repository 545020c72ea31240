import { z } from 'zod';
import { arrayOf } from './arrays.ts';
import { checkBuyer, newBuyer, oneBuyer } from './buyer.ts';
import { DESCRIPTION_MAX, evenWhenInvalid, exampleId, externalCode, field, TIMESTAMP_MAX, typeId } from './kernel.ts';
import { DISCOUNTS_MAX, DiscountInput, LINE_ITEMS_MAX, LineItemInput } from './lines.ts';
import { metadata } from './metadata.ts';
import { promotionCodeText } from './promotion-codes.ts';
import { paragraph } from './texts.ts';

/** Furthest due date of an invoice, in days from its creation (docs/product/invoices.md#creation). */
export const DUE_DAYS_MAX = 365;

const lineItems = field(arrayOf(LineItemInput, { min: 1, max: LINE_ITEMS_MAX }), '1 to 100 lines of one-time prices.', [
  { price_id: exampleId('price'), quantity: 1 },
]);
const discounts = field(arrayOf(DiscountInput, { max: DISCOUNTS_MAX }), 'At most 10, applied in order.', [
  { type: 'percentage', percentage: 10 },
]);
export const couponId = typeId('cpn', 'A coupon to redeem; at most 9 discounts beside it, which come after it.');
export const promotionCode = field(
  promotionCodeText,
  'The text of a promotion code to redeem, in any case; in the place of `coupon_id`.',
  'VOLTE10',
);

/** What asks for a coupon, with the discounts beside it. */
export interface CouponAsked {
  readonly coupon_id?: string | null | undefined;
  readonly promotion_code?: string | null | undefined;
  readonly discounts?: readonly unknown[] | null | undefined;
}

/** One coupon, and no more discounts with it than without. */
export function checkCoupon(
  { coupon_id: coupon, promotion_code: code, discounts: inline }: CouponAsked,
  context: z.core.$RefinementCtx,
): void {
  const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
  if (coupon != null && code != null) refuse('promotion_code', 'must be absent when coupon_id is sent');
  if ((coupon ?? code) != null && Array.isArray(inline) && inline.length === DISCOUNTS_MAX)
    refuse('discounts', `must have at most ${DISCOUNTS_MAX - 1} beside a coupon, has ${inline.length}`);
}

const dueAt = field(
  z.int().min(0).max(TIMESTAMP_MAX),
  'When the invoice is due: from now to 365 days on; default 3 days. Unix time, seconds.',
  1_795_516_800,
);
const description = field(paragraph({ max: DESCRIPTION_MAX }), 'Description: up to 1,000 characters.', 'Pedido 1042');

export const InvoiceCreate = z
  .strictObject({
    customer_id: typeId('cus', 'Who pays: an existing customer.').optional(),
    customer: newBuyer('Who pays: a customer to create with the invoice.'),
    line_items: lineItems,
    external_code: externalCode.nullable().optional(),
    description: description.nullable().optional(),
    discounts: discounts.optional(),
    coupon_id: couponId.optional(),
    promotion_code: promotionCode.optional(),
    due_at: dueAt.optional(),
    draft: field(
      z.boolean().optional(),
      'Whether to keep the invoice a draft; default false: it is open at once.',
      false,
    ),
    metadata: metadata.optional(),
  })
  .superRefine((invoice, context) => {
    checkBuyer(invoice, context);
    checkCoupon(invoice, context);
  }, evenWhenInvalid)
  .meta({
    id: 'InvoiceCreate',
    description: 'A new standalone invoice.',
    examples: [{ customer_id: exampleId('cus'), line_items: [{ price_id: exampleId('price'), quantity: 1 }] }],
    ...oneBuyer,
  });

export type InvoiceCreate = z.output<typeof InvoiceCreate>;

export const InvoiceUpdate = z
  .strictObject({
    line_items: lineItems.optional(),
    external_code: externalCode.nullable().optional(),
    description: description.nullable().optional(),
    discounts: discounts.nullable().optional(),
    coupon_id: couponId.nullable().optional(),
    promotion_code: promotionCode.nullable().optional(),
    due_at: dueAt.nullable().optional(),
    metadata: metadata.nullable().optional(),
  })
  .superRefine(checkCoupon, evenWhenInvalid)
  .meta({
    id: 'InvoiceUpdate',
    description:
      'Changes of a draft: an absent field keeps, null clears: no discounts, no coupon, no metadata, due 3 days from now.',
  });

export type InvoiceUpdate = z.output<typeof InvoiceUpdate>;

export const InvoiceExtend = z
  .strictObject({
    due_at: field(
      z.int().min(0).max(TIMESTAMP_MAX),
      'When the invoice is due from now on: later than it is, at most 365 days from now. Unix time, seconds.',
      1_795_862_400,
    ),
  })
  .meta({ id: 'InvoiceExtend', description: 'A later due date.' });
