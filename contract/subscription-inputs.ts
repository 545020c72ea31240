import { z } from 'zod';
import { arrayOf } from './arrays.ts';
import { checkBuyer, newBuyer, oneBuyer } from './buyer.ts';
import { SubscriptionCollectionInput } from './collection-days.ts';
import { conditional, without } from './conditions.ts';
import { type CouponAsked, checkCoupon, couponId, promotionCode } from './invoice-inputs.ts';
import { EXTERNAL_CODE_MAX, evenWhenInvalid, exampleId, field, named, TIMESTAMP_MAX, typeId } from './kernel.ts';
import { LateFeesInput, lateFeesExample } from './late-fees.ts';
import { DISCOUNTS_MAX, QUANTITY_MAX } from './lines.ts';
import { MinimumTermInput } from './minimum-term.ts';
import { SubscriptionDiscountInput } from './subscription-discounts.ts';
import { text } from './texts.ts';
import { TrialInput } from './trials.ts';

const quantity = field(z.int().min(1).max(QUANTITY_MAX), 'Units billed each cycle: 1 to 999.', 1);

/** Items of a subscription (docs/product/subscriptions.md#items). */
export const ITEMS_MAX = 20;
/** One-time prices of the first bill. */
export const SETUP_MAX = 10;

export const SubscriptionItemInput = z
  .strictObject({
    price_id: typeId('price', 'A recurring, active price.'),
    quantity: quantity.optional(),
  })
  .meta({ id: 'SubscriptionItemInput', description: 'A price and how many of it each cycle bills.' });

const SubscriptionSetupInput = z
  .strictObject({
    price_id: typeId('price', 'A one-time, active price.'),
    quantity: field(z.int().min(1).max(QUANTITY_MAX).optional(), 'Units: 1 to 999; default 1.', 1),
  })
  .meta({ id: 'SubscriptionSetupInput', description: 'A price and how many of it the first bill asks for.' });

/** How a subscription begins, how long it lasts at least, and what its bills cost where they are paid late. */
const beginning = {
  collection: field(SubscriptionCollectionInput.optional(), "Days of its own; absent: the account's.", {
    suspend_days: 20,
  }),
  late_fees: field(
    LateFeesInput.optional(),
    'What it costs to pay its bills late; absent: what the account asks at each bill.',
    lateFeesExample,
  ),
  minimum_term: field(MinimumTermInput.optional(), 'How long it lasts at least, and what an earlier end costs.', {
    cycles: 12,
    penalty_type: 'remaining_percentage',
    penalty_value: 20,
  }),
  start_date: field(
    z.int().min(0).max(TIMESTAMP_MAX).optional(),
    'When it begins, up to two years ahead: `scheduled` until then, and nothing is billed. Unix time, seconds.',
    1_796_467_200,
  ),
  trial: field(TrialInput.optional(), 'Nothing is billed for so long before the first cycle.', { days: 14 }),
};

export const SessionSubscriptionInput = z.strictObject(beginning).meta({
  id: 'SessionSubscriptionInput',
  description:
    'How the subscription that a checkout session sells begins, how long it lasts at least, how its bills are collected, and what late payment costs.',
  examples: [{ trial: { days: 14 } }],
});

export type SessionSubscriptionInput = z.output<typeof SessionSubscriptionInput>;

