import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { known, type RawSearch, textOf } from '../../parts/search-params.ts';
import { frameRoute } from '../../root-routes.tsx';

/** An invoice and the payments of it; `payment` is the one that was asked for. */
const invoice = createRoute({
  getParentRoute: () => frameRoute,
  path: '/invoices/$id',
  validateSearch: ({ payment }: RawSearch) => known({ payment: textOf(payment) }),
  component: lazyRouteComponent(() => import('./invoice.tsx'), 'InvoiceScreen'),
});

/** A payment by its own id, as a search or a dispute knows it. */
const payment = createRoute({
  getParentRoute: () => frameRoute,
  path: '/payments/$id',
  component: lazyRouteComponent(() => import('./payment-redirect.tsx'), 'PaymentRedirect'),
});

export const invoiceRoutes = [invoice, payment] as const;
