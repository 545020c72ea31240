import type { Customer, Fatura, Invoice, PaymentIntent, RequestOptions, Subscription } from '@fatura/sdk';
import { useRead } from '../../api/queries.ts';
import { billsThatCount } from './charges.ts';

/** A subscription with whoever pays it, and what is unpaid. */
export interface WholeSubscription {
  readonly subscription: Subscription;
  readonly customer: Customer;
  readonly latest: Invoice | null;
  /** Oldest first. */
  readonly open: readonly Invoice[];
  /** The newest charge of the oldest open invoice. */
  readonly charge: PaymentIntent | null;
  /** How many bills were made, as far as its discounts ask. */
  readonly bills: number;
}

const PAGE_MAX = 100;

async function readCharge(fatura: Fatura, invoice: Invoice | undefined, options: RequestOptions) {
  const id = invoice?.payment_intent ?? null;
  return id === null ? null : fatura.paymentIntents.retrieve(id, options);
}

async function countBills(fatura: Fatura, subscription: Subscription, options: RequestOptions): Promise<number> {
  const max = billsThatCount(subscription);
  if (max === 0) return 0;
  const of = { subscription_id: subscription.id, limit: Math.min(max, PAGE_MAX) };
  return (await fatura.invoices.list(of, options).all({ max })).length;
}

async function readWhole(fatura: Fatura, id: string, options: RequestOptions): Promise<WholeSubscription> {
  const subscription = await fatura.subscriptions.retrieve(id, options);
  const { latest_invoice: latestId } = subscription;
  const [customer, latest, unpaid, bills] = await Promise.all([
    fatura.customers.retrieve(subscription.customer, options),
    latestId === null ? null : fatura.invoices.retrieve(latestId, options),
    fatura.invoices.list({ subscription_id: id, status: 'open', limit: PAGE_MAX }, options).all({ max: PAGE_MAX }),
    countBills(fatura, subscription, options),
  ]);
  const open = unpaid.toReversed();
  return { subscription, customer, latest, open, charge: await readCharge(fatura, open[0], options), bills };
}

export const useSubscription = (id: string) =>
  useRead(['subscriptions', id, 'whole'], (fatura, options) => readWhole(fatura, id, options));
