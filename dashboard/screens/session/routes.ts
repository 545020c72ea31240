import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { known, type RawSearch, textOf } from '../../parts/search-params.ts';
import { frameRoute, rootRoute } from '../../root-routes.tsx';

/** An address within the dashboard, and none of elsewhere. */
const within = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\/(?![/\\])/.test(value) ? value : undefined;

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: ({ to, refused }: RawSearch) => known({ to: within(to), refused: textOf(refused) }),
  component: lazyRouteComponent(() => import('./sign-in.tsx'), 'SignIn'),
});

const setup = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  component: lazyRouteComponent(() => import('./setup.tsx'), 'Setup'),
});

const you = createRoute({
  getParentRoute: () => frameRoute,
  path: '/you',
  component: lazyRouteComponent(() => import('./you.tsx'), 'You'),
});

/** Before somebody is signed in. */
export const entranceRoutes = [signIn, setup] as const;
/** What a person sets for oneself. */
export const youRoutes = [you] as const;
