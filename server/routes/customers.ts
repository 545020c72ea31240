import type { contract } from '../../contract/index.ts';
import { anonymizeCustomer } from '../customers/anonymize.ts';
import { createCustomer } from '../customers/create.ts';
import { listCustomers, retrieveCustomer, updateCustomer } from '../customers/customers.ts';
import type { Deps } from '../deps.ts';
import { exportCustomerData } from '../exports/customer.ts';
import type { Handlers } from '../http/endpoints.ts';

export const customerRoutes = (deps: Deps): Handlers<typeof contract.customers> => ({
  create: (scope, { body }) => createCustomer(deps, scope, body.customer),
  retrieve: (scope, { params }) => retrieveCustomer(deps, scope, params.customer_id),
  list: (scope, { query }) => listCustomers(deps, scope, query),
  update: (scope, { params, body }) => updateCustomer(deps, scope, params.customer_id, body.customer),
  export: (scope, { params }) => exportCustomerData(deps, scope, params.customer_id),
  anonymize: (scope, { params }) => anonymizeCustomer(deps, scope, params.customer_id),
});
