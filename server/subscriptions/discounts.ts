import type { SubscriptionDiscountInput, SubscriptionDiscount as View } from '../../contract/subscription-discounts.ts';
import { type AppliesTo, pricesOf } from '../coupons/rules.ts';
import { type AppliedDiscountInput, takeOff, totalOf } from '../invoices/rules.ts';
import type { Cents } from '../kernel/money.ts';

/** A discount of the bills of a subscription. */
export interface SubscriptionDiscount {
  readonly type: 'percentage' | 'fixed';
  readonly percentage: number | null;
  readonly amount: number | null;
  /** Bills it lasts, from the first; null: for ever. */
  readonly cycles: number | null;
  /** There where a coupon gives it, as what follows: a copy of the coupon's terms. */
  readonly redemption?: string;
  readonly coupon?: string;
  readonly promotion_code?: string | null;
  /** The name of the coupon. */
  readonly description?: string;
  /** The items that it takes something off, judged anew by each bill; null: all. */
  readonly applies_to?: AppliesTo | null;
  /** The prices of setup fees that it takes something off, too. */
  readonly setup?: readonly string[];
}

export const storeDiscount = (discount: SubscriptionDiscountInput): SubscriptionDiscount => ({
  type: discount.type,
  amount: discount.type === 'fixed' ? discount.amount : null,
  percentage: discount.type === 'percentage' ? discount.percentage : null,
  cycles: discount.cycles ?? null,
});

/** A discount with what it takes off one bill. */
export interface AppliedDiscount {
  readonly discount: SubscriptionDiscount;
  readonly off: Cents;
  /** Of a coupon: the prices of the lines that it takes something off; null: of all but setup fees. */
  readonly prices: readonly string[] | null;
}

/** A discount of some items as the rule of invoices takes it. */
function asApplied(
  { type, percentage, amount, redemption }: SubscriptionDiscount,
  prices: readonly string[] | null,
): AppliedDiscountInput {
  const coupon = redemption === undefined ? {} : { coupon: { prices } };
  return type === 'percentage'
    ? { type, percentage: percentage ?? 0, ...coupon }
    : { type, amount_cents: amount ?? 0, ...coupon };
}

type Lines = Parameters<typeof takeOff>[0];

interface Priced {
  readonly price: { readonly id: string; readonly productId: string };
}

const pricesIn = ({ applies_to: scope = null, setup = [] }: SubscriptionDiscount, items: readonly Priced[]) => {
  const ofItems = pricesOf(
    scope,
    items.map(({ price: { id, productId } }) => ({ price: id, product: productId })),
  );
  return ofItems === null ? null : [...ofItems, ...setup];
};

/**
 * The lines of the n-th bill, the first being 1, less the discounts that last so long: in order, each taking what there is of what
 * the former ones left (docs/product/subscriptions.md#discounts).
 */
export function discountBill(
  lines: Lines,
  { items, discounts, bill }: { items: readonly Priced[]; discounts: readonly SubscriptionDiscount[]; bill: number },
): { applied: AppliedDiscount[]; net: Cents; total: Cents } {
  const lasting = discounts
    .filter(({ cycles }) => cycles === null || bill <= cycles)
    .map((discount) => ({ discount, prices: pricesIn(discount, items) }));
  const { offs, net, total } = takeOff(
    lines,
    lasting.map(({ discount, prices }) => asApplied(discount, prices)),
  );
  const applied = offs.flatMap(({ off }, at) => {
    const one = lasting[at];
    return one === undefined ? [] : [{ ...one, off }];
  });
  return { applied, net, total };
}

/** Refuses discounts of a new subscription of which one takes more off its first bill than the former ones left. */
export function refuseExcess(
  items: readonly (Priced & { readonly price: { readonly unitAmount: number }; readonly quantity: number })[],
  discounts: readonly SubscriptionDiscount[],
): void {
  const lines = items.map(({ price: { id: price, unitAmount }, quantity }) => ({ price, unitAmount, quantity }));
  const inputs = discounts.map((discount) => asApplied(discount, pricesIn(discount, items)));
  totalOf(lines, inputs, 'subscription.discounts');
}

/** A discount as the subscription shows it. */
export const viewDiscount = (discount: SubscriptionDiscount): View => ({
  type: discount.type,
  amount: discount.amount,
  percentage: discount.percentage,
  cycles: discount.cycles,
  description: discount.description ?? null,
  redemption: discount.redemption ?? null,
  coupon: discount.coupon ?? null,
  promotion_code: discount.promotion_code ?? null,
  applies_to:
    discount.applies_to == null
      ? null
      : { products: [...discount.applies_to.products], prices: [...discount.applies_to.prices] },
});

/** A discount as a bill keeps it: a fixed one that no coupon gives with what it takes off. */
export const discountOfBill = ({ discount, off, prices }: AppliedDiscount) => ({
  type: discount.type,
  percentage: discount.percentage,
  amount_cents: discount.type === 'percentage' ? null : discount.redemption === undefined ? off : discount.amount,
  cycles: discount.cycles,
  description: discount.description ?? null,
  ...(discount.redemption !== undefined && {
    redemption: discount.redemption,
    coupon: discount.coupon ?? null,
    promotion_code: discount.promotion_code ?? null,
    prices,
  }),
});
