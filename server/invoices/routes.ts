import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { createInvoice } from './create.ts';
import { finalizeInvoice, listInvoices, retrieveInvoice, updateInvoice } from './service.ts';

const server = initServer();

/** Handlers of the routes that concern no charge; the others are the payments domain's. */
export const invoiceRoutes = (deps: Deps) => ({
  create: server.route(contract.invoices.create, async ({ body, req }) => ({
    status: 201,
    body: await createInvoice(deps, req.scope, body.invoice),
  })),
  retrieve: server.route(contract.invoices.retrieve, async ({ params, req }) => ({
    status: 200,
    body: await retrieveInvoice(deps, req.scope, params.id),
  })),
  list: server.route(contract.invoices.list, async ({ query, req }) => ({
    status: 200,
    body: await listInvoices(deps, req.scope, query),
  })),
  update: server.route(contract.invoices.update, async ({ params, body, req }) => ({
    status: 200,
    body: await updateInvoice(deps, req.scope, params.id, body.invoice),
  })),
  finalize: server.route(contract.invoices.finalize, async ({ params, req }) => ({
    status: 200,
    body: await finalizeInvoice(deps, req.scope, params.id),
  })),
});
