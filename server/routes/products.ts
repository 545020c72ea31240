import type { contract } from '../../contract/index.ts';
import { createProduct, listProducts, retrieveProduct, updateProduct } from '../catalog/products.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';

export const productRoutes = (deps: Deps): Handlers<typeof contract.products> => ({
  create: (scope, { body }) => createProduct(deps, scope, body.product),
  retrieve: (scope, { params }) => retrieveProduct(deps, scope, params.product_id),
  list: (scope, { query }) => listProducts(deps, scope, query),
  update: (scope, { params, body }) => updateProduct(deps, scope, params.product_id, body.product),
});
