import { createExpressEndpoints } from '@ts-rest/express';
import express, { type Express, type IRouter, type RequestHandler } from 'express';
import { DASHBOARD, dashboardContract } from '../../contract/dashboard.ts';
import type { contract } from '../../contract/index.ts';
import type { RateLimiter } from '../admission/rate-limit.ts';
import { workFor } from '../admission/tenant.ts';
import type { Deps } from '../deps.ts';
import { countedAddress } from '../http/address.ts';
import type { Admission } from '../http/admit.ts';
import { readBody } from '../http/body.ts';
import { type Handlers, mountContract, refuseUnknownRoutes } from '../http/endpoints.ts';
import type { IdempotentRunner } from '../http/idempotency.ts';
import { strictContract, type TextFormChecks } from '../http/strict-contract.ts';
import { createOidc } from '../staff/oidc.ts';
import { createSessions } from '../staff/sessions.ts';
import { authorizePeople } from './authorize.ts';
import { createCookies } from './cookies.ts';
import { guardOrigin } from './guard.ts';
import { answering } from './handlers.ts';
import { mountOidc } from './oidc-routes.ts';
import { personRoutes } from './person-routes.ts';
import { type DashboardDeps, sessionRoutes } from './session-routes.ts';
import { staffRoutes } from './staff-routes.ts';

interface Parts {
  readonly handlers: Handlers<typeof contract>;
  readonly textForms: TextFormChecks;
  readonly runner: IdempotentRunner;
  readonly admission: Admission;
  readonly rateLimiter: RateLimiter;
  readonly validateResponses: boolean;
}

/** Requests of people who are not known yet take connections in turns of their addresses. */
const inTurnOfAddress: RequestHandler = (request, _response, next) => workFor(countedAddress(request.ip), () => next());

const keepOutOfCaches: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};

function mountAuth(router: IRouter, deps: DashboardDeps, { textForms, validateResponses }: Parts): void {
  router.use('/auth', keepOutOfCaches, inTurnOfAddress);
  if (deps.oidc !== null) mountOidc(router, deps, deps.oidc);
  router.use('/auth', guardOrigin(deps.settings.publicUrl));
  const handlers = { session: sessionRoutes(deps), person: personRoutes(deps), staff: staffRoutes(deps) };
  // What wraps a handler answers the route that the handler stands for.
  const routes = answering(handlers) as Parameters<typeof createExpressEndpoints<typeof dashboardContract>>[1];
  createExpressEndpoints(strictContract(dashboardContract, textForms), routes, router, {
    logInitialization: false,
    responseValidation: validateResponses,
    requestValidationErrorHandler: (error, _request, _response, next) => next(error),
    globalMiddleware: [readBody] as never[],
  });
  router.use('/auth', refuseUnknownRoutes());
}

function mountApi(router: IRouter, deps: DashboardDeps, parts: Parts): void {
  const { handlers, textForms, runner, admission, validateResponses } = parts;
  router.use('/api', keepOutOfCaches, guardOrigin(deps.settings.publicUrl));
  mountContract(router, {
    handlers,
    textForms,
    runner,
    middlewares: [authorizePeople(deps), admission.admitKeys, readBody],
    validateResponses,
  });
  router.use('/api', refuseUnknownRoutes());
}

/** Mounts the dashboard's sign-in, and the contract of merchants for whoever is signed in (docs/product/dashboard.md). */
export function mountDashboardEndpoints(app: Express, deps: Deps, parts: Parts): void {
  const { pool, settings } = deps;
  const { rateLimiter } = parts;
  const base = { ...deps, rateLimiter, sessions: createSessions(pool), cookies: createCookies(settings) };
  const oidc = settings.oidc === null ? null : createOidc(base, settings.oidc);
  const router = express.Router({ strict: true, caseSensitive: true });
  mountAuth(router, { ...base, oidc }, parts);
  mountApi(router, { ...base, oidc }, parts);
  app.use(DASHBOARD, router);
}
