import type { contract } from '../../contract/index.ts';
import { createPaymentLink, listPaymentLinks, retrievePaymentLink, updatePaymentLink } from '../checkout/links.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';

export const paymentLinkRoutes = (deps: Deps): Handlers<typeof contract.paymentLinks> => ({
  create: (scope, { body }) => createPaymentLink(deps, scope, body.payment_link),
  retrieve: (scope, { params }) => retrievePaymentLink(deps, scope, params.payment_link_id),
  list: (scope, { query }) => listPaymentLinks(deps, scope, query),
  update: (scope, { params, body }) => updatePaymentLink(deps, scope, params.payment_link_id, body.payment_link),
});
