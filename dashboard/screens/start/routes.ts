import { createRoute, redirect } from '@tanstack/react-router';
import { frameRoute } from '../../root-routes.tsx';

/** Whoever opens the dashboard sees what was sold today. */
const start = createRoute({
  getParentRoute: () => frameRoute,
  path: '/',
  beforeLoad: ({ search }) => {
    throw redirect({ to: '/sales', search, replace: true });
  },
});

export const startRoutes = [start] as const;
