import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** What a proxy tells of the request that it hands on: whoever sent that may be anywhere. */
const HANDED_ON = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const;

const isHandedOn = ({ headers }: Request): boolean => HANDED_ON.some((name) => headers[name] !== undefined);

const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/** Whether whoever sent a request is on this machine, and no proxy says that it came from elsewhere. */
export const isFromThisMachine = (request: Request): boolean =>
  isLoopback(request.socket.remoteAddress) && !isHandedOn(request);

/** The value of a header that a proxy sets; null without one, and with several: then nobody knows which one is the proxy's. */
export function setByProxy(request: Request, name: string): string | null {
  const value = request.get(name);
  return value === undefined || value.includes(',') ? null : value;
}

/** Express takes the first of several words, which whoever stands before the proxy may have written. */
const isOverTls = (request: Request): boolean => request.secure && setByProxy(request, 'X-Forwarded-Proto') !== null;

/**
 * Whether nobody on the way could read a request: it came over TLS, as a proxy that is trusted says, or it never left this
 * machine (docs/product/requests.md#over-tls).
 */
export const isPrivate = (request: Request): boolean => isOverTls(request) || isFromThisMachine(request);

/** Says to whoever integrates, and to whoever runs the service, what to do. */
export const plainHttpRefusal = (request: Request): string =>
  'A live API key is accepted over https alone, and this request came over plain http: send it to an https:// address' +
  (isHandedOn(request)
    ? '. If it was sent there, the operator must have the proxy send X-Forwarded-Proto, and set TRUST_PROXY'
    : ', and have the key rolled, because others may have read it');
