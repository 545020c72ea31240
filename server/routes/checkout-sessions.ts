import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import { createSession } from '../checkout/create.ts';
import { expireSession } from '../checkout/expire.ts';
import { listSessions, retrieveSession } from '../checkout/list.ts';
import type { Deps } from '../deps.ts';

const server = initServer();

export const checkoutSessionRoutes = (deps: Deps) =>
  server.router(contract.checkoutSessions, {
    create: async ({ body, req }) => ({ status: 201, body: await createSession(deps, req.scope, body.session) }),
    retrieve: async ({ params, req }) => ({ status: 200, body: await retrieveSession(deps, req.scope, params.id) }),
    list: async ({ query, req }) => ({ status: 200, body: await listSessions(deps, req.scope, query) }),
    expire: async ({ params, req }) => ({ status: 200, body: await expireSession(deps, req.scope, params.id) }),
  });
