import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { frameRoute } from '../../root-routes.tsx';

const settings = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings',
  beforeLoad: ({ search }) => {
    throw redirect({ to: '/settings/team', search, replace: true });
  },
});

const team = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings/team',
  component: lazyRouteComponent(() => import('../team/team.tsx'), 'Team'),
});

export const settingsRoutes = [settings, team] as const;
