import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../root-routes.tsx';
import { reportSearch } from './search.ts';

const reports = createRoute({
  getParentRoute: () => frameRoute,
  path: '/reports',
  validateSearch: reportSearch,
  component: lazyRouteComponent(() => import('./reports.tsx'), 'Reports'),
});

export const reportRoutes = [reports] as const;
