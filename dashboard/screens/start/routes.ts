import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../root-routes.tsx';

const start = createRoute({
  getParentRoute: () => frameRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./start.tsx'), 'Start'),
});

export const startRoutes = [start] as const;
