import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { retrieveCollectionSettings, updateCollectionSettings } from '../profile/collection-settings.ts';

export const collectionSettingsRoutes = (deps: Deps): Handlers<typeof contract.collectionSettings> => ({
  retrieve: (scope) => retrieveCollectionSettings(deps, scope),
  update: (scope, { body }) => updateCollectionSettings(deps, scope, body.collection_settings),
});
