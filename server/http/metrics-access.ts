import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Settings } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { namesLoopback } from '../kernel/loopback.ts';
import { isFromThisMachine } from './private.ts';

/** A program on the machine that asks the service itself: no proxy in between, and no page of a site whose name leads here. */
const isNeighbour = (request: Request): boolean =>
  isFromThisMachine(request) && namesLoopback(`http://${request.get('host')}`);

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const BEARER = /^Bearer +(\S+)$/i;

/**
 * Lets those on who may read the metrics (docs/operations.md#who-may-read-the-metrics).
 *
 * A service that buyers reach under a name of its own has proxies in front, and from behind them a stranger looks like a
 * neighbour: there the token alone says who may. Without a token the route does not exist for anybody else.
 */
export function guardMetrics({
  metricsToken,
  publicUrl,
}: Pick<Settings, 'metricsToken' | 'publicUrl'>): RequestHandler {
  const wanted = metricsToken === null ? null : digest(metricsToken);
  const isLocal = namesLoopback(publicUrl);
  return (request, response, next) => {
    if (isLocal && isNeighbour(request)) return next();
    if (wanted === null) return next('route');
    const header = request.get('authorization');
    const token = BEARER.exec(header ?? '')?.[1];
    if (token !== undefined && timingSafeEqual(digest(token), wanted)) return next();
    response.setHeader('WWW-Authenticate', 'Bearer');
    const code = header === undefined ? 'API_KEY_MISSING' : 'API_KEY_INVALID';
    next(new BillingError(code, { message: 'Send METRICS_TOKEN as the header `Authorization: Bearer <token>`' }));
  };
}
