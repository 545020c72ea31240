import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { readFeed } from '../events/feed/read.ts';
import { createWatch } from '../events/feed/watch.ts';
import { listEvents } from '../events/list.ts';
import { resendEvent } from '../events/resend.ts';
import { retrieveDeliveries, retrieveEvent } from '../events/service.ts';
import type { Handlers } from '../http/endpoints.ts';
import { leftBy } from '../http/request.ts';

export const eventRoutes = (deps: Deps, draining: AbortSignal): Handlers<typeof contract.events> => {
  const watch = createWatch(deps);
  return {
    retrieve: (scope, { params }) => retrieveEvent(deps, scope, params.event_id),
    list: (scope, { query }) => listEvents(deps, scope, query),
    feed: (scope, { query, req }) =>
      readFeed({ ...deps, watch }, scope, {
        query,
        ended: AbortSignal.any([draining, leftBy(req)]),
        onWait: () => {
          req.measure();
          req.leave();
        },
      }),
    deliveries: (scope, { params }) => retrieveDeliveries(deps, scope, params.event_id),
    resend: (scope, { params, body }) =>
      resendEvent(deps, scope, { id: params.event_id, endpointId: body?.webhook_endpoint_id ?? null }),
  };
};
