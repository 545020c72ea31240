import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../root-routes.tsx';

const settings = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./account.tsx'), 'AccountScreen'),
});

const team = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings/team',
  component: lazyRouteComponent(() => import('../team/team.tsx'), 'Team'),
});

const look = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings/look',
  component: lazyRouteComponent(() => import('./look.tsx'), 'LookScreen'),
});

const mails = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings/mails',
  component: lazyRouteComponent(() => import('./mails.tsx'), 'MailSettingsScreen'),
});

const acquirer = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings/acquirer',
  component: lazyRouteComponent(() => import('./acquirer.tsx'), 'AcquirerScreen'),
});

const collection = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings/collection',
  component: lazyRouteComponent(() => import('./collection.tsx'), 'CollectionSettingsScreen'),
});

export const settingsRoutes = [settings, team, look, mails, collection, acquirer] as const;
