import type { Invoice as InvoiceView } from '../../contract/invoices.ts';
import type { CheckoutInput } from '../../contract/payment-methods.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { checkoutByCard } from './card/checkout.ts';
import type { ShowCheckout } from './intents/book.ts';
import { checkoutByPix } from './pix/checkout.ts';

/** Charges an invoice the way the buyer chose, and answers what `show` makes of it (docs/product/payments.md#checkout). */
export function checkoutAs<T>(
  deps: Deps,
  scope: Scope,
  { invoiceId, checkout, show }: { invoiceId: string; checkout: CheckoutInput; show: ShowCheckout<T> },
): Promise<T> {
  return checkout.payment_method_type === 'card'
    ? checkoutByCard(deps, scope, { invoiceId, checkout, show })
    : checkoutByPix(deps, scope, { invoiceId, show });
}

/** The checkout of an invoice itself. */
export const checkoutInvoice = (
  deps: Deps,
  scope: Scope,
  order: { invoiceId: string; checkout: CheckoutInput },
): Promise<InvoiceView> => checkoutAs(deps, scope, { ...order, show: async (_, invoice) => invoice });
