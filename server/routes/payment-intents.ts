import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { listIntents, retrieveIntent } from '../payments/intents/list.ts';

const server = initServer();

export const paymentIntentRoutes = (deps: Deps) =>
  server.router(contract.paymentIntents, {
    retrieve: async ({ params, req }) => ({ status: 200, body: await retrieveIntent(deps, req.scope, params.id) }),
    list: async ({ query, req }) => ({ status: 200, body: await listIntents(deps, req.scope, query) }),
  });
