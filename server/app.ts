import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { createAuthenticate, type KeyRefusal } from './accounts/authentication.ts';
import { createKeyUses, writeRegularly } from './accounts/key-use.ts';
import { networkForms } from './accounts/networks.ts';
import { type EventLoopLag, Overload } from './admission/overload.ts';
import { createRateLimiter, type RateLimiter } from './admission/rate-limit.ts';
import { customerTextForms } from './customers/rules.ts';
import { mountDashboardEndpoints } from './dashboard/endpoints.ts';
import { mountDashboard } from './dashboard/mount.ts';
import type { Deps } from './deps.ts';
import { createAdmission } from './http/admit.ts';
import { authorize, requireKey } from './http/authorize.ts';
import { readBody } from './http/body.ts';
import { documentedCodes } from './http/documented-codes.ts';
import { mountContract, refuseUnknownRoutes } from './http/endpoints.ts';
import { handleErrors } from './http/error-handler.ts';
import { refuseMalformedHeads } from './http/heads.ts';
import { createIdempotentRunner } from './http/idempotency.ts';
import { createKeyLookups } from './http/key-lookups.ts';
import { mountPublicRoutes, type Readiness } from './http/public.ts';
import { boundAnswers, literalizeUnreadablePaths, observeRequests } from './http/request.ts';
import { sendWrittenPages } from './http/written-pages.ts';
import { mergedMetrics } from './metrics.ts';
import { cardForms } from './payments/card/number.ts';
import { accountTextForms } from './profile/rules.ts';
import { handlers } from './routes/index.ts';
import { mountDocs } from './site/mount.ts';
import { DOCS_ASSETS } from './site/served.ts';
import { mountAcquirerNotices } from './web/acquirer-notices.ts';
import { assetRouter, readBuiltPages } from './web/built.ts';
import { mountCardEntry } from './web/card-entry.ts';
import { mountPages } from './web/mount.ts';

/** Answers hold nothing that a browser should run or show; pages bring policies of their own. Over http, browsers must not be sent to https. */
function securityHeaders(publicUrl: string): RequestHandler {
  const none = ["'none'"];
  const directives = { defaultSrc: none, baseUri: none, formAction: none, frameAncestors: none };
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: publicUrl.startsWith('https:'),
  });
}

/** Answers are of one account, some with secrets; the pages say of themselves what may be kept. */
const keepOutOfCaches: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};

interface AppOptions {
  readonly readiness: Readiness;
  readonly validateResponses?: boolean;
  /** How late the event loop was since it was last asked; absent: never. */
  readonly lag?: EventLoopLag;
  /** Once aborted, what would stay open for long ends; absent: never. */
  readonly draining?: AbortSignal;
}

const NEVER = new AbortController().signal;
const NEVER_LATE: EventLoopLag = () => 0;

/** What lets requests with API keys in, and counts those that are not. */
function accessOf(deps: Deps, { rateLimiter, draining }: { rateLimiter: RateLimiter; draining: AbortSignal }) {
  const { pool, logger, metrics, settings } = deps;
  const refused = (reason: KeyRefusal): void => metrics.keyRefusals.inc({ reason });
  const keyUses = createKeyUses(pool);
  const failed = (error: unknown): void => logger.warn({ err: error }, 'the last uses of keys were not written yet');
  writeRegularly(keyUses, { draining, failed });
  return {
    authenticate: createAuthenticate(pool, { modes: settings.modes, refused }),
    keyLookups: createKeyLookups(),
    rateLimiter,
    keyUses,
    settings,
    refused,
  };
}

/** The HTTP service over its dependencies: the same app in production and in every API test. */
export function createApp(deps: Deps, options: AppOptions): Express {
  const { draining = NEVER, validateResponses = false } = options;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  // Paths are exact; both hold for the router that is made with the first route or middleware.
  app.enable('strict routing');
  app.enable('case sensitive routing');
  sendWrittenPages(app);
  app.set('trust proxy', deps.settings.trustProxy);
  app.use(securityHeaders(deps.settings.publicUrl));
  app.use(observeRequests(deps));
  const refuse = handleErrors(deps, validateResponses ? documentedCodes() : undefined);
  app.use(boundAnswers(refuse));
  app.use(refuseMalformedHeads);
  app.use(literalizeUnreadablePaths);
  app.use('/api', keepOutOfCaches);
  const metricsText = async () => mergedMetrics(deps.metrics.registry, await options.readiness.workerMetrics());
  mountPublicRoutes(app, { ...deps, metricsText }, { readiness: options.readiness, draining });
  const rateLimiter = createRateLimiter(deps.pool);
  const runner = createIdempotentRunner(deps);
  const overload = new Overload(options.lag ?? NEVER_LATE);
  overload.watch();
  const admission = createAdmission(deps, overload);
  const built = readBuiltPages();
  app.use(DOCS_ASSETS, assetRouter(built));
  mountDocs(app, { publicUrl: deps.settings.publicUrl, folder: built.docs });
  mountDashboard(app, { built: built.dashboard, publicUrl: deps.settings.publicUrl });
  mountPages(app, deps, { built, runner, admission, rateLimiter, draining });
  mountAcquirerNotices(app, deps, { rateLimiter, admission });
  mountCardEntry(app, deps, { rateLimiter, admission });

  const access = accessOf(deps, { rateLimiter, draining });
  const routes = {
    handlers: handlers(deps, draining),
    textForms: { ...customerTextForms, ...accountTextForms, ...networkForms, ...cardForms },
    runner: admission.runnerFor(runner, 'merchant'),
    validateResponses,
  };
  mountDashboardEndpoints(app, deps, { ...routes, admission, rateLimiter });
  mountContract(app, { ...routes, middlewares: [authorize(access), admission.admitKeys, readBody] });
  app.use('/api', requireKey(access));
  app.use(refuseUnknownRoutes());
  app.use(refuse);
  return app;
}
