import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { retrieveSummary } from '../payments/summary.ts';

export const summaryRoutes = (deps: Deps): Handlers<typeof contract.summary> => ({
  retrieve: (scope, { query }) => retrieveSummary(deps, scope, query.date),
});
