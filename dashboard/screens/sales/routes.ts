import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../root-routes.tsx';
import { salesSearch } from './search.ts';

const sales = createRoute({
  getParentRoute: () => frameRoute,
  path: '/sales',
  validateSearch: salesSearch,
  component: lazyRouteComponent(() => import('./sales.tsx'), 'Sales'),
});

export const salesRoutes = [sales] as const;
