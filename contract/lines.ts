import { z } from 'zod';
import { amount, DESCRIPTION_MAX, exampleId, field, liveMode, named, objectName, timestamp, typeId } from './kernel.ts';
import { paragraph } from './texts.ts';

export const LINE_ITEMS_MAX = 100;
/** Where the lines are looked at before their number is: of longer lists none is. */
export const LINE_ITEMS_READ_MAX = 200;
export const QUANTITY_MAX = 999;
export const DISCOUNTS_MAX = 10;

export const DiscountType = named('DiscountType', ['percentage', 'fixed'], 'How a discount is measured.');

/** What a bill that was late costs beside itself. */
export const lateKinds = ['late_fine', 'late_interest'] as const;
export const lineKinds = ['one_time', 'recurring', 'setup', 'proration', 'penalty', ...lateKinds] as const;
export type LineKind = (typeof lineKinds)[number];
const LineKind = named('LineKind', lineKinds, 'What a line is for.');

export const LineItem = z
  .object({
    object: objectName('item'),
    price: typeId('price', 'The price of this line.'),
    quantity: field(z.int(), 'Units bought.', 1),
    unit_amount: amount('Price of one unit.'),
    amount: amount('Unit price times quantity.'),
    description: field(z.string(), 'What was bought: the name of the product.', 'Plano Ouro'),
    kind: field(
      LineKind,
      '`one_time`: bought once; `recurring`: an item of a subscription for a period; `setup`: once, with the first bill; `proration`: a change within a period; `penalty`: an end before the minimum term; `late_fine`, `late_interest`: fine and interest of a bill that was paid late.',
      'one_time',
    ),
    subscription_item: field(
      typeId('si', 'The item of the subscription.').nullable(),
      'The item of the subscription that the line bills; null of none.',
      exampleId('si'),
    ),
    period_start: field(
      z.int().nullable(),
      'Start of the period that the line bills, null of none and until it begins. Unix time, seconds.',
      1_795_257_600,
    ),
    period_end: field(
      z.int().nullable(),
      'End of the period that the line bills, null of none and until it begins. Unix time, seconds.',
      1_797_849_600,
    ),
  })
  .meta({ id: 'LineItem', description: 'One line of an invoice.' });

/** Where a credit comes from. */
export const creditKinds = ['proration', 'granted', 'unused'] as const;
export type CreditKind = (typeof creditKinds)[number];
const CreditKind = named('CreditKind', creditKinds, 'Where a credit comes from.');

export const InvoiceCredit = z
  .object({
    object: objectName('invoice_credit'),
    amount: amount('What the bill used of it.'),
    description: field(z.string(), 'What the buyer is told.', 'Um dia sem serviço'),
    invoice_item: field(
      typeId('ii', 'The credit.').nullable(),
      'The credit, an invoice item; null of one that a change brings with its own invoice, or would bring by its preview.',
      exampleId('ii'),
    ),
    type: field(
      CreditKind,
      '`granted`: given by you; `proration`: a change within a paid period; `unused`: the rest of a paid period.',
      'granted',
    ),
  })
  .meta({ id: 'InvoiceCredit', description: 'A credit that an invoice used, after its discounts.' });

export const LineItemInput = z
  .strictObject({
    price_id: typeId('price', 'A one-time, active price.'),
    quantity: field(z.int().min(1).max(QUANTITY_MAX), 'Units bought: 1 to 999.', 1),
  })
  .meta({ id: 'LineItemInput', description: 'A price and how many of it.' });

export type LineItemInput = z.output<typeof LineItemInput>;

/** What a discount says of the coupon that gives it. */
export const givenByCoupon = {
  redemption: field(
    typeId('rdm', 'The redemption.').nullable(),
    'The redemption of a coupon that gives it; null when no coupon does.',
    null,
  ),
  coupon: field(typeId('cpn', 'The coupon.').nullable(), 'The coupon that gives it; null when none does.', null),
  promotion_code: field(
    typeId('promo', 'The promotion code.').nullable(),
    'The promotion code that the coupon was redeemed by; null when by its id, or without a coupon.',
    null,
  ),
};

export const Discount = z
  .object({
    type: field(DiscountType, 'How the discount is measured.', 'percentage'),
    percentage: field(z.number().nullable(), 'Percent of the running subtotal; null when fixed.', 10),
    amount_cents: field(z.int().nullable(), 'Cents taken off; null when a percentage.', null),
    cycles: field(z.int().nullable(), 'Billed invoices it lasts, for subscriptions; null: for ever.', null),
    description: field(z.string().nullable(), 'What the buyer is told; null when nothing.', 'Boas-vindas'),
    ...givenByCoupon,
  })
  .meta({ id: 'Discount', description: 'A discount, applied in order on the running subtotal, rounded half up.' });

