import { InvoiceListQuery, type Invoice as InvoiceView } from '../../contract/invoices.ts';
import { MandateListQuery, type Mandate as MandateView } from '../../contract/mandates.ts';
import { StoredMethodListQuery, type StoredPaymentMethod } from '../../contract/stored-methods.ts';
import type { Deps } from '../deps.ts';
import { listInvoices } from '../invoices/list.ts';
import type { Page } from '../kernel/pages.ts';
import { listStoredCards } from '../payments/card/customer-cards.ts';
import { listMandates } from '../subscriptions/mandates/list.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { type PortalSubscription, portalSubscriptions } from './subscriptions.ts';

/** Of each kind on one page. */
const SHOWN_MAX = 50;
/** Paid bills on a page of their own, and beside all else. */
const PAID_MAX = 20;
const PAID_FIRST = 5;

/** All that an account has of a customer. */
export interface PortalOverview {
  readonly subscriptions: readonly PortalSubscription[];
  /** What can be paid. */
  readonly open: readonly InvoiceView[];
  readonly paid: Page<InvoiceView>;
  readonly cards: readonly StoredPaymentMethod[];
  readonly mandates: readonly MandateView[];
}

const billsOf = (
  deps: Deps,
  scope: Scope,
  filter: { customer_id: string; status: InvoiceView['status'] },
  limit = SHOWN_MAX,
) => listInvoices(deps, scope, InvoiceListQuery.parse({ ...filter, limit: String(limit) }));

/** The paid bills of a customer, newest first, behind one of them. */
export const paidBills = (
  deps: Deps,
  scope: Scope,
  { customerId, after, limit = PAID_MAX }: { customerId: string; after: string | null; limit?: number },
): Promise<Page<InvoiceView>> =>
  listInvoices(
    deps,
    scope,
    InvoiceListQuery.parse({
      customer_id: customerId,
      status: 'paid',
      limit: String(limit),
      ...(after === null ? {} : { starting_after: after }),
    }),
  );

export async function portalOverview(deps: Deps, scope: Scope, customerId: string): Promise<PortalOverview> {
  const limit = String(SHOWN_MAX);
  const [subscriptions, open, given, paid, cards, mandates] = await Promise.all([
    portalSubscriptions(deps, scope, { customerId }),
    billsOf(deps, scope, { customer_id: customerId, status: 'open' }),
    billsOf(deps, scope, { customer_id: customerId, status: 'uncollectible' }),
    paidBills(deps, scope, { customerId, after: null, limit: PAID_FIRST }),
    listStoredCards(deps, scope, { customerId, query: StoredMethodListQuery.parse({ limit }) }),
    listMandates(deps, scope, MandateListQuery.parse({ customer_id: customerId, limit })),
  ]);
  return {
    subscriptions,
    open: [...open.data, ...given.data],
    paid,
    cards: cards.data,
    mandates: mandates.data.filter(({ status }) => status === 'pending' || status === 'active'),
  };
}
