import type { DiscountInput, LineItemInput, SessionDiscountInput } from '../../contract/lines.ts';
import { findBilledPrices, type Prices } from '../catalog/lookup.ts';
import type { BilledPrice } from '../catalog/rules.ts';
import { refuseUnlessSold } from '../catalog/sold.ts';
import { missing } from '../kernel/errors.ts';
import type { Cents } from '../kernel/money.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import type { InvoiceDiscount, StoredLine } from './entity.ts';
import { type AppliedDiscountInput, takeOff } from './rules.ts';

/** Sent ahead of the other reads of a creation, so that they share a round trip. */
export function readPrices(tx: Tx, items: readonly LineItemInput[]): Promise<Prices> {
  return findBilledPrices(tx, [...new Set(items.map((item) => item.price_id))]);
}

/** Refuses lines whose price does not exist: a 404 comes before every other refusal of a body (docs/product/requests.md#order-of-refusals). */
export function requirePrices(items: readonly LineItemInput[], prices: Prices, param: string): void {
  for (const [index, item] of items.entries()) {
    if (!prices.has(item.price_id)) throw missing('price', item.price_id, `${param}[${index}].price_id`);
  }
}

/** Prices lines that are bought once; an unknown price is a 404, an inactive one or one of another type a 422. */
export function priceLines(items: readonly LineItemInput[], prices: Prices, param: string): StoredLine[] {
  requirePrices(items, prices, param);
  return items.flatMap((item, index) => {
    const price = prices.get(item.price_id);
    if (price === undefined) return [];
    refuseUnlessSold(price, 'one_time', `${param}[${index}].price_id`);
    return [lineOf(item.quantity, price)];
  });
}

export const lineOf = (quantity: number, price: BilledPrice): StoredLine => ({
  price: price.id,
  quantity,
  unitAmount: price.unitAmount,
  description: price.productName,
});

/** Discounts as they are stored and shown. */
export function storeDiscounts(discounts: readonly (DiscountInput | SessionDiscountInput)[]): InvoiceDiscount[] {
  return discounts.map((discount) => ({
    type: discount.type,
    percentage: discount.type === 'percentage' ? discount.percentage : null,
    amount_cents: discount.type === 'fixed' ? discount.amount_cents : null,
    cycles: ('cycles' in discount ? discount.cycles : null) ?? null,
    description: discount.description ?? null,
  }));
}

/** Stored discounts as the rule takes them. */
export function asDiscountInputs(stored: readonly InvoiceDiscount[]): AppliedDiscountInput[] {
  return stored.map(({ type, percentage, amount_cents: amountCents, redemption, prices }) => ({
    ...(type === 'percentage' ? { type, percentage: percentage ?? 0 } : { type, amount_cents: amountCents ?? 0 }),
    ...(redemption != null && { coupon: { prices: prices ?? null } }),
  }));
}

/** What of the bill of a cycle recurs, less its discounts: what is charged for the period itself. */
export const netOfBill = ({
  lineItems,
  discounts,
}: {
  readonly lineItems: readonly StoredLine[];
  readonly discounts: readonly InvoiceDiscount[];
}): Cents => takeOff(lineItems, asDiscountInputs(discounts)).net;

/**
 * SQL that joins the price of an invoice's first item, if there is one. Its id is taken out of the items first: joined by what is in
 * there, the planner reads every price behind a policy (docs/design/security.md#the-second-wall).
 */
export const firstPriceOf = (invoice: string, price: string): string =>
  `LEFT JOIN LATERAL (SELECT ${invoice}.line_items -> 0 ->> 'price' AS price OFFSET 0) first ON true
   LEFT JOIN price ${price} ON ${price}.id = first.price AND ${price}.account_id = ${invoice}.account_id AND ${price}.live_mode = ${invoice}.live_mode`;
