import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { periodOf } from '../../parts/period-names.ts';
import { choiceOf, known, type RawSearch, textOf } from '../../parts/search-params.ts';
import { frameRoute } from '../../root-routes.tsx';
import { customerTabs } from './tabs.ts';

const customers = createRoute({
  getParentRoute: () => frameRoute,
  path: '/customers',
  validateSearch: ({ name, identifier, period }: RawSearch) =>
    known({ name: textOf(name), identifier: textOf(identifier), period: periodOf(period) }),
  component: lazyRouteComponent(() => import('./customers.tsx'), 'Customers'),
});

const customer = createRoute({
  getParentRoute: () => frameRoute,
  path: '/customers/$id',
  validateSearch: ({ tab }: RawSearch) => known({ tab: choiceOf(tab, customerTabs) }),
  component: lazyRouteComponent(() => import('./customer.tsx'), 'CustomerScreen'),
});

export const customerRoutes = [customers, customer] as const;
