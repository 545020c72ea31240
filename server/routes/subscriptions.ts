import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { pauseSubscription, resumeSubscription } from '../subscriptions/billing/pause.ts';
import { cancelSubscription } from '../subscriptions/cancel.ts';
import { cancelSubscriptionAt, uncancelSubscription } from '../subscriptions/cancel-at.ts';
import { checkoutSubscription } from '../subscriptions/checkout.ts';
import { createSubscription } from '../subscriptions/create.ts';
import { listSubscriptions, retrieveSubscription } from '../subscriptions/list.ts';
import { replaceCard } from '../subscriptions/payment-method.ts';
import { previewSubscription } from '../subscriptions/preview.ts';
import { reactivateSubscription } from '../subscriptions/reactivate.ts';
import { endTrialNow } from '../subscriptions/trial.ts';
import { previewUpcoming } from '../subscriptions/upcoming.ts';
import { updateSubscription } from '../subscriptions/update.ts';

export const subscriptionRoutes = (deps: Deps): Handlers<typeof contract.subscriptions> => ({
  create: (scope, { body }) => createSubscription(deps, scope, body.subscription),
  preview: (scope, { body }) => previewSubscription(deps, scope, body.subscription),
  retrieve: (scope, { params }) => retrieveSubscription(deps, scope, params.subscription_id),
  list: (scope, { query }) => listSubscriptions(deps, scope, query),
  upcomingInvoice: (scope, { params }) => previewUpcoming(deps, scope, params.subscription_id),
  update: (scope, { params, body }) => updateSubscription(deps, scope, params.subscription_id, body.subscription),
  checkout: (scope, { params, body }) =>
    checkoutSubscription(deps, scope, { id: params.subscription_id, checkout: body }),
  updatePaymentMethod: (scope, { params, body }) =>
    replaceCard(deps, scope, { id: params.subscription_id, replacement: body }),
  endTrial: (scope, { params }) => endTrialNow(deps, scope, params.subscription_id),
  cancelAt: (scope, { params, body }) => cancelSubscriptionAt(deps, scope, { id: params.subscription_id, ...body }),
  pause: (scope, { params, body }) => pauseSubscription(deps, scope, { id: params.subscription_id, ...body }),
  resume: (scope, { params }) => resumeSubscription(deps, scope, params.subscription_id),
  uncancel: (scope, { params }) => uncancelSubscription(deps, scope, params.subscription_id),
  cancel: (scope, { params }) => cancelSubscription(deps, scope, { id: params.subscription_id }),
  reactivate: (scope, { params }) => reactivateSubscription(deps, scope, params.subscription_id),
});
