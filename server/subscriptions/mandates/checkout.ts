import type { Invoice as InvoiceView } from '../../../contract/invoices.ts';
import type { CheckoutInput } from '../../../contract/payment-methods.ts';
import type { Deps } from '../../deps.ts';
import { viewInvoice } from '../../invoices/view.ts';
import { BillingError } from '../../kernel/errors.ts';
import { checkoutByCard } from '../../payments/checkout.ts';
import { lockBook, paymentInProgress, type ShowCheckout } from '../../payments/intents/book.ts';
import { checkoutByPix, ensureQr } from '../../payments/pix/checkout.ts';
import { qrImage } from '../../payments/pix/image.ts';
import { viewPixMethod } from '../../payments/view.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { lockSubscription } from '../rows.ts';
import { finishMandate, mandateExists, openMandate, requireMandates } from './create.ts';
import type { Mandate } from './entity.ts';
import { endOurselves } from './follow.ts';
import { openMandateOf } from './rows.ts';
import { mandateRecurrence } from './terms.ts';

interface Order<T> {
  readonly invoiceId: string;
  readonly show: ShowCheckout<T>;
}

/** Charges an invoice the way the buyer chose, and answers what `show` makes of it (docs/product/payments.md#checkout). */
export function checkoutAs<T>(
  deps: Deps,
  scope: Scope,
  { checkout, ...order }: Order<T> & { checkout: CheckoutInput },
): Promise<T> {
  switch (checkout.payment_method_type) {
    case 'card':
      return checkoutByCard(deps, scope, { ...order, checkout });
    case 'pix':
      return checkoutByPix(deps, scope, order);
    case 'pix_automatico':
      return checkoutByMandate(deps, scope, order);
  }
}

/** The checkout of an invoice itself. */
export const checkoutInvoice = (
  deps: Deps,
  scope: Scope,
  order: { invoiceId: string; checkout: CheckoutInput },
): Promise<InvoiceView> => checkoutAs(deps, scope, { ...order, show: async (_, invoice) => invoice });

/**
 * Charges a bill of a subscription by a QR code that pays it and authorises that those to come are debited
 * (docs/product/pix-automatico.md#the-first-payment). The bank is asked with no transaction open.
 */
async function checkoutByMandate<T>(deps: Deps, scope: Scope, { invoiceId, show }: Order<T>): Promise<T> {
  await requireMandates(deps, scope);
  await deps.transaction(scope, (tx) => refuseUnlessRecurring(tx, invoiceId));
  const txid = await ensureQr(deps, scope, { invoiceId, done: async (_, { qr }) => qr.id });
  const opened = await deps.transaction(scope, (tx) => openFirst(tx, { invoiceId, txid }));
  const { copyPaste } = await finishMandate(deps, scope, opened);
  if (copyPaste == null) throw new Error(`${opened.id} was made without its code`);
  const image = await qrImage(copyPaste);
  return deps.transaction(scope, async (tx) => {
    const { invoice, qr } = await lockBook(tx, invoiceId);
    if (qr?.id !== txid) throw paymentInProgress(`${invoiceId} was changed while its QR code was made`);
    const method = viewPixMethod(qr, { copyPaste, image });
    return tx.answer(await show(tx, { ...viewInvoice(tx, invoice), payment_method: method }));
  });
}

/** A bill brings a mandate where more of its kind follow. */
async function refuseUnlessRecurring(tx: Tx, invoiceId: string): Promise<void> {
  const { invoice } = await lockBook(tx, invoiceId);
  const { subscriptionId, billingReason } = invoice;
  const isRecurring = billingReason === 'subscription_create' || billingReason === 'subscription_cycle';
  const contracted = subscriptionId == null ? null : await lockSubscription(tx, subscriptionId);
  if (contracted === null || !isRecurring)
    throw new BillingError('MANDATE_UNSUPPORTED', {
      message: `${invoiceId} is no bill of a cycle of a subscription: it brings no mandate`,
      param: 'payment_method_type',
    });
  const former = await openMandateOf(tx, contracted);
  if (former === null || (former.status === 'pending' && former.journey === 'first_payment'))
    return void mandateRecurrence(contracted);
  throw mandateExists(contracted, former);
}

/** The mandate that the QR code of a bill brings; one of a former QR code of it cannot be authorised any more. */
async function openFirst(tx: Tx, { invoiceId, txid }: { invoiceId: string; txid: string }): Promise<Mandate> {
  const { invoice, qr } = await lockBook(tx, invoiceId);
  if (qr?.id !== txid || invoice.subscriptionId == null)
    throw paymentInProgress(`${invoiceId} was changed while its QR code was made`);
  const contracted = await lockSubscription(tx, invoice.subscriptionId);
  const former = await openMandateOf(tx, contracted);
  if (former?.status === 'pending' && former.journey === 'first_payment' && former.firstTxid !== txid)
    await endOurselves(tx, contracted, { mandate: former, reason: 'expired' });
  return openMandate(tx, contracted, { journey: 'first_payment', firstTxid: txid, expiresAt: qr.expiresAt });
}
