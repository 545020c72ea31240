import { initServer } from '@ts-rest/express';
import { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { advanceTestClock, retrieveTestClock } from '../test-clock/advance.ts';
import { resetTestClock } from '../test-clock/reset.ts';

const server = initServer();

export const testClockRoutes = (deps: Deps) =>
  server.router(contract.testClock, {
    retrieve: async ({ req }) => ({ status: 200, body: await retrieveTestClock(deps, req.scope) }),
    advance: async ({ body, req }) => ({
      status: 202,
      body: await advanceTestClock(deps, req.scope, body.test_clock.to),
    }),
    reset: async ({ req }) => ({ status: 200, body: await resetTestClock(deps, req.scope) }),
  });
