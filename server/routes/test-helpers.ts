import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { changeStoredCard } from '../payments/card/customer-cards.ts';
import { payPix } from '../payments/pix/pay.ts';
import { takeBack } from '../payments/pix/take-back.ts';

/** Routes of the sandbox alone. */
export const testHelperRoutes = (deps: Deps): Handlers<typeof contract.testHelpers> => ({
  paymentIntents: {
    payPix: (scope, { params, body }) =>
      payPix(deps, scope, { intentId: params.payment_intent_id, scenario: body.scenario }),
    dispute: (scope, { params, body }) =>
      takeBack(deps, scope, { intentId: params.payment_intent_id, amount: body.amount, scenario: body.scenario }),
  },
  paymentMethods: {
    change: (scope, { params, body }) =>
      changeStoredCard(deps, scope, { id: params.payment_method_id, scenario: body.scenario }),
  },
});
