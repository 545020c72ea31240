import type { z } from 'zod';
import type { InvoiceListQuery, Invoice as InvoiceView } from '../../contract/invoices.ts';
import type { Deps } from '../deps.ts';
import type { Page } from '../kernel/pages.ts';
import { listPage, readOne, withoutUndefined } from '../unit-of-work/lists.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { type Invoice, InvoiceSchema } from './entity.ts';
import { viewInvoice } from './view.ts';

export const retrieveInvoice = (deps: Deps, scope: Scope, id: string): Promise<InvoiceView> =>
  readOne({ deps, scope }, InvoiceSchema, { id, view: (row) => viewInvoice(deps, row) });

export function listInvoices(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof InvoiceListQuery>,
): Promise<Page<InvoiceView>> {
  const where = withoutUndefined({
    customerId: query.customer_id,
    subscriptionId: query.subscription_id,
    status: query.status,
    externalCode: query.external_code,
  });
  const view = (row: Invoice): InvoiceView => viewInvoice(deps, row);
  return listPage({ deps, scope }, InvoiceSchema, { query, where, url: '/api/v1/invoices', view });
}
