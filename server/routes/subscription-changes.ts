import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { changeSubscription } from '../subscriptions/change.ts';
import { cancelChange } from '../subscriptions/change-cancel.ts';
import { previewChange } from '../subscriptions/change-preview.ts';

export const subscriptionChangeRoutes = (deps: Deps): Handlers<typeof contract.subscriptionChanges> => ({
  create: (scope, { params, body }) => changeSubscription(deps, scope, { id: params.subscription_id, ...body }),
  preview: (scope, { params, body }) => previewChange(deps, scope, { id: params.subscription_id, ...body }),
  cancel: (scope, { params }) => cancelChange(deps, scope, { id: params.subscription_id, changeId: params.change_id }),
});
