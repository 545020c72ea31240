import type { Request, RequestHandler } from 'express';
import { countedAddress } from '../http/address.ts';
import { isPrivate } from '../http/private.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Visitor } from '../staff/sign-in.ts';

const denied = (message: string): BillingError => new BillingError('PERMISSION_DENIED', { message });

/** Whether a browser says that a page of ours asks; a browser that does not say it is old, and its Origin is looked at. */
const isOfOurPages = (request: Request): boolean => ['same-origin', undefined].includes(request.get('sec-fetch-site'));

/**
 * Lets pass what a page of the dashboard asks for: nobody on the way reads it, it comes from our origin, and what changes
 * something is JSON, which no form of another site sends (docs/product/dashboard.md#sessions).
 */
export function guardOrigin(publicUrl: string): RequestHandler {
  const { origin } = new URL(publicUrl);
  return (request, _response, next) => {
    if (!isPrivate(request)) {
      return next(
        denied(`The dashboard is served over https alone, and this request came over plain http: open ${origin}`),
      );
    }
    if (!isOfOurPages(request)) return next(denied('The request comes from a page of another site'));
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const from = request.get('origin');
    if (from === undefined ? !isRead : from !== origin) {
      return next(
        denied(`The request comes from ${from ?? 'no origin'}, not from ${origin}: open the dashboard there`),
      );
    }
    if (isRead || request.is('application/json') || !hasBody(request)) return next();
    next(new BillingError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body as application/json' }));
  };
}

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Where a request comes from. */
export const visitorOf = (request: Request): Visitor => ({
  counted: countedAddress(request.ip),
  address: request.ip ?? null,
  userAgent: request.get('user-agent') ?? null,
  requestId: request.requestId,
});
