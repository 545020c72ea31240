import type { Price as PriceView, Product as ProductView } from '../../contract/catalog.ts';
import type { Links } from '../kernel/links.ts';
import { cents } from '../kernel/money.ts';
import type { Price, Product } from './entity.ts';
import { installmentsAllowed, installmentTerms, recurrenceOf } from './rules.ts';

/** The product as its retrieval answers it (docs/product/catalog.md#products). */
export function viewProduct(product: Product): ProductView {
  return {
    id: product.id,
    object: 'product',
    active: product.active,
    created: product.created,
    live_mode: product.liveMode,
    name: product.name,
    description: product.description ?? null,
    external_code: product.externalCode ?? null,
  };
}

/** The price as its retrieval answers it (docs/product/catalog.md#prices). */
export function viewPrice({ links }: { readonly links: Links }, price: Price): PriceView {
  const recurrence = recurrenceOf(price);
  const effectiveMax = installmentsAllowed(installmentTerms(price), cents(price.unitAmount));
  return {
    id: price.id,
    object: 'price',
    active: price.active,
    live_mode: price.liveMode,
    created: price.created,
    currency: 'brl',
    product: price.productId,
    type: price.type,
    unit_amount: price.unitAmount,
    unit_amount_decimal: String(price.unitAmount),
    ...(recurrence && { recurring: { interval: recurrence.interval, interval_count: recurrence.intervalCount } }),
    description: price.description ?? null,
    external_code: price.externalCode ?? null,
    card_installments_enabled: price.cardInstallmentsEnabled,
    max_card_installments: price.maxCardInstallments,
    effective_max_card_installments: effectiveMax,
    installment_selection_available: effectiveMax > 1,
    payment_url: links.saleOf(price),
  };
}
