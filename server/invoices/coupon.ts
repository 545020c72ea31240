import type { Prices } from '../catalog/lookup.ts';
import type { Redemption } from '../coupons/entity.ts';
import { askedCoupon, type Redeeming, refuseLines, reserve } from '../coupons/redeem.ts';
import { lockRedemption, release } from '../coupons/redemption.ts';
import { type DiscountedLine, pricesOf } from '../coupons/rules.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import type { Invoice, InvoiceDiscount, StoredLine } from './entity.ts';
import { lineAmount } from './rules.ts';

/** Lines as the rules of coupons take them. */
export const discountedLines = (lines: readonly StoredLine[], prices: Prices): DiscountedLine[] =>
  lines.map((line) => ({
    price: line.price,
    product: prices.get(line.price)?.productId ?? '',
    amount: lineAmount(line),
    isSetup: line.kind === 'setup',
  }));

/** The discount that a redemption gives an invoice: it stands before all others. */
export const discountOfCoupon = (redemption: Redemption, lines: readonly DiscountedLine[]): InvoiceDiscount => ({
  type: redemption.type,
  percentage: redemption.percentage ?? null,
  amount_cents: redemption.amountCents ?? null,
  cycles: redemption.cycles ?? null,
  description: redemption.name,
  redemption: redemption.id,
  coupon: redemption.couponId,
  promotion_code: redemption.promotionCodeId ?? null,
  prices: pricesOf(redemption.appliesTo ?? null, lines),
});

type AskedInput = Parameters<typeof askedCoupon>[0];

/** Reserves the coupon that a request asks for, and answers the discount that it gives; none: an empty list. */
export async function redeemCoupon(tx: Tx, input: AskedInput, redeeming: Redeeming): Promise<InvoiceDiscount[]> {
  const asked = askedCoupon(input);
  return asked === null ? [] : [discountOfCoupon(await reserve(tx, asked, redeeming), redeeming.lines)];
}

/**
 * The discount of a draft's coupon once the draft is changed: as its lines are now, of another coupon where one is asked for,
 * none where null is. The redemption of the draft is locked with it.
 */
export async function changeCoupon(
  tx: Tx,
  { id, customerId, discounts }: Pick<Invoice, 'id' | 'customerId' | 'discounts'>,
  { changes, lines }: { changes: AskedInput; lines: readonly DiscountedLine[] },
): Promise<InvoiceDiscount[]> {
  const present = await lockRedemption(tx, discounts);
  const { coupon_id: couponId, promotion_code: code } = changes;
  const isSame = couponId === undefined ? code === undefined : code == null && present?.couponId === couponId;
  if (!isSame) {
    if (present !== null) release(tx, present);
    return redeemCoupon(tx, changes, { root: 'invoice', customerId, invoiceId: id, lines });
  }
  if (present === null) return [];
  refuseLines(present, lines, 'invoice.line_items');
  return [discountOfCoupon(present, lines)];
}
