import { type AppRouter, isAppRoute } from '@ts-rest/core';
import { createExpressEndpoints } from '@ts-rest/express';
import type { Express, Request, RequestHandler, Response } from 'express';
import { contract } from '../../contract/index.ts';
import { BillingError } from '../kernel/errors.ts';
import type { IdempotentRunner } from './idempotency.ts';
import { strictContract, type TextFormChecks } from './strict-contract.ts';

type Router = Parameters<typeof createExpressEndpoints<typeof contract>>[1];
type Handler = (args: { req: Request; res: Response }) => Promise<{ status: number; body: unknown }>;

/** Puts the Idempotency-Key, and the refusal of changes while the test clock moves, around each handler: after validation and before any effect. */
function withIdempotency(router: object, runner: IdempotentRunner): object {
  return Object.fromEntries(
    Object.entries(router).map(([name, part]: [string, object | Handler]) => {
      if (typeof part !== 'function') return [name, withIdempotency(part, runner)];
      const keyed: Handler = (args) => runner(args.req, args.res, () => part(args));
      return [name, keyed];
    }),
  );
}

/** Mounts the contract's routes behind the middlewares that every route shares. */
export function mountContract(
  app: Express,
  options: {
    router: Router;
    textForms: TextFormChecks;
    runner: IdempotentRunner;
    middlewares: RequestHandler[];
    validateResponses: boolean;
  },
): void {
  // The wrapped handlers have the shapes of those they wrap.
  const router = withIdempotency(options.router, options.runner) as Router;
  createExpressEndpoints(strictContract(contract, options.textForms), router, app, {
    logInitialization: false,
    // Test entries hold every answer to the contract; production trusts the views' types.
    responseValidation: options.validateResponses,
    requestValidationErrorHandler: (error, _request, _response, next) => next(error),
    globalMiddleware: options.middlewares as never[],
  });
}

interface KnownPath {
  readonly form: RegExp;
  readonly methods: string[];
}

function knownPaths(router: AppRouter, known = new Map<string, KnownPath>()): Map<string, KnownPath> {
  for (const part of Object.values(router)) {
    if (!isAppRoute(part)) {
      knownPaths(part, known);
      continue;
    }
    const entry = known.get(part.path) ?? {
      form: new RegExp(`^${part.path.replace(/:\w+/g, '[^/]+')}$`),
      methods: [],
    };
    entry.methods.push(part.method);
    known.set(part.path, entry);
  }
  return known;
}

/** Answers what no route took: 405 with Allow where the path exists, else 404. */
export function refuseUnknownRoutes(): RequestHandler {
  const known = [...knownPaths(contract).values()];
  return (request, response, next) => {
    const methods = known.filter(({ form }) => form.test(request.path)).flatMap((entry) => entry.methods);
    if (methods.length === 0) {
      return next(new BillingError('ROUTE_NOT_FOUND', { message: `No such route: ${request.method} ${request.path}` }));
    }
    response.setHeader('Allow', methods.join(', '));
    const message = `${request.path} takes ${methods.join(', ')}, not ${request.method}`;
    next(new BillingError('METHOD_NOT_ALLOWED', { message }));
  };
}
