import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import { anonymizeCustomer } from '../customers/anonymize.ts';
import { createCustomer } from '../customers/create.ts';
import { listCustomers, retrieveCustomer, updateCustomer } from '../customers/customers.ts';
import type { Deps } from '../deps.ts';

const server = initServer();

export const customerRoutes = (deps: Deps) =>
  server.router(contract.customers, {
    create: async ({ body, req }) => ({ status: 201, body: await createCustomer(deps, req.scope, body.customer) }),
    retrieve: async ({ params, req }) => ({ status: 200, body: await retrieveCustomer(deps, req.scope, params.id) }),
    list: async ({ query, req }) => ({ status: 200, body: await listCustomers(deps, req.scope, query) }),
    update: async ({ params, body, req }) => ({
      status: 200,
      body: await updateCustomer(deps, req.scope, params.id, body.customer),
    }),
    anonymize: async ({ params, req }) => ({ status: 200, body: await anonymizeCustomer(deps, req.scope, params.id) }),
  });
