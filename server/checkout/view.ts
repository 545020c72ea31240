import type { CreatedCheckoutSession } from '../../contract/checkout-sessions.ts';
import { showDiscounts } from '../coupons/rules.ts';
import type { Links } from '../kernel/links.ts';
import type { CheckoutSession } from './entity.ts';

/** The session as its retrieval answers it, with the newest charge of its invoice (docs/product/checkout-sessions.md#the-session). */
export function viewSession(
  { links }: { readonly links: Links },
  session: CheckoutSession,
  paymentIntentId: string | null,
): CreatedCheckoutSession {
  const { id, mode, discounts } = session;
  return {
    id,
    object: 'checkout_session',
    allow_promotion_codes: session.allowPromotionCodes,
    amount: session.amount ?? null,
    created: session.created,
    currency: 'brl',
    customer: session.customerId ?? null,
    ...(discounts.length === 0 ? {} : { discounts: { object: 'list', data: showDiscounts(discounts) } }),
    expires_at: session.expiresAt,
    external_code: session.externalCode ?? null,
    invoice: session.invoiceId ?? null,
    line_items: {
      object: 'list',
      data: session.lineItems.map(({ price, quantity }) => ({ object: 'item', price, quantity })),
    },
    live_mode: session.liveMode,
    metadata: session.metadata,
    mode,
    payment_intent: paymentIntentId,
    payment_link: session.paymentLinkId ?? null,
    return_url: session.returnUrl ?? null,
    status: session.status,
    ...(mode === 'subscription' ? { subscription: session.subscriptionId ?? null } : {}),
    success_url: session.successUrl ?? null,
    url: links.checkout(session),
  };
}
