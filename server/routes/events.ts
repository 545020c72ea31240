import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { listEvents } from '../events/list.ts';
import { retrieveDeliveries, retrieveEvent } from '../events/service.ts';

const server = initServer();

export const eventRoutes = (deps: Deps) =>
  server.router(contract.events, {
    retrieve: async ({ params, req }) => ({ status: 200, body: await retrieveEvent(deps, req.scope, params.id) }),
    list: async ({ query, req }) => ({ status: 200, body: await listEvents(deps, req.scope, query) }),
    deliveries: async ({ params, req }) => ({
      status: 200,
      body: await retrieveDeliveries(deps, req.scope, params.id),
    }),
  });
