import type { PaymentLinkTerms, PaymentLinkTermsInput } from '../../contract/payment-link-terms.ts';
import type { PaymentLink as PaymentLinkView } from '../../contract/payment-links.ts';
import type { Links } from '../kernel/links.ts';
import type { PaymentLink } from './entity.ts';

function viewTerms({ trial, minimum_term: minimum, late_fees: lateFees }: PaymentLinkTermsInput): PaymentLinkTerms {
  return {
    late_fees: lateFees ?? null,
    trial:
      trial === undefined
        ? null
        : {
            days: trial.days,
            requires_payment_method: trial.requires_payment_method ?? true,
            end_behavior: trial.end_behavior ?? 'invoice',
          },
    minimum_term:
      minimum === undefined
        ? null
        : {
            cycles: minimum.cycles,
            penalty_type: minimum.penalty_type,
            penalty_value: minimum.penalty_value,
          },
  };
}

/** The payment link as its retrieval answers it (docs/product/payment-links.md#the-link). */
export function viewPaymentLink({ links }: { readonly links: Links }, link: PaymentLink): PaymentLinkView {
  const items = link.lineItems.map(({ price, quantity }) => ({ object: 'item' as const, price, quantity }));
  return {
    id: link.id,
    object: 'payment_link',
    active: link.active,
    allow_promotion_codes: link.allowPromotionCodes,
    amount: link.amount ?? null,
    created: link.created,
    currency: 'brl',
    description: link.description ?? null,
    expires_at: link.expiresAt ?? null,
    external_code: link.externalCode ?? null,
    line_items: link.amount == null ? { object: 'list', data: items } : null,
    live_mode: link.liveMode,
    metadata: link.metadata,
    max_sales: link.maxSales ?? null,
    mode: link.mode,
    reserved: link.reserved,
    return_url: link.returnUrl ?? null,
    sales: link.sales,
    subscription_terms: link.terms == null ? null : viewTerms(link.terms),
    success_url: link.successUrl ?? null,
    url: links.sale(link),
  };
}
