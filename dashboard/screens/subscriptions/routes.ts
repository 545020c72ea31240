import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../root-routes.tsx';
import { subscriptionSearch } from './search.ts';

const subscriptions = createRoute({
  getParentRoute: () => frameRoute,
  path: '/subscriptions',
  validateSearch: subscriptionSearch,
  component: lazyRouteComponent(() => import('./subscriptions.tsx'), 'Subscriptions'),
});

const subscription = createRoute({
  getParentRoute: () => frameRoute,
  path: '/subscriptions/$id',
  component: lazyRouteComponent(() => import('./subscription.tsx'), 'SubscriptionScreen'),
});

export const subscriptionRoutes = [subscriptions, subscription] as const;
