import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { choiceOf, known, type RawSearch } from '../../parts/search-params.ts';
import { frameRoute } from '../../root-routes.tsx';
import { shownProducts } from './shown.ts';

const products = createRoute({
  getParentRoute: () => frameRoute,
  path: '/products',
  validateSearch: ({ status }: RawSearch) => known({ status: choiceOf(status, shownProducts) }),
  component: lazyRouteComponent(() => import('./products.tsx'), 'Products'),
});

const product = createRoute({
  getParentRoute: () => frameRoute,
  path: '/products/$id',
  component: lazyRouteComponent(() => import('./product.tsx'), 'ProductScreen'),
});

export const productRoutes = [products, product] as const;
