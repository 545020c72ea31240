import type { contract } from '../../contract/index.ts';
import { createPrice, listPrices, retrievePrice, updatePrice } from '../catalog/prices.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';

export const priceRoutes = (deps: Deps): Handlers<typeof contract.prices> => ({
  create: (scope, { body }) => createPrice(deps, scope, body.price),
  retrieve: (scope, { params }) => retrievePrice(deps, scope, params.price_id),
  list: (scope, { query }) => listPrices(deps, scope, query),
  update: (scope, { params, body }) => updatePrice(deps, scope, params.price_id, body.price),
});
