import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { BillingError } from '../kernel/errors.ts';

/** A name, an IPv4 address or one of IPv6 in brackets, and perhaps a port. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+;=-]*)(?::\d*)?$/i;
const CONTINUE = /^100-continue$/i;

/** How often a header came: Node shows the first Host alone. */
function timesOf(name: string, { rawHeaders }: IncomingMessage): number {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) times += 1;
  return times;
}

/** What is wrong with the head of a request that the parser took; null: nothing. */
function faultOf(request: IncomingMessage): string | null {
  const { httpVersionMajor, httpVersionMinor, headers } = request;
  const needsHost = httpVersionMajor > 1 || httpVersionMinor > 0;
  const hosts = timesOf('host', request);
  if (hosts > 1 || (hosts === 0 && needsHost)) return `A request has one Host header; this one has ${hosts || 'none'}`;
  if (!HOST.test(headers.host ?? '')) return 'The Host header names no host';
  if (headers.expect !== undefined && !CONTINUE.test(headers.expect)) return 'Expect can be 100-continue alone';
  return null;
}

/** Refuses with the usual error body what Node else refuses without one, and a host of which nobody knows which one is meant. */
export const refuseMalformedHeads: RequestHandler = (request, _response, next) => {
  const fault = faultOf(request);
  next(fault === null ? undefined : new BillingError('PARAMETER_INVALID', { message: fault }));
};
