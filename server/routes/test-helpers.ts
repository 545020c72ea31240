import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { payPix } from '../payments/pix/pay.ts';

const server = initServer();

/** Routes of the sandbox alone. */
export const testHelperRoutes = (deps: Deps) =>
  server.router(contract.testHelpers, {
    paymentIntents: {
      payPix: async ({ params, body, req }) => ({
        status: 200,
        body: await payPix(deps, req.scope, { intentId: params.id, scenario: body.scenario }),
      }),
    },
  });
