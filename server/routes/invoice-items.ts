import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { createInvoiceItem, deleteInvoiceItem, listInvoiceItems, retrieveInvoiceItem } from '../invoice-items/items.ts';

export const invoiceItemRoutes = (deps: Deps): Handlers<typeof contract.invoiceItems> => ({
  create: (scope, { body }) => createInvoiceItem(deps, scope, body.invoice_item),
  retrieve: (scope, { params }) => retrieveInvoiceItem(deps, scope, params.invoice_item_id),
  list: (scope, { query }) => listInvoiceItems(deps, scope, query),
  delete: (scope, { params }) => deleteInvoiceItem(deps, scope, params.invoice_item_id),
});
