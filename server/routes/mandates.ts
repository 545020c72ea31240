import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { createMandate } from '../subscriptions/mandates/create.ts';
import { cancelMandate } from '../subscriptions/mandates/end.ts';
import { listMandates, retrieveMandate } from '../subscriptions/mandates/list.ts';

export const mandateRoutes = (deps: Deps): Handlers<typeof contract.mandates> => ({
  create: (scope, { params, body }) =>
    createMandate(deps, scope, { subscriptionId: params.subscription_id, order: body }),
  retrieve: (scope, { params }) => retrieveMandate(deps, scope, params.mandate_id),
  list: (scope, { query }) => listMandates(deps, scope, query),
  cancel: (scope, { params }) => cancelMandate(deps, scope, params.mandate_id),
});
