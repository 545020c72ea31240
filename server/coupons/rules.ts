import type { Discount } from '../../contract/lines.ts';
import { type Cents, cents } from '../kernel/money.ts';
import type { Timestamp } from '../kernel/time.ts';

/** The lines that a coupon takes something off: of any of these. */
export interface AppliesTo {
  readonly products: readonly string[];
  readonly prices: readonly string[];
}

/** A line that a coupon may take something off. */
export interface DiscountedLine {
  readonly price: string;
  readonly product: string;
  readonly amount: Cents;
  /** A setup fee. */
  readonly isSetup?: boolean;
}

/** Whether a coupon takes something off a line; null: off every line that is no setup fee. */
export const appliesTo = (
  scope: AppliesTo | null,
  { price, product, isSetup = false }: Omit<DiscountedLine, 'amount'>,
): boolean => (scope === null ? !isSetup : scope.products.includes(product) || scope.prices.includes(price));

/** Which prices of some lines a coupon takes something off; null: of all but setup fees. */
export const pricesOf = (scope: AppliesTo | null, lines: readonly Omit<DiscountedLine, 'amount'>[]): string[] | null =>
  scope === null ? null : [...new Set(lines.filter((line) => appliesTo(scope, line)).map(({ price }) => price))];

/** What the lines that a coupon applies to come to, before any discount. */
export const discountedSubtotal = (scope: AppliesTo | null, lines: readonly DiscountedLine[]): Cents =>
  cents(lines.filter((line) => appliesTo(scope, line)).reduce((sum, { amount }) => sum + amount, 0));

/** What of a coupon depends on what is bought. */
export interface PurchaseRules {
  readonly appliesTo?: AppliesTo | null | undefined;
  readonly minimumAmount?: number | null | undefined;
}

/** Why the lines of a purchase do not let a coupon be redeemed; null: they do (docs/product/coupons.md#redemption). */
export function refusedLines(rules: PurchaseRules, lines: readonly DiscountedLine[]): string | null {
  const scope = rules.appliesTo ?? null;
  if (!lines.some((line) => appliesTo(scope, line))) return 'applies_to: no line has a product or price of the coupon';
  const subtotal = discountedSubtotal(scope, lines);
  const least = rules.minimumAmount ?? 0;
  if (subtotal < least) return `minimum_amount: ${least} cents are needed, the lines it applies to come to ${subtotal}`;
  return null;
}

/** Why a coupon cannot be redeemed by anybody now; null: it can. */
export function refusedCoupon(
  { active, redeemBy }: { readonly active: boolean; readonly redeemBy?: Timestamp | null | undefined },
  now: Timestamp,
): string | null {
  if (!active) return 'active: the coupon is switched off';
  return redeemBy != null && redeemBy < now ? `redeem_by: it could be redeemed until ${redeemBy}` : null;
}

/** Whether a promotion code is one for this customer now; null: nobody knows yet who that is. */
export const isCodeOf = (
  code: {
    readonly active: boolean;
    readonly expiresAt?: Timestamp | null | undefined;
    readonly customerId?: string | null | undefined;
  },
  { customerId, now }: { readonly customerId: string | null; readonly now: Timestamp },
): boolean =>
  code.active &&
  (code.expiresAt == null || code.expiresAt >= now) &&
  (code.customerId == null || code.customerId === customerId);

/** `reserved` while what it is redeemed for can still be paid; then one of the others, for good. */
export const redemptionStatuses = ['reserved', 'redeemed', 'released'] as const;

type OfCoupon = 'redemption' | 'coupon' | 'promotion_code';

/** Stored discounts as they are shown; those that no coupon gives name none. */
export const showDiscounts = (
  stored: readonly (Omit<Discount, OfCoupon> & Partial<Pick<Discount, OfCoupon>>)[],
): Discount[] =>
  stored.map(({ type, percentage, amount_cents, cycles, description, redemption, coupon, promotion_code }) => ({
    ...{ type, percentage, amount_cents, cycles, description },
    redemption: redemption ?? null,
    coupon: coupon ?? null,
    promotion_code: promotion_code ?? null,
  }));
