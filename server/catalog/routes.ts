import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { createPrice } from './create-price.ts';
import {
  createProduct,
  listPrices,
  listProducts,
  retrievePrice,
  retrieveProduct,
  updatePrice,
  updateProduct,
} from './service.ts';

const server = initServer();

export const catalogRoutes = (deps: Deps) => ({
  products: server.router(contract.products, {
    create: async ({ body, req }) => ({ status: 201, body: await createProduct(deps, req.scope, body.product) }),
    retrieve: async ({ params, req }) => ({ status: 200, body: await retrieveProduct(deps, req.scope, params.id) }),
    list: async ({ query, req }) => ({ status: 200, body: await listProducts(deps, req.scope, query) }),
    update: async ({ params, body, req }) => ({
      status: 200,
      body: await updateProduct(deps, req.scope, params.id, body.product),
    }),
  }),
  prices: server.router(contract.prices, {
    create: ({ body, req }) => createPrice(deps, req.scope, body.price),
    retrieve: async ({ params, req }) => ({ status: 200, body: await retrievePrice(deps, req.scope, params.id) }),
    list: async ({ query, req }) => ({ status: 200, body: await listPrices(deps, req.scope, query) }),
    update: async ({ params, body, req }) => ({
      status: 200,
      body: await updatePrice(deps, req.scope, params.id, body.price),
    }),
  }),
});
