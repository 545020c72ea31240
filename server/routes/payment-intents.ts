import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { listIntents, retrieveIntent } from '../payments/intents/list.ts';

export const paymentIntentRoutes = (deps: Deps): Handlers<typeof contract.paymentIntents> => ({
  retrieve: (scope, { params }) => retrieveIntent(deps, scope, params.payment_intent_id),
  list: (scope, { query }) => listIntents(deps, scope, query),
});
