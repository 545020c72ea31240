import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { listLate, retrieveCollection } from '../invoices/collection.ts';

export const collectionRoutes = (deps: Deps): Handlers<typeof contract.collection> => ({
  retrieve: (scope) => retrieveCollection(deps, scope),
  listInvoices: (scope, { query }) => listLate(deps, scope, query),
});
