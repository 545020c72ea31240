import type { AppRoute } from '@ts-rest/core';
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';
import type { RouteMetadata } from '../../contract/kernel.ts';
import type { Identity } from '../accounts/authentication.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { type Tracing, tracedScope } from '../kernel/tracing.ts';

declare global {
  namespace Express {
    interface Request {
      requestId: string;
      /** Tells the log and the metrics of the answer; a stream calls it when it begins, because its end is no latency. */
      measure(): void;
      /** Leaves the requests in flight: from here on it waits, and does next to nothing. */
      leave(): void;
      /** Set by the authentication; absent on the public routes. */
      identity: Identity;
      /** Whose page or callback it is, where no key says so; for its log line. */
      concerns?: { readonly accountId: string; readonly liveMode: boolean };
      /** The code that it was refused with; for its log line. */
      refusedWith?: string;
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

/** Whether the body of a request is being read, and has not come whole. */
const isComingIn = ({ complete, readableFlowing }: Request): boolean => !complete && readableFlowing === true;

/** The refusal of a request that did not come whole in time; its client is slow, and the service is not. */
export const requestTimeout = (): BillingError =>
  new BillingError('REQUEST_TIMEOUT', { message: `The request did not come whole within ${ANSWER_MAX_MS / 1_000} s` });

/**
 * Answers 408 when a body takes too long to come in, and 503 when a handler takes too long; what that still does shows to a
 * repeat under the same Idempotency-Key.
 *
 * `refuse` is called past the router, which has it left for the late end: without a handler of errors that end would destroy
 * the connection, and with it whatever request came after.
 */
export function boundAnswers(refuse: ErrorRequestHandler, maxMs: number = ANSWER_MAX_MS): RequestHandler {
  return (request, response, next) => {
    const timer = setTimeout(() => {
      if (response.headersSent) return;
      if (isComingIn(request)) {
        // What is left of the body may never come.
        response.setHeader('Connection', 'close');
        return refuse(requestTimeout(), request, response, next);
      }
      const message = `No answer within ${maxMs / 1_000} s; repeat with the same Idempotency-Key`;
      refuse(new BillingError('SERVICE_UNAVAILABLE', { message }), request, response, next);
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

const NO_NEWS: ReadonlySet<number> = new Set([200, 503]);

/** Whoever watches the process asks every second: that is logged only when it is refused. */
const isProbe = ({ path }: Request, status: number): boolean => PROBES.has(path) && NO_NEWS.has(status);

/** The status in the line of a request whose client left before anything was answered, as proxies call it. */
const CLIENT_LEFT = 499;

const callerOf = (identity: Identity | undefined) =>
  identity?.person === undefined ? { key: identity?.keyId } : { staff: identity.person.id };

/**
 * What the log tells of a request (docs/operations.md#the-line-of-a-request): the route with the names of its parameters
 * instead of the path, and nothing of query, headers and body.
 */
function lineOf(request: Request, { status, ms, bytes }: { status: number; ms: number; bytes: number }) {
  const { identity, concerns = identity, refusedWith, requestId, method } = request;
  const mode = concerns === undefined ? {} : { mode: concerns.liveMode ? 'live' : 'sandbox' };
  const route = routeOf(request)?.path ?? 'none';
  const whose = { account: concerns?.accountId, ...mode, ...callerOf(identity) };
  return { method, route, status, code: refusedWith, ms, bytes, ...whose, requestId };
}

/** A request begins a trace, or goes on with the one that it names; its part ends with the answer. */
function trace(tracing: Tracing, request: Request, next: NextFunction): void {
  const { method, requestId } = request;
  const ids = { 'http.request.method': method, 'fatura.request': requestId };
  const part = { name: method, kind: 'server', begins: true, after: request.get('traceparent'), ids } as const;
  void tracing.span(part, async (span) => {
    const answered = closed(request);
    next();
    const status = await answered;
    const { identity, concerns = identity, refusedWith } = request;
    const route = routeOf(request)?.path ?? 'none';
    span.rename(`${method} ${route}`);
    span.set({ 'http.route': route, 'http.response.status_code': status });
    if (concerns !== undefined) span.set(tracedScope(concerns));
    if (status >= 500) span.fail(refusedWith ?? String(status));
  });
}

/** The status of the answer once its connection is done with it. */
const closed = ({ res: response }: Request): Promise<number> =>
  new Promise((resolve) => {
    response?.once('close', () => resolve(response.headersSent ? response.statusCode : CLIENT_LEFT));
  });

const nothing = (): void => {};

/** Gives each request an id, one log line and its measurement. */
export function observeRequests(deps: Pick<Deps, 'logger' | 'metrics' | 'tracing'>): RequestHandler {
  return (request, response, next) => {
    const startedMs = performance.now();
    // The answer lets go of its socket before it tells that it is finished.
    const { socket } = request;
    const sentBefore = socket.bytesWritten;
    request.requestId = newId('req');
    response.setHeader('Request-Id', request.requestId);
    request.leave = nothing;
    let isMeasured = false;
    const tell = (status: number): void => {
      if (isMeasured) return;
      isMeasured = true;
      const seconds = (performance.now() - startedMs) / 1_000;
      const bytes = socket.bytesWritten - sentBefore;
      const line = lineOf(request, { status, ms: Math.round(seconds * 1_000), bytes });
      deps.metrics.requests.observe({ method: line.method, route: line.route, status }, seconds);
      deps.logger[isProbe(request, status) ? 'debug' : 'info'](line, 'request');
    };
    const measure = (): void => tell(response.statusCode);
    request.measure = measure;
    response.on('finish', measure);
    response.on('close', () => tell(response.headersSent ? response.statusCode : CLIENT_LEFT));
    if (!deps.tracing.isOn || PROBES.has(request.path)) next();
    else trace(deps.tracing, request, next);
  };
}
