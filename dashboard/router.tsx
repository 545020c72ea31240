import { createRouter } from '@tanstack/react-router';
import { ROOT } from './api/root.ts';
import { Pending } from './parts/pending.tsx';
import { frameRoute, otherRoute, rootRoute } from './root-routes.tsx';
import { collectionRoutes } from './screens/collection/routes.ts';
import { couponRoutes } from './screens/coupons/routes.ts';
import { customerRoutes } from './screens/customers/routes.ts';
import { developerRoutes } from './screens/developer/routes.ts';
import { disputeRoutes } from './screens/disputes/routes.ts';
import { invoiceRoutes } from './screens/invoices/routes.ts';
import { linkRoutes } from './screens/links/routes.ts';
import { productRoutes } from './screens/products/routes.ts';
import { reportRoutes } from './screens/reports/routes.ts';
import { salesRoutes } from './screens/sales/routes.ts';
import { searchRoutes } from './screens/search/routes.ts';
import { entranceRoutes, youRoutes } from './screens/session/routes.ts';
import { settingsRoutes } from './screens/settings/routes.ts';
import { startRoutes } from './screens/start/routes.ts';
import { subscriptionRoutes } from './screens/subscriptions/routes.ts';

/** One line for each area of screens; the rail shows those whose address is here. */
const routeTree = rootRoute.addChildren([
  ...entranceRoutes,
  frameRoute.addChildren([
    // A line each, so that two screens which come at once do not meet.
    ...startRoutes,
    ...collectionRoutes,
    ...couponRoutes,
    ...customerRoutes,
    ...disputeRoutes,
    ...developerRoutes,
    ...invoiceRoutes,
    ...reportRoutes,
    ...linkRoutes,
    ...productRoutes,
    ...salesRoutes,
    ...searchRoutes,
    ...settingsRoutes,
    ...subscriptionRoutes,
    ...youRoutes,
    otherRoute,
  ]),
]);

const PENDING_MS = 200;

/** Every value of an address is text, so that people read and write it. */
const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text));

function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== '') params.set(name, String(value));
  }
  return params.size === 0 ? '' : `?${params}`;
}

export const router = createRouter({
  routeTree,
  basepath: ROOT,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingMs: PENDING_MS,
  // What is there is shown at once, however short the wait was announced.
  defaultPendingMinMs: 0,
  defaultPendingComponent: Pending,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
