import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { createRefund } from '../payments/refunds/create.ts';
import { listRefunds, retrieveRefund } from '../payments/refunds/list.ts';

export const refundRoutes = (deps: Deps): Handlers<typeof contract.refunds> => ({
  create: (scope, { body }) => createRefund(deps, scope, body.refund),
  retrieve: (scope, { params }) => retrieveRefund(deps, scope, params.refund_id),
  list: (scope, { query }) => listRefunds(deps, scope, query),
});
