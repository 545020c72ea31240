import {
  type Customer,
  type Fatura,
  type Invoice,
  isFaturaError,
  type PaymentIntent,
  type Refund,
  type RequestOptions,
} from '@fatura/sdk';
import { useRead } from '../../api/queries.ts';

/** A payment with what was returned of it. */
export interface PaymentWithRefund {
  readonly payment: PaymentIntent;
  readonly refund: Refund | null;
}

/** An invoice with whoever owes it and every payment of it, newest first. */
export interface WholeInvoice {
  readonly invoice: Invoice;
  readonly customer: Customer;
  readonly payments: readonly PaymentWithRefund[];
}

/** More than an invoice ever has. */
const PAYMENTS_MAX = 100;

/** Null: nothing was returned, and nothing is on its way. */
async function refundOf(fatura: Fatura, { id, status_transitions }: PaymentIntent, options: RequestOptions) {
  if (status_transitions.paid_at === null) return null;
  try {
    return await fatura.refunds.retrieve(id, options);
  } catch (error) {
    if (isFaturaError(error, 'RESOURCE_MISSING')) return null;
    throw error;
  }
}

async function readWhole(fatura: Fatura, id: string, options: RequestOptions): Promise<WholeInvoice> {
  const [invoice, payments] = await Promise.all([
    fatura.invoices.retrieve(id, options),
    fatura.paymentIntents.list({ invoice_id: id, limit: PAYMENTS_MAX }, options).all({ max: PAYMENTS_MAX }),
  ]);
  const [customer, ...refunds] = await Promise.all([
    fatura.customers.retrieve(invoice.customer, options),
    ...payments.map((payment) => refundOf(fatura, payment, options)),
  ]);
  return { invoice, customer, payments: payments.map((payment, at) => ({ payment, refund: refunds[at] ?? null })) };
}

export const useInvoice = (id: string) =>
  useRead(['invoices', id, 'whole'], (fatura, options) => readWhole(fatura, id, options));

/** Cents that can still be returned: paid, less returned, on its way or taken by the bank. */
export const remainingOf = ({ payment, refund }: PaymentWithRefund): number =>
  payment.status_transitions.paid_at === null ? 0 : payment.amount - (refund?.amount ?? 0) - payment.amount_disputed;

/** The payment that can be refunded; the one that was asked for, where it can. */
export function refundable({ payments }: WholeInvoice, asked?: string): PaymentWithRefund | undefined {
  const able = payments.filter((one) => ['paid', 'refunding'].includes(one.payment.status) && remainingOf(one) > 0);
  return able.find(({ payment }) => payment.id === asked) ?? able[0];
}
