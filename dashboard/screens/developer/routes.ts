import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { periodOf } from '../../parts/period-names.ts';
import { choiceOf, known, type RawSearch, textOf } from '../../parts/search-params.ts';
import { frameRoute } from '../../root-routes.tsx';
import { deliveryStatuses, eventTypeOf, keyStatuses, ladderStatuses } from './search.ts';

const overview = createRoute({
  getParentRoute: () => frameRoute,
  path: '/developer',
  component: lazyRouteComponent(() => import('./overview.tsx'), 'Developer'),
});

const endpoints = createRoute({
  getParentRoute: () => frameRoute,
  path: '/developer/webhooks',
  component: lazyRouteComponent(() => import('./webhooks/webhooks.tsx'), 'Webhooks'),
});

const endpoint = createRoute({
  getParentRoute: () => frameRoute,
  path: '/developer/webhooks/$id',
  validateSearch: ({ status, type, event, period }: RawSearch) =>
    known({
      status: choiceOf(status, ladderStatuses),
      type: eventTypeOf(type),
      event: textOf(event),
      period: periodOf(period),
    }),
  component: lazyRouteComponent(() => import('./webhooks/endpoint.tsx'), 'EndpointScreen'),
});

const events = createRoute({
  getParentRoute: () => frameRoute,
  path: '/developer/events',
  validateSearch: ({ type, delivery, object, period }: RawSearch) =>
    known({
      type: eventTypeOf(type),
      delivery: choiceOf(delivery, deliveryStatuses),
      object: textOf(object),
      period: periodOf(period),
    }),
  component: lazyRouteComponent(() => import('./events/events.tsx'), 'Events'),
});

const event = createRoute({
  getParentRoute: () => frameRoute,
  path: '/developer/events/$id',
  component: lazyRouteComponent(() => import('./events/event.tsx'), 'EventScreen'),
});

const keys = createRoute({
  getParentRoute: () => frameRoute,
  path: '/developer/keys',
  validateSearch: ({ status }: RawSearch) => known({ status: choiceOf(status, keyStatuses) }),
  component: lazyRouteComponent(() => import('./keys/keys.tsx'), 'KeysScreen'),
});

const log = createRoute({
  getParentRoute: () => frameRoute,
  path: '/developer/log',
  validateSearch: ({ action, actor, object, period }: RawSearch) =>
    known({ action: textOf(action), actor: textOf(actor), object: textOf(object), period: periodOf(period) }),
  component: lazyRouteComponent(() => import('./log/log.tsx'), 'AuditLogScreen'),
});

const sandbox = createRoute({
  getParentRoute: () => frameRoute,
  path: '/developer/sandbox',
  validateSearch: ({ payment }: RawSearch) => known({ payment: textOf(payment) }),
  component: lazyRouteComponent(() => import('./sandbox/sandbox.tsx'), 'SandboxScreen'),
});

export const developerRoutes = [overview, endpoints, endpoint, events, event, keys, log, sandbox] as const;
