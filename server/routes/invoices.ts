import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { createInvoice } from '../invoices/create.ts';
import { finalizeInvoice, updateInvoice } from '../invoices/draft.ts';
import { listInvoices, retrieveInvoice } from '../invoices/list.ts';
import { sendInvoice } from '../mail/send-invoice.ts';
import { closeInvoice } from '../payments/close-invoice.ts';
import { extendInvoice } from '../subscriptions/collection/extend.ts';
import { checkoutInvoice } from '../subscriptions/mandates/checkout.ts';

export const invoiceRoutes = (deps: Deps): Handlers<typeof contract.invoices> => ({
  create: (scope, { body }) => createInvoice(deps, scope, body.invoice),
  retrieve: (scope, { params }) => retrieveInvoice(deps, scope, params.invoice_id),
  list: (scope, { query }) => listInvoices(deps, scope, query),
  update: (scope, { params, body }) => updateInvoice(deps, scope, params.invoice_id, body.invoice),
  finalize: (scope, { params }) => finalizeInvoice(deps, scope, params.invoice_id),
  extend: (scope, { params, body }) =>
    extendInvoice(deps, scope, { invoiceId: params.invoice_id, dueAt: body.invoice.due_at }),
  send: (scope, { params }) => sendInvoice(deps, scope, params.invoice_id),
  checkout: (scope, { params, body }) => checkoutInvoice(deps, scope, { invoiceId: params.invoice_id, checkout: body }),
  void: (scope, { params }) => closeInvoice(deps, scope, { invoiceId: params.invoice_id, closing: 'void' }),
  markUncollectible: (scope, { params }) =>
    closeInvoice(deps, scope, { invoiceId: params.invoice_id, closing: 'mark_uncollectible' }),
});
