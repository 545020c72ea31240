import type { contract } from '../../contract/index.ts';
import { createSession } from '../checkout/create.ts';
import { expireSession } from '../checkout/expire.ts';
import { listSessions, retrieveSession } from '../checkout/list.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';

export const checkoutSessionRoutes = (deps: Deps): Handlers<typeof contract.checkoutSessions> => ({
  create: (scope, { body }) => createSession(deps, scope, body.session),
  retrieve: (scope, { params }) => retrieveSession(deps, scope, params.checkout_session_id),
  list: (scope, { query }) => listSessions(deps, scope, query),
  expire: (scope, { params }) => expireSession(deps, scope, params.checkout_session_id),
});
