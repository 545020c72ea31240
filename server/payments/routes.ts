import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { checkoutInvoice } from './checkout.ts';
import { closeInvoice } from './close.ts';
import { createRefund, listRefunds, retrieveRefund } from './refunds.ts';
import { listIntents, payPix, retrieveIntent } from './service.ts';

const server = initServer();

/** Handlers of the charges, and of the invoice's routes that an open QR code has a say in. */
export const paymentRoutes = (deps: Deps) => ({
  invoices: {
    checkout: server.route(contract.invoices.checkout, async ({ params, body, req }) => ({
      status: 201,
      body: await checkoutInvoice(deps, req.scope, { invoiceId: params.id, checkout: body }),
    })),
    void: server.route(contract.invoices.void, async ({ params, req }) => ({
      status: 200,
      body: await closeInvoice(deps, req.scope, { invoiceId: params.id, closing: 'void' }),
    })),
    markUncollectible: server.route(contract.invoices.markUncollectible, async ({ params, req }) => ({
      status: 200,
      body: await closeInvoice(deps, req.scope, { invoiceId: params.id, closing: 'mark_uncollectible' }),
    })),
  },
  paymentIntents: {
    retrieve: server.route(contract.paymentIntents.retrieve, async ({ params, req }) => ({
      status: 200,
      body: await retrieveIntent(deps, req.scope, params.id),
    })),
    list: server.route(contract.paymentIntents.list, async ({ query, req }) => ({
      status: 200,
      body: await listIntents(deps, req.scope, query),
    })),
  },
  refunds: {
    create: server.route(contract.refunds.create, async ({ body, req }) => ({
      status: 201,
      body: await createRefund(deps, req.scope, body.refund),
    })),
    retrieve: server.route(contract.refunds.retrieve, async ({ params, req }) => ({
      status: 200,
      body: await retrieveRefund(deps, req.scope, params.id),
    })),
    list: server.route(contract.refunds.list, async ({ query, req }) => ({
      status: 200,
      body: await listRefunds(deps, req.scope, query),
    })),
  },
  testHelpers: {
    paymentIntents: {
      payPix: server.route(contract.testHelpers.paymentIntents.payPix, async ({ params, body, req }) => ({
        status: 200,
        body: await payPix(deps, req.scope, { intentId: params.id, scenario: body.scenario }),
      })),
    },
  },
});
