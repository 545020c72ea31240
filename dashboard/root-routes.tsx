import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { queryClient, sessionQuery } from './api/query-client.ts';
import { type ScopeSearch, scopeSearch } from './api/session.ts';
import { Pending } from './parts/pending.tsx';

const NotFound = lazyRouteComponent(() => import('./frame/trouble.tsx'), 'NotFound');
const Crashed = lazyRouteComponent(() => import('./frame/trouble.tsx'), 'Crashed');

export const rootRoute = createRootRoute({ component: Outlet, errorComponent: Crashed });

/** Everything that wants somebody signed in: the rail, the top, and a screen within them. */
export const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'frame',
  validateSearch: (search: Record<string, unknown>): ScopeSearch => scopeSearch(search),
  search: { middlewares: [retainSearchParams(['account', 'mode'])] },
  beforeLoad: async ({ location, search }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: '/sign-in', search: { to: location.href } });
    const [first, second] = session.accounts;
    if (first === undefined) throw redirect({ to: '/sign-in', search: { refused: 'NO_ACCOUNT' } });
    // Whoever belongs to several accounts shares addresses that say which.
    if (second !== undefined && search.account === undefined) {
      const { pathname } = location;
      throw redirect({ to: pathname as '/', search: { ...location.search, account: first.id }, replace: true });
    }
  },
  component: lazyRouteComponent(() => import('./frame/frame.tsx'), 'Frame'),
  notFoundComponent: NotFound,
  errorComponent: Crashed,
  pendingComponent: Pending,
});

/** Any address that no screen has. */
export const otherRoute = createRoute({ getParentRoute: () => frameRoute, path: '$', component: NotFound });
