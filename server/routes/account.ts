import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { retrieveProfile, updateProfile } from '../profile/update.ts';

export const accountRoutes = (deps: Deps): Handlers<typeof contract.account> => ({
  retrieve: (scope) => retrieveProfile(deps, scope),
  update: (scope, { body }) => updateProfile(deps, scope, body.account),
});
