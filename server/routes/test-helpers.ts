import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { changeStoredCard } from '../payments/card/customer-cards.ts';
import { decideNextDebit } from '../payments/pix/buyer-mandates.ts';
import { takeBack } from '../payments/pix/take-back.ts';
import { cancelAtBank, decideAtBank, payCode } from '../subscriptions/mandates/at-bank.ts';

/** Routes of the sandbox alone. */
export const testHelperRoutes = (deps: Deps): Handlers<typeof contract.testHelpers> => ({
  paymentIntents: {
    payPix: (scope, { params, body }) =>
      payCode(deps, scope, { intentId: params.payment_intent_id, scenario: body.scenario }),
    debit: (scope, { params, body }) =>
      decideNextDebit(deps, scope, { intentId: params.payment_intent_id, outcome: body.outcome }),
    dispute: (scope, { params, body }) =>
      takeBack(deps, scope, { intentId: params.payment_intent_id, amount: body.amount, scenario: body.scenario }),
  },
  mandates: {
    approve: (scope, { params }) => decideAtBank(deps, scope, { id: params.mandate_id, decision: 'approve' }),
    reject: (scope, { params }) => decideAtBank(deps, scope, { id: params.mandate_id, decision: 'reject' }),
    cancel: (scope, { params, body }) => cancelAtBank(deps, scope, { id: params.mandate_id, by: body.by }),
  },
  paymentMethods: {
    change: (scope, { params, body }) =>
      changeStoredCard(deps, scope, { id: params.payment_method_id, scenario: body.scenario }),
  },
});
