import type { Customer, Dispute, Fatura, Invoice, PaymentIntent, RequestOptions, Subscription } from '@fatura/sdk';
import { useRead } from '../../api/queries.ts';

/** A customer with what one asks of them first. */
export interface WholeCustomer {
  readonly customer: Customer;
  readonly invoices: readonly Invoice[];
  readonly subscriptions: readonly Subscription[];
  readonly declined: readonly PaymentIntent[];
  readonly disputes: readonly Dispute[];
  /** How many customers have the same CPF or CNPJ, this one too. */
  readonly sameTaxId: number;
}

/** Of a buyer; who has more is a shop's, and their sums say "more than". */
export const INVOICES_MAX = 300;
const PAGE_MAX = 100;

async function readWhole(fatura: Fatura, id: string, options: RequestOptions): Promise<WholeCustomer> {
  const of = { customer_id: id, limit: PAGE_MAX };
  const customer = await fatura.customers.retrieve(id, options);
  const { identifier } = customer;
  const [invoices, subscriptions, declined, disputes, same] = await Promise.all([
    fatura.invoices.list(of, options).all({ max: INVOICES_MAX }),
    fatura.subscriptions.list(of, options).all({ max: PAGE_MAX }),
    fatura.paymentIntents.list({ ...of, status: 'failed' }, options).all({ max: PAGE_MAX }),
    fatura.disputes.list(of, options).all({ max: PAGE_MAX }),
    identifier === null
      ? [customer]
      : fatura.customers.list({ identifier, limit: PAGE_MAX }, options).all({ max: PAGE_MAX }),
  ]);
  return { customer, invoices, subscriptions, declined, disputes, sameTaxId: same.length };
}

export const useCustomer = (id: string) =>
  useRead(['customers', id, 'whole'], (fatura, options) => readWhole(fatura, id, options));

/** What was paid and kept, and what is still to be paid. Cents. */
export const sumsOf = (invoices: readonly Invoice[]): { paid: number; open: number } => ({
  paid: invoices.reduce((sum, { amount_paid, amount_refunded }) => sum + amount_paid - amount_refunded, 0),
  open: invoices.reduce((sum, { status, amount_remaining }) => sum + (status === 'open' ? amount_remaining : 0), 0),
});
