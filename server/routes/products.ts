import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import { createProduct, listProducts, retrieveProduct, updateProduct } from '../catalog/products.ts';
import type { Deps } from '../deps.ts';

const server = initServer();

export const productRoutes = (deps: Deps) =>
  server.router(contract.products, {
    create: async ({ body, req }) => ({ status: 201, body: await createProduct(deps, req.scope, body.product) }),
    retrieve: async ({ params, req }) => ({ status: 200, body: await retrieveProduct(deps, req.scope, params.id) }),
    list: async ({ query, req }) => ({ status: 200, body: await listProducts(deps, req.scope, query) }),
    update: async ({ params, body, req }) => ({
      status: 200,
      body: await updateProduct(deps, req.scope, params.id, body.product),
    }),
  });
