import type { PaymentLink as PaymentLinkView } from '../../contract/payment-links.ts';
import type { Links } from '../kernel/links.ts';
import type { PaymentLink } from './entity.ts';

/** The payment link as its retrieval answers it (docs/product/payment-links.md#the-link). */
export function viewPaymentLink({ links }: { readonly links: Links }, link: PaymentLink): PaymentLinkView {
  const items = link.lineItems.map(({ price, quantity }) => ({ object: 'item' as const, price, quantity }));
  return {
    id: link.id,
    object: 'payment_link',
    active: link.active,
    amount: link.amount ?? null,
    created: link.created,
    currency: 'brl',
    description: link.description ?? null,
    expires_at: link.expiresAt ?? null,
    external_code: link.externalCode ?? null,
    line_items: link.amount == null ? { object: 'list', data: items } : null,
    live_mode: link.liveMode,
    max_sales: link.maxSales ?? null,
    mode: link.mode,
    reserved: link.reserved,
    return_url: link.returnUrl ?? null,
    sales: link.sales,
    success_url: link.successUrl ?? null,
    url: links.sale(link),
  };
}
