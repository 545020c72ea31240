import type { DiscountInput, LineItemInput } from '../../contract/lines.ts';
import { findBilledPrices, type Prices } from '../catalog/lookup.ts';
import type { BilledPrice } from '../catalog/rules.ts';
import type { Tx } from '../db/tx.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import type { StoredDiscount, StoredLine } from './entity.ts';

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

/** Prices the lines; an unknown price is a 404, an inactive or recurring one a 422. */
export function priceLines(items: readonly LineItemInput[], prices: Prices, param: string): StoredLine[] {
  requirePrices(items, prices, param);
  return items.flatMap((item, index) => {
    const price = prices.get(item.price_id);
    return price === undefined ? [] : [priceLine(item, price, `${param}[${index}].price_id`)];
  });
}

function priceLine(item: LineItemInput, price: BilledPrice, at: string): StoredLine {
  if (price.type !== 'one_time') {
    throw new BillingError('PRICE_TYPE_MISMATCH', {
      message: `${at} must be a one-time price, ${price.id} is recurring`,
      param: at,
    });
  }
  if (!price.isSold) {
    throw new BillingError('PRICE_INACTIVE', { message: `${at}: ${price.id} or its product is not active`, param: at });
  }
  return { price: price.id, quantity: item.quantity, unitAmount: price.unitAmount, description: price.productName };
}

/** Discounts as they are stored and shown. */
export function storeDiscounts(discounts: readonly DiscountInput[]): StoredDiscount[] {
  return discounts.map((discount) => ({
    type: discount.type,
    percentage: discount.type === 'percentage' ? discount.percentage : null,
    amount_cents: discount.type === 'fixed' ? discount.amount_cents : null,
    cycles: null,
    description: discount.description ?? null,
  }));
}

/** Stored discounts as the rule takes them. */
export function asDiscountInputs(stored: readonly StoredDiscount[]): DiscountInput[] {
  return stored.map(({ type, percentage, amount_cents: amountCents }) =>
    type === 'percentage' ? { type, percentage: percentage ?? 0 } : { type, amount_cents: amountCents ?? 0 },
  );
}
