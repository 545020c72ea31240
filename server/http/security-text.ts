import type { RequestHandler } from 'express';
import type { Settings } from '../deps.ts';
import { DAY, realTimeMs, SECOND_MS } from '../kernel/time.ts';

export const SECURITY_TEXT_PATH = '/.well-known/security.txt';

/** Whoever reads it later than that asks anew; RFC 9116 wants less than a year. */
const VALID_SECONDS = 180 * DAY;

/** The file of RFC 9116: it ends at a midnight, so that it changes once a day. */
export function securityText({ contact, publicUrl }: { contact: string; publicUrl: string }, nowMs: number): string {
  const day = new Date(nowMs + VALID_SECONDS * SECOND_MS).toISOString().slice(0, 10);
  return [
    `Contact: ${contact}`,
    `Expires: ${day}T00:00:00.000Z`,
    `Canonical: ${publicUrl}${SECURITY_TEXT_PATH}`,
    'Preferred-Languages: pt, en',
    '',
  ].join('\n');
}

/** Says to whom a weakness is reported; where nobody is named the file does not exist. */
export function tellSecurityContact({
  securityContact: contact,
  publicUrl,
}: Pick<Settings, 'securityContact' | 'publicUrl'>): RequestHandler {
  return (_request, response, next) => {
    if (contact === null) return next('route');
    response.type('text/plain').send(securityText({ contact, publicUrl }, realTimeMs()));
  };
}
