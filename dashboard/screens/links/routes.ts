import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { choiceOf, known, type RawSearch, textOf } from '../../parts/search-params.ts';
import { frameRoute } from '../../root-routes.tsx';
import { shownCharges } from './shown.ts';

const links = createRoute({
  getParentRoute: () => frameRoute,
  path: '/links',
  component: lazyRouteComponent(() => import('./links.tsx'), 'Links'),
});

const link = createRoute({
  getParentRoute: () => frameRoute,
  path: '/links/$id',
  component: lazyRouteComponent(() => import('./link.tsx'), 'LinkScreen'),
});

const charges = createRoute({
  getParentRoute: () => frameRoute,
  path: '/links/charges',
  validateSearch: ({ status }: RawSearch) => known({ status: choiceOf(status, shownCharges) }),
  component: lazyRouteComponent(() => import('./charges.tsx'), 'Charges'),
});

const newCharge = createRoute({
  getParentRoute: () => frameRoute,
  path: '/links/new',
  validateSearch: ({ customer }: RawSearch) => known({ customer: textOf(customer) }),
  component: lazyRouteComponent(() => import('./new-charge.tsx'), 'NewCharge'),
});

export const linkRoutes = [links, link, charges, newCharge] as const;
