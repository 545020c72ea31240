import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import { createPrice, listPrices, retrievePrice, updatePrice } from '../catalog/prices.ts';
import type { Deps } from '../deps.ts';

const server = initServer();

export const priceRoutes = (deps: Deps) =>
  server.router(contract.prices, {
    create: ({ body, req }) => createPrice(deps, req.scope, body.price),
    retrieve: async ({ params, req }) => ({ status: 200, body: await retrievePrice(deps, req.scope, params.id) }),
    list: async ({ query, req }) => ({ status: 200, body: await listPrices(deps, req.scope, query) }),
    update: async ({ params, body, req }) => ({
      status: 200,
      body: await updatePrice(deps, req.scope, params.id, body.price),
    }),
  });
