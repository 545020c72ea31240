import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { reportAging } from '../reports/aging.ts';
import { reportCashFlow } from '../reports/cash-flow.ts';
import { reportSubscriptions } from '../reports/subscriptions.ts';

export const reportRoutes = (deps: Deps): Handlers<typeof contract.reports> => ({
  cashFlow: (scope, { query }) => reportCashFlow(deps, scope, query),
  aging: (scope) => reportAging(deps, scope),
  subscriptions: (scope, { query }) => reportSubscriptions(deps, scope, query),
});
