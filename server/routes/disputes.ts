import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { listDisputes, retrieveDispute } from '../payments/disputes/list.ts';

export const disputeRoutes = (deps: Deps): Handlers<typeof contract.disputes> => ({
  retrieve: (scope, { params }) => retrieveDispute(deps, scope, params.dispute_id),
  list: (scope, { query }) => listDisputes(deps, scope, query),
});
