import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import {
  createApiKey,
  listApiKeys,
  retrieveApiKey,
  revokeApiKey,
  rollApiKey,
  updateApiKey,
} from '../profile/api-keys.ts';

export const apiKeyRoutes = (deps: Deps): Handlers<typeof contract.apiKeys> => ({
  create: (scope, { body }) => createApiKey(deps, scope, body.api_key),
  retrieve: (scope, { params }) => retrieveApiKey(deps, scope, params.api_key_id),
  list: (scope, { query }) => listApiKeys(deps, scope, query),
  update: (scope, { params, body }) => updateApiKey(deps, scope, params.api_key_id, body.api_key),
  roll: (scope, { params, body }) => rollApiKey(deps, scope, { id: params.api_key_id, hours: body?.hours }),
  revoke: (scope, { params }) => revokeApiKey(deps, scope, params.api_key_id),
});
