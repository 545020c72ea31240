import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { searchAccount } from '../search/search.ts';

export const searchRoutes = (deps: Deps): Handlers<typeof contract.search> => ({
  retrieve: (scope, { query }) => searchAccount(deps, scope, query),
});
