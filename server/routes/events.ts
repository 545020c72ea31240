import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { listEvents } from '../events/list.ts';
import { resendEvent } from '../events/resend.ts';
import { retrieveDeliveries, retrieveEvent } from '../events/service.ts';
import type { Handlers } from '../http/endpoints.ts';

export const eventRoutes = (deps: Deps): Handlers<typeof contract.events> => ({
  retrieve: (scope, { params }) => retrieveEvent(deps, scope, params.id),
  list: (scope, { query }) => listEvents(deps, scope, query),
  deliveries: (scope, { params }) => retrieveDeliveries(deps, scope, params.id),
  resend: (scope, { params, body }) =>
    resendEvent(deps, scope, { id: params.id, endpointId: body?.webhook_endpoint_id ?? null }),
});
