import type { AppRoute } from '@ts-rest/core';
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';
import type { RouteMetadata } from '../../contract/kernel.ts';
import type { Identity } from '../accounts/authentication.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';

declare global {
  namespace Express {
    interface Request {
      requestId: string;
      /** Tells the log and the metrics of the answer; a stream calls it when it begins, because its end is no latency. */
      measure(): void;
      /** Gives back its place among the requests under way: from here on it waits, and does next to nothing. */
      stepAside(): void;
      /** Set by the authentication; absent on the public routes. */
      identity: Identity;
    }
  }
}

/** A middleware that may wait; what it throws goes to the error handler. */
export const asyncMiddleware =
  (work: (request: Request, response: Response) => Promise<void>): RequestHandler =>
  (request: Request, response: Response, next: NextFunction) => {
    work(request, response).then(() => next(), next);
  };

/** The route of the contract a request runs on; the middlewares of the contract's routes run after it is known. */
export function routeOf(request: Request): AppRoute & { metadata: RouteMetadata } {
  // ts-rest puts its route on the request, and every route of the contract is declared with meta().
  return (request as Request & { tsRestRoute: AppRoute & { metadata: RouteMetadata } }).tsRestRoute;
}

/** Names the route of a request that is none of the contract's, for its log line, its measurement and its Idempotency-Key. */
export function setRoute(request: Request, { path, scope }: { path: string; scope: 'read' | 'write' }): void {
  const route = { method: request.method, path, responses: {}, metadata: { scope } };
  Object.assign(request, { tsRestRoute: route });
}

const isReadable = (path: string): boolean => {
  try {
    return !decodeURIComponent(path).includes('\0');
  } catch {
    return false;
  }
};

/** A path that is no text (a broken escape, NUL) is taken as it stands: the id in it is one of nothing. */
export const literalizeUnreadablePaths: RequestHandler = (request, _response, next) => {
  const [path = '', ...query] = request.url.split('?');
  if (!isReadable(path)) request.url = [path.replaceAll('%', '%25'), ...query].join('?');
  next();
};

/** No request waits longer for its answer (docs/product/requests.md#time-of-an-answer); an acquirer and the database have less. */
export const ANSWER_MAX_MS = 25_000;

/**
 * Answers 503 when a handler takes too long; what it still does shows to a repeat under the same Idempotency-Key.
 *
 * `refuse` is called past the router, which has it left for the late end: without a handler of errors that end would destroy
 * the connection, and with it whatever request came after.
 */
export function boundAnswers(refuse: ErrorRequestHandler, maxMs: number = ANSWER_MAX_MS): RequestHandler {
  return (request, response, next) => {
    const timer = setTimeout(() => {
      const message = `No answer within ${maxMs / 1_000} s; repeat with the same Idempotency-Key`;
      if (!response.headersSent) refuse(new BillingError('SERVICE_UNAVAILABLE', { message }), request, response, next);
    }, maxMs);
    response.on('close', () => clearTimeout(timer));
    next();
  };
}

/** Aborted when whoever sent a request is gone, or has the answer. */
export function leftBy({ res }: Request): AbortSignal {
  const left = new AbortController();
  if (res === undefined || res.closed) left.abort();
  else res.once('close', () => left.abort());
  return left.signal;
}

const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Whoever watches the process asks every second: that is no news. */
const isProbe = ({ path }: Request): boolean => PROBES.has(path);

/** Gives each request an id, one log line and its measurement. */
export function observeRequests(deps: Deps): RequestHandler {
  return (request, response, next) => {
    const startedMs = performance.now();
    request.requestId = newId('req');
    response.setHeader('Request-Id', request.requestId);
    request.stepAside = () => {};
    let isMeasured = false;
    request.measure = () => {
      if (isMeasured) return;
      isMeasured = true;
      const seconds = (performance.now() - startedMs) / 1_000;
      const route = routeOf(request)?.path ?? 'none';
      const labels = { method: request.method, route, status: response.statusCode };
      deps.metrics.requests.observe(labels, seconds);
      // The route with its parameters' names: neither a path nor a query nor a body is logged.
      const ms = Math.round(seconds * 1_000);
      deps.logger[isProbe(request) ? 'debug' : 'info'](
        { ...labels, ms, account: request.identity?.accountId, requestId: request.requestId },
        'request',
      );
    };
    response.on('finish', request.measure);
    next();
  };
}