export const SubscriptionCreate = z
  .strictObject({
    customer_id: typeId('cus', 'Who pays: an existing customer.').optional(),
    customer: newBuyer('Who pays: a customer to create with the subscription.'),
    price_id: typeId('price', 'A recurring, active price: short for `items` of one.').optional(),
    external_code: subscriptionCode().nullable().optional(),
    quantity: quantity.optional(),
    items: field(
      arrayOf(SubscriptionItemInput, { min: 1, max: ITEMS_MAX }).optional(),
      '1 to 20 prices of one recurrence, each once; in place of `price_id`.',
      [{ price_id: exampleId('price'), quantity: 1 }],
    ),
    discounts: field(
      arrayOf(SubscriptionDiscountInput, { max: DISCOUNTS_MAX }).optional(),
      'At most 10, applied in order.',
      [{ type: 'percentage', percentage: 10, cycles: 3 }],
    ),
    coupon_id: couponId.optional(),
    promotion_code: promotionCode.optional(),
    collection: beginning.collection,
    late_fees: beginning.late_fees,
    minimum_term: beginning.minimum_term,
    setup: field(
      arrayOf(SubscriptionSetupInput, { max: SETUP_MAX }).optional(),
      'At most 10 one-time prices that the first bill asks for beside the items.',
      [{ price_id: exampleId('price'), quantity: 1 }],
    ),
    start_date: beginning.start_date,
    trial: beginning.trial,
    default_payment_method: field(
      typeId('txn', 'A stored card.').nullable().optional(),
      "A stored card of the customer: the first bill, too, is charged to it at once; null: whichever is the customer's default at each charge.",
      exampleId('txn'),
    ),
  })
  .superRefine(checkCreation, evenWhenInvalid)
  .meta({
    id: 'SubscriptionCreate',
    description: 'A new subscription.',
    examples: [{ customer_id: exampleId('cus'), price_id: exampleId('price') }],
    allOf: [
      oneBuyer,
      conditional({
        when: { required: ['price_id'] },
        so: without('items'),
        otherwise: { required: ['items'], ...without('quantity') },
      }),
    ],
  });

export type SubscriptionCreate = z.output<typeof SubscriptionCreate>;

export const SubscriptionCreateBody = z
  .strictObject({ subscription: SubscriptionCreate })
  .meta({ id: 'SubscriptionCreateBody', description: 'A new subscription.' });

interface Creation extends CouponAsked {
  readonly customer_id?: string | undefined;
  readonly customer?: unknown;
  readonly price_id?: string | undefined;
  readonly quantity?: number | undefined;
  readonly items?: readonly { readonly price_id: string }[] | undefined;
}

/** One of each pair, and no price twice. */
function checkCreation(made: Creation, context: z.core.$RefinementCtx): void {
  const refuse = (path: (string | number)[], message: string): void => {
    context.addIssue({ code: 'custom', path, message });
  };
  checkBuyer(made, context);
  checkCoupon(made, context);
  if (made.items === undefined) {
    if (made.price_id !== undefined) return;
    const message = 'or items is required';
    context.addIssue({ code: 'custom', path: ['price_id'], message, params: { missing: true } });
    return;
  }
  if (made.price_id !== undefined) refuse(['items'], 'must be absent when price_id is sent');
  if (made.quantity !== undefined) refuse(['quantity'], 'must be absent when items is sent: each item has its own');
  if (!Array.isArray(made.items)) return;
  for (const [index, item] of made.items.entries()) {
    if (made.items.findIndex((other) => other?.price_id === item?.price_id) < index)
      refuse(['items', index, 'price_id'], 'must be a price that no item before has');
  }
}

/** A free string: unlike that of other objects it need not be unique (docs/product/requests.md#external-codes). */
function subscriptionCode() {
  return field(text({ max: EXTERNAL_CODE_MAX }), 'Your own code: 1 to 255 characters.', 'assinatura-7');
}

export const SubscriptionUpdate = z
  .strictObject({
    external_code: subscriptionCode().nullable().optional(),
    collection: field(
      SubscriptionCollectionInput.optional(),
      'Days of its own by which the bills are collected that are to come; what is open keeps its days.',
      { suspend_days: 20 },
    ),
    late_fees: field(
      LateFeesInput.nullable().optional(),
      'What it costs to pay the bills late that are to come; null: what the account asks.',
      lateFeesExample,
    ),
    quantity: quantity.optional(),
    trial_end: field(
      z.int().min(0).max(TIMESTAMP_MAX).optional(),
      'When its trial ends, which is under way: at most 730 days after it began. Unix time, seconds.',
      1_796_467_200,
    ),
  })
  .meta({
    id: 'SubscriptionUpdate',
    description: 'Changes: an absent field keeps, null clears; a quantity holds from the next bill.',
  });

export type SubscriptionUpdate = z.output<typeof SubscriptionUpdate>;

