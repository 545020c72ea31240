import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import {
  deleteStoredCard,
  listStoredCards,
  makeDefaultCard,
  retrieveStoredCard,
} from '../payments/card/customer-cards.ts';

export const paymentMethodRoutes = (deps: Deps): Handlers<typeof contract.paymentMethods> => ({
  list: (scope, { params, query }) => listStoredCards(deps, scope, { customerId: params.customer_id, query }),
  retrieve: (scope, { params }) => retrieveStoredCard(deps, scope, params.payment_method_id),
  setDefault: (scope, { params }) => makeDefaultCard(deps, scope, params.payment_method_id),
  delete: (scope, { params }) => deleteStoredCard(deps, scope, params.payment_method_id),
});
