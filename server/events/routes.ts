import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { createEndpoint, deleteEndpoint, listEndpoints, retrieveEndpoint, updateEndpoint } from './endpoints.ts';
import { listEvents } from './list.ts';
import { retrieveDeliveries, retrieveEvent } from './service.ts';

const server = initServer();

const events = (deps: Deps) =>
  server.router(contract.events, {
    retrieve: async ({ params, req }) => ({ status: 200, body: await retrieveEvent(deps, req.scope, params.id) }),
    list: async ({ query, req }) => ({ status: 200, body: await listEvents(deps, req.scope, query) }),
    deliveries: async ({ params, req }) => ({
      status: 200,
      body: await retrieveDeliveries(deps, req.scope, params.id),
    }),
  });

const webhookEndpoints = (deps: Deps) =>
  server.router(contract.webhookEndpoints, {
    create: async ({ body, req }) => ({
      status: 201,
      body: await createEndpoint(deps, req.scope, body.webhook_endpoint),
    }),
    retrieve: async ({ params, req }) => ({ status: 200, body: await retrieveEndpoint(deps, req.scope, params.id) }),
    list: async ({ query, req }) => ({ status: 200, body: await listEndpoints(deps, req.scope, query) }),
    update: async ({ params, body, req }) => ({
      status: 200,
      body: await updateEndpoint(deps, req.scope, params.id, body.webhook_endpoint),
    }),
    delete: async ({ params, req }) => ({ status: 200, body: await deleteEndpoint(deps, req.scope, params.id) }),
  });

/** Events, and the endpoints they are delivered to. */
export const eventRoutes = (deps: Deps) => ({ events: events(deps), webhookEndpoints: webhookEndpoints(deps) });
