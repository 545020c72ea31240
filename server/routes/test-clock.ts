import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { advanceTestClock, retrieveTestClock } from '../test-clock/advance.ts';
import { resetTestClock } from '../test-clock/reset.ts';

export const testClockRoutes = (deps: Deps): Handlers<typeof contract.testClock> => ({
  retrieve: (scope) => retrieveTestClock(deps, scope),
  advance: (scope, { body }) => advanceTestClock(deps, scope, body.test_clock.to),
  reset: (scope) => resetTestClock(deps, scope),
});
