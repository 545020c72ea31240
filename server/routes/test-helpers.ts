import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
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
});