export type Discount = z.output<typeof Discount>;

const RedemptionStatus = named(
  'RedemptionStatus',
  ['reserved', 'redeemed', 'released'],
  'Where a redemption stands: `reserved` until its purchase is paid (`redeemed`) or can no more be paid (`released`).',
);

export const RedeemedDiscount = z
  .object({
    id: typeId('rdm', 'Identifier of the redemption.'),
    object: objectName('discount'),
    amount_cents: field(z.int().nullable(), 'Cents taken off; null when a percentage.', null),
    coupon: typeId('cpn', 'The coupon.'),
    created: timestamp('When the coupon was redeemed: reserved, at first.'),
    customer: field(typeId('cus', 'Who redeemed it.').nullable(), 'Who redeemed it; null while no buyer is known.'),
    cycles: field(z.int().nullable(), 'Bills of a subscription it lasts; null: for ever.', 1),
    description: field(z.string(), 'What the buyer is told: the name of the coupon.', 'Boas-vindas'),
    invoice: field(
      typeId('in', 'The invoice.').nullable(),
      'The invoice whose payment redeems it, of a subscription its first; null while there is none.',
    ),
    live_mode: liveMode,
    percentage: field(z.number().nullable(), 'Percent taken off; null when fixed.', 10),
    promotion_code: field(
      typeId('promo', 'The promotion code.').nullable(),
      'The promotion code that it was redeemed by; null when by its id.',
      null,
    ),
    status: field(RedemptionStatus, 'Where the redemption stands.', 'redeemed'),
    subscription: field(
      typeId('sub', 'The subscription.').nullable(),
      'The subscription that it was redeemed for; null where for none.',
      null,
    ),
    type: field(DiscountType, 'How the discount is measured.', 'percentage'),
  })
  .meta({
    id: 'RedeemedDiscount',
    description: 'A coupon that was redeemed for a purchase, with a copy of its terms.',
  });

export type RedeemedDiscount = z.output<typeof RedeemedDiscount>;

const discountDescription = field(
  paragraph({ max: DESCRIPTION_MAX }).nullable().optional(),
  'What the buyer is told: up to 1,000 characters.',
  'Boas-vindas',
);

/** Cycles a discount may last: decades of days. */
const CYCLES_MAX = 9_999;

export const discountCycles = field(
  z.int().min(1).max(CYCLES_MAX).nullable().optional(),
  'Bills it lasts, counted from the first: 1 to 9,999; absent: for ever.',
  3,
);

export const isTwoDecimals = (value: number): boolean => Number(value.toFixed(2)) === value;

export const discountPercentage = field(
  z
    .number()
    .gt(0)
    .lte(100)
    .refine(isTwoDecimals, { message: 'must have at most two decimals' })
    .meta({ multipleOf: 0.01 }),
  'Above 0 to 100, at most two decimals.',
  10,
);

/** A discount as it is asked for; `more` are the fields of the object that it is asked for. */
function discountInput<More extends z.core.$ZodLooseShape>(
  ids: { all: string; percentage: string; fixed: string },
  more: More,
) {
  return z
    .discriminatedUnion('type', [
      z
        .strictObject({
          type: field(z.literal('percentage'), 'Percent of the running subtotal.', 'percentage'),
          percentage: discountPercentage,
          description: discountDescription,
          ...more,
        })
        .meta({ id: ids.percentage, description: 'Percent of the running subtotal, rounded half up.' }),
      z
        .strictObject({
          type: field(z.literal('fixed'), 'Cents off the running subtotal.', 'fixed'),
          amount_cents: field(z.int().min(1), 'Cents taken off; not more than the subtotal.', 500),
          description: discountDescription,
          ...more,
        })
        .meta({ id: ids.fixed, description: 'Cents off the running subtotal.' }),
    ])
    .meta({ id: ids.all, description: 'A discount by percentage or of a fixed amount.' });
}

export const DiscountInput = discountInput(
  { all: 'DiscountInput', percentage: 'PercentageDiscountInput', fixed: 'FixedDiscountInput' },
  {},
);

export const SessionDiscountInput = discountInput(
  { all: 'SessionDiscountInput', percentage: 'SessionPercentageDiscount', fixed: 'SessionFixedDiscount' },
  { cycles: discountCycles },
);

export type SessionDiscountInput = z.output<typeof SessionDiscountInput>;
export type DiscountInput = z.output<typeof DiscountInput>;
