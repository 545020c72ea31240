import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { listEndpointDeliveries } from '../events/endpoint-deliveries.ts';
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  retrieveEndpoint,
  updateEndpoint,
} from '../events/endpoints.ts';
import { recoverEndpoint, retrieveRecovery } from '../events/recovery.ts';
import { enableEndpoint, rotateSecret } from '../events/secret-and-state.ts';
import { testEndpoint } from '../events/test-delivery.ts';
import type { Handlers } from '../http/endpoints.ts';

export const webhookEndpointRoutes = (deps: Deps): Handlers<typeof contract.webhookEndpoints> => ({
  create: (scope, { body }) => createEndpoint(deps, scope, body.webhook_endpoint),
  retrieve: (scope, { params }) => retrieveEndpoint(deps, scope, params.webhook_endpoint_id),
  list: (scope, { query }) => listEndpoints(deps, scope, query),
  update: (scope, { params, body }) => updateEndpoint(deps, scope, params.webhook_endpoint_id, body.webhook_endpoint),
  rotateSecret: (scope, { params }) => rotateSecret(deps, scope, params.webhook_endpoint_id),
  test: (scope, { params }) => testEndpoint(deps, scope, params.webhook_endpoint_id),
  enable: (scope, { params }) => enableEndpoint(deps, scope, params.webhook_endpoint_id),
  recover: (scope, { params, body }) =>
    recoverEndpoint(deps, scope, { id: params.webhook_endpoint_id, since: body.since }),
  retrieveRecovery: (scope, { params }) => retrieveRecovery(deps, scope, params.webhook_endpoint_id),
  deliveries: (scope, { params, query }) =>
    listEndpointDeliveries(deps, scope, { endpointId: params.webhook_endpoint_id, query }),
  delete: (scope, { params }) => deleteEndpoint(deps, scope, params.webhook_endpoint_id),
});
