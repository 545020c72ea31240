import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { periodOf } from '../../parts/period-names.ts';
import { choiceOf, known, type RawSearch } from '../../parts/search-params.ts';
import { frameRoute } from '../../root-routes.tsx';
import { disputeStatuses } from './statuses.ts';

const disputes = createRoute({
  getParentRoute: () => frameRoute,
  path: '/disputes',
  validateSearch: ({ period, status }: RawSearch) =>
    known({ period: periodOf(period), status: choiceOf(status, disputeStatuses) }),
  component: lazyRouteComponent(() => import('./disputes.tsx'), 'Disputes'),
});

const dispute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/disputes/$id',
  component: lazyRouteComponent(() => import('./dispute.tsx'), 'DisputeScreen'),
});

export const disputeRoutes = [disputes, dispute] as const;
