import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** What a proxy tells of the request that it hands on: whoever sent that may be anywhere. */
const HANDED_ON = ['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'via'] as const;

const isHandedOn = ({ headers }: Request): boolean => HANDED_ON.some((name) => headers[name] !== undefined);

const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/**
 * Whether nobody on the way could read a request: it came over TLS, as a proxy that is trusted says, or it never left this
 * machine (docs/product/requests.md#over-tls).
 */
export const isPrivate = (request: Request): boolean =>
  request.secure || (isLoopback(request.socket.remoteAddress) && !isHandedOn(request));

/** Says to whoever integrates, and to whoever runs the service, what to do. */
export const plainHttpRefusal = (request: Request): string =>
  'A live API key is accepted over https alone, and this request came over plain http: send it to an https:// address' +
  (isHandedOn(request)
    ? '. If it was sent there, the operator must have the proxy send X-Forwarded-Proto, and set TRUST_PROXY'
    : ', and have the key rolled, because others may have read it');

/** Whether an address of ours leads clients over plain http, beyond this machine. */
export function isPlainHttpUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && hostname !== 'localhost' && !isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
