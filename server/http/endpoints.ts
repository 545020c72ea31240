import type { AppRoute, AppRouter, ServerInferRequest, ServerInferResponses } from '@ts-rest/core';
import { createExpressEndpoints } from '@ts-rest/express';
import type { IRouter, Request, RequestHandler, Response } from 'express';
import { contract } from '../../contract/index.ts';
import { routesOf } from '../../contract/router.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { withoutActingLinks } from './acting-links.ts';
import { type IdempotentRunner, successStatus } from './idempotency.ts';
import type { Answer } from './keyed.ts';
import { routeOf } from './request.ts';
import { strictContract, type TextFormChecks } from './strict-contract.ts';

type Router = Parameters<typeof createExpressEndpoints<typeof contract>>[1];
type Success<Route extends AppRoute> = ServerInferResponses<Route, 200 | 201 | 202>;

/** What a handler answers: the body alone, or the status too where a creation may find its object there already (200) or not (201). */
type Answered<Route extends AppRoute> = Route['responses'] extends { 200: unknown; 201: unknown }
  ? Success<Route>
  : Success<Route>['body'];

/** What brings a request; a handler whose answer waits looks at it. */
interface Carrier {
  readonly req: Request;
}

/** A handler for every route of the contract: it gets whose data the request is about, and what was sent, which is valid. */
export type Handlers<Routes extends AppRouter> = {
  readonly [Name in keyof Routes]: Routes[Name] extends AppRoute
    ? (scope: Scope, request: ServerInferRequest<Routes[Name]> & Carrier) => Promise<Answered<Routes[Name]>>
    : Routes[Name] extends AppRouter
      ? Handlers<Routes[Name]>
      : never;
};

type Handler = (scope: Scope, request: object) => Promise<unknown>;

function answerOf(route: AppRoute, answered: unknown): Answer {
  // The type of its handler asks for both.
  if (200 in route.responses && 201 in route.responses) return answered as Answer;
  return { status: successStatus(route), body: answered };
}

/**
 * Puts the Idempotency-Key, and the refusal of changes while the test clock moves, around each handler: after validation and before any effect.
 * A key that may only read is answered without links that act.
 */
function withIdempotency(handlers: object, runner: IdempotentRunner): object {
  return Object.fromEntries(
    Object.entries(handlers).map(([name, part]: [string, object | Handler]) => {
      if (typeof part !== 'function') return [name, withIdempotency(part, runner)];
      const keyed = async (args: { req: Request; res: Response }): Promise<Answer> => {
        const route = routeOf(args.req);
        const answer = await runner(args.req, args.res, async (scope) => answerOf(route, await part(scope, args)));
        return args.req.identity.scope === 'read' ? withoutActingLinks(route, answer) : answer;
      };
      return [name, keyed];
    }),
  );
}

/** Mounts the contract's routes behind the middlewares that every route shares. */
export function mountContract(
  app: IRouter,
  options: {
    handlers: Handlers<typeof contract>;
    textForms: TextFormChecks;
    runner: IdempotentRunner;
    middlewares: RequestHandler[];
    validateResponses: boolean;
  },
): void {
  // What wraps a handler answers the route that the handler stands for.
  const router = withIdempotency(options.handlers, options.runner) as Router;
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
  readonly methods: readonly string[];
}

function knownPaths(): readonly KnownPath[] {
  const routes = routesOf(contract).map(([, route]) => route);
  return [...Map.groupBy(routes, ({ path }) => path)].map(([path, of]) => ({
    form: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
    // What can be got can be asked about.
    methods: of.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
  }));
}

/** Answers what no route took: 405 with Allow where the path exists, else 404. */
export function refuseUnknownRoutes(): RequestHandler {
  const known = knownPaths();
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
