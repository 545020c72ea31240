import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { known, type RawSearch, textOf } from '../../parts/search-params.ts';
import { frameRoute } from '../../root-routes.tsx';

const search = createRoute({
  getParentRoute: () => frameRoute,
  path: '/search',
  validateSearch: ({ query }: RawSearch) => known({ query: textOf(query) }),
  component: lazyRouteComponent(() => import('./search.tsx'), 'SearchScreen'),
});

export const searchRoutes = [search] as const;
