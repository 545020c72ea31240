import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { cancelSubscription } from '../subscriptions/cancel.ts';
import { checkoutSubscription } from '../subscriptions/checkout.ts';
import { createSubscription } from '../subscriptions/create.ts';
import { listSubscriptions, retrieveSubscription } from '../subscriptions/list.ts';
import { changePaymentMethod } from '../subscriptions/payment-method.ts';
import { reactivateSubscription } from '../subscriptions/reactivate.ts';
import { updateSubscription } from '../subscriptions/update.ts';

const server = initServer();

export const subscriptionRoutes = (deps: Deps) =>
  server.router(contract.subscriptions, {
    create: async ({ body, req }) => ({
      status: 201,
      body: await createSubscription(deps, req.scope, body.subscription),
    }),
    retrieve: async ({ params, req }) => ({
      status: 200,
      body: await retrieveSubscription(deps, req.scope, params.id),
    }),
    list: async ({ query, req }) => ({ status: 200, body: await listSubscriptions(deps, req.scope, query) }),
    update: async ({ params, body, req }) => ({
      status: 200,
      body: await updateSubscription(deps, req.scope, params.id, body.subscription),
    }),
    checkout: async ({ params, body, req }) => ({
      status: 201,
      body: await checkoutSubscription(deps, req.scope, { id: params.id, checkout: body }),
    }),
    updatePaymentMethod: async ({ params, body, req }) => ({
      status: 200,
      body: await changePaymentMethod(deps, req.scope, { id: params.id, holding: body }),
    }),
    cancel: async ({ params, req }) => ({ status: 200, body: await cancelSubscription(deps, req.scope, params.id) }),
    reactivate: async ({ params, req }) => ({
      status: 200,
      body: await reactivateSubscription(deps, req.scope, params.id),
    }),
  });
