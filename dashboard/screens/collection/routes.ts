import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { known, type RawSearch, textOf } from '../../parts/search-params.ts';
import { frameRoute } from '../../root-routes.tsx';

const collection = createRoute({
  getParentRoute: () => frameRoute,
  path: '/collection',
  validateSearch: ({ stage }: RawSearch) => known({ stage: textOf(stage) }),
  component: lazyRouteComponent(() => import('./collection.tsx'), 'CollectionScreen'),
});

export const collectionRoutes = [collection] as const;
