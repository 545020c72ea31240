import {
  type Customer,
  type Fatura,
  type Invoice,
  type InvoicePreview,
  isFaturaError,
  type PaymentIntent,
  type RequestOptions,
  type Subscription,
} from '@fatura/sdk';
import { useRead } from '../../api/queries.ts';

/** A subscription with whoever pays it, and what is unpaid. */
export interface WholeSubscription {
  readonly subscription: Subscription;
  readonly customer: Customer;
  readonly latest: Invoice | null;
  /** Oldest first. */
  readonly open: readonly Invoice[];
  /** The newest charge of the oldest open invoice. */
  readonly charge: PaymentIntent | null;
  /** The next bill; null: it bills nothing by itself, as it stands. */
  readonly upcoming: InvoicePreview | null;
}

const PAGE_MAX = 100;

async function readCharge(fatura: Fatura, invoice: Invoice | undefined, options: RequestOptions) {
  const id = invoice?.payment_intent ?? null;
  return id === null ? null : fatura.paymentIntents.retrieve(id, options);
}

/** Such a one has no next bill for certain, so none is asked for: browsers log each refusal as a fault. */
function billsNoMore({ status, cancel_at: endsAt, pause, current_period_end: end, trial_end: trialEnd }: Subscription) {
  if (status !== 'active' && status !== 'trialing' && status !== 'scheduled') return true;
  const next = (status === 'active' ? end : trialEnd) ?? 0;
  return Math.min(endsAt ?? Number.POSITIVE_INFINITY, pause?.since ?? Number.POSITIVE_INFINITY) <= next;
}

/** Null: it bills nothing by itself, as it stands. */
async function readUpcoming(
  fatura: Fatura,
  subscription: Subscription,
  options: RequestOptions,
): Promise<InvoicePreview | null> {
  if (billsNoMore(subscription)) return null;
  try {
    return await fatura.subscriptions.upcomingInvoice(subscription.id, options);
  } catch (error) {
    if (isFaturaError(error, 'INVALID_STATE')) return null;
    throw error;
  }
}

async function readWhole(fatura: Fatura, id: string, options: RequestOptions): Promise<WholeSubscription> {
  const subscription = await fatura.subscriptions.retrieve(id, options);
  const { latest_invoice: latestId } = subscription;
  const [customer, latest, unpaid, upcoming] = await Promise.all([
    fatura.customers.retrieve(subscription.customer, options),
    latestId === null ? null : fatura.invoices.retrieve(latestId, options),
    fatura.invoices.list({ subscription_id: id, status: 'open', limit: PAGE_MAX }, options).all({ max: PAGE_MAX }),
    readUpcoming(fatura, subscription, options),
  ]);
  const open = unpaid.toReversed();
  return { subscription, customer, latest, open, charge: await readCharge(fatura, open[0], options), upcoming };
}

export const useSubscription = (id: string) =>
  useRead(['subscriptions', id, 'whole'], (fatura, options) => readWhole(fatura, id, options));
