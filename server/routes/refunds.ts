import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { createRefund } from '../payments/refunds/create.ts';
import { listRefunds, retrieveRefund } from '../payments/refunds/list.ts';

const server = initServer();

export const refundRoutes = (deps: Deps) =>
  server.router(contract.refunds, {
    create: async ({ body, req }) => ({ status: 201, body: await createRefund(deps, req.scope, body.refund) }),
    retrieve: async ({ params, req }) => ({ status: 200, body: await retrieveRefund(deps, req.scope, params.id) }),
    list: async ({ query, req }) => ({ status: 200, body: await listRefunds(deps, req.scope, query) }),
  });
