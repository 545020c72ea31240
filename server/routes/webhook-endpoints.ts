import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  retrieveEndpoint,
  updateEndpoint,
} from '../events/endpoints.ts';

const server = initServer();

export const webhookEndpointRoutes = (deps: Deps) =>
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
