import type { contract } from '../../contract/index.ts';
import { anonymizeCustomer } from '../customers/anonymize.ts';
import { createCustomer } from '../customers/create.ts';
import { listCustomers, updateCustomer } from '../customers/customers.ts';
import { createNote, listNotes } from '../customers/notes.ts';
import type { Deps } from '../deps.ts';
import { exportCustomerData } from '../exports/customer.ts';
import type { Handlers } from '../http/endpoints.ts';
import { createPortalLink } from '../portal/links.ts';
import { retrieveWhole } from '../subscriptions/whole-customer.ts';

export const customerRoutes = (deps: Deps): Handlers<typeof contract.customers> => ({
  create: (scope, { body }) => createCustomer(deps, scope, body.customer),
  retrieve: (scope, { params }) => retrieveWhole(deps, scope, params.customer_id),
  list: (scope, { query }) => listCustomers(deps, scope, query),
  update: (scope, { params, body }) => updateCustomer(deps, scope, params.customer_id, body.customer),
  export: (scope, { params }) => exportCustomerData(deps, scope, params.customer_id),
  createNote: (scope, { params, body }) => createNote(deps, scope, { customerId: params.customer_id, note: body.note }),
  listNotes: (scope, { params, query }) => listNotes(deps, scope, { customerId: params.customer_id, query }),
  createPortalLink: (scope, { params, body }) =>
    createPortalLink(deps, scope, { customerId: params.customer_id, input: body }),
  anonymize: (scope, { params }) => anonymizeCustomer(deps, scope, params.customer_id),
});