export const SubscriptionUpdateBody = z
  .strictObject({ subscription: SubscriptionUpdate })
  .meta({ id: 'SubscriptionUpdateBody', description: 'Changes of a subscription.' });

const CancelMoment = named('CancelMoment', ['now', 'period_end'], 'When a subscription ends, by name.');

export const unusedPeriods = ['none', 'credit', 'refund'] as const;
const UnusedPeriod = named('UnusedPeriod', unusedPeriods, 'What becomes of the rest of a paid period.');
export const penaltyChoices = ['apply', 'waive'] as const;
export const PenaltyChoice = named(
  'PenaltyChoice',
  penaltyChoices,
  'Whether the penalty of a minimum term is charged.',
);

export const cancellationReasons = [
  'too_expensive',
  'missing_features',
  'switched_service',
  'unused',
  'customer_service',
  'low_quality',
  'too_complex',
  'other',
] as const;
export const CancellationReason = named('CancellationReason', cancellationReasons, 'Why a buyer leaves.');
const COMMENT_MAX = 1_000;

export const SubscriptionCancel = z
  .strictObject({
    at: field(
      z.union([CancelMoment, z.int().min(0).max(TIMESTAMP_MAX)]).optional(),
      '`now`, by default; `period_end`: the end of the last period that is paid for; or an instant within two years. Unix time, seconds.',
      'period_end',
    ),
    unused: field(
      UnusedPeriod.optional(),
      'What becomes of the rest of a paid period: `none`, by default; `credit`: later bills of the customer use it; `refund`: it is returned from the last payments.',
      'credit',
    ),
    penalty: field(
      PenaltyChoice.optional(),
      '`apply`, by default: an end before the minimum term charges its penalty; `waive`.',
      'waive',
    ),
    withdrawal: field(
      z.boolean().optional(),
      '`true`: the buyer withdraws within 7 days of the first payment. What was paid is refunded whole, and there is no penalty.',
      true,
    ),
    reason: field(CancellationReason.optional(), 'Why the buyer leaves, for your reports.', 'too_expensive'),
    comment: field(
      text({ max: COMMENT_MAX }).optional(),
      'What the buyer says of it: up to 1,000 characters.',
      'Vou mudar de cidade.',
    ),
  })
  .superRefine(checkCancel)
  .meta({ id: 'SubscriptionCancel', description: 'When a subscription ends, and what becomes of what was paid.' });

interface Cancel {
  readonly at?: 'now' | 'period_end' | number | undefined;
  readonly unused?: (typeof unusedPeriods)[number] | undefined;
  readonly penalty?: unknown;
  readonly withdrawal?: boolean | undefined;
}

/** At the end of a period nothing of it is left; a withdrawal is at once and says all. */
function checkCancel({ at = 'now', unused, penalty, withdrawal }: Cancel, context: z.core.$RefinementCtx): void {
  const refuse = (path: string, message: string): void => {
    context.addIssue({ code: 'custom', path: [path], message });
  };
  if (at === 'period_end' && unused !== undefined)
    refuse('unused', 'must be absent at period_end: nothing is left then');
  if (withdrawal !== true) return;
  if (at !== 'now') refuse('at', 'must be now in a withdrawal');
  if (unused !== undefined) refuse('unused', 'must be absent in a withdrawal: all is refunded');
  if (penalty !== undefined) refuse('penalty', 'must be absent in a withdrawal: there is none');
}

export type SubscriptionCancel = z.output<typeof SubscriptionCancel>;

const PauseMoment = named('PauseMoment', ['now', 'period_end'], 'When a pause begins.');

export const SubscriptionPause = z
  .strictObject({
    at: field(
      PauseMoment.optional(),
      '`now`, by default: the days left of the period are kept; `period_end`: the end of the last period that is paid for.',
      'now',
    ),
    resumes_at: field(
      z.int().min(0).max(TIMESTAMP_MAX).optional(),
      'When it ends by itself, within 365 days of its beginning; without it, it lasts until it is resumed. Unix time, seconds.',
      1_797_849_600,
    ),
  })
  .meta({ id: 'SubscriptionPause', description: 'When a pause begins and ends.' });

export type SubscriptionPause = z.output<typeof SubscriptionPause>;
