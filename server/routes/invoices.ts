import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { createInvoice } from '../invoices/create.ts';
import { finalizeInvoice, updateInvoice } from '../invoices/draft.ts';
import { listInvoices, retrieveInvoice } from '../invoices/list.ts';
import { checkoutInvoice } from '../payments/checkout.ts';
import { closeInvoice } from '../payments/close-invoice.ts';

const server = initServer();

export const invoiceRoutes = (deps: Deps) =>
  server.router(contract.invoices, {
    create: async ({ body, req }) => ({ status: 201, body: await createInvoice(deps, req.scope, body.invoice) }),
    retrieve: async ({ params, req }) => ({ status: 200, body: await retrieveInvoice(deps, req.scope, params.id) }),
    list: async ({ query, req }) => ({ status: 200, body: await listInvoices(deps, req.scope, query) }),
    update: async ({ params, body, req }) => ({
      status: 200,
      body: await updateInvoice(deps, req.scope, params.id, body.invoice),
    }),
    finalize: async ({ params, req }) => ({ status: 200, body: await finalizeInvoice(deps, req.scope, params.id) }),
    checkout: async ({ params, body, req }) => ({
      status: 201,
      body: await checkoutInvoice(deps, req.scope, { invoiceId: params.id, checkout: body }),
    }),
    void: async ({ params, req }) => ({
      status: 200,
      body: await closeInvoice(deps, req.scope, { invoiceId: params.id, closing: 'void' }),
    }),
    markUncollectible: async ({ params, req }) => ({
      status: 200,
      body: await closeInvoice(deps, req.scope, { invoiceId: params.id, closing: 'mark_uncollectible' }),
    }),
  });
