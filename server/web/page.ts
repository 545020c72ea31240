import { gzipSync } from 'node:zlib';
import type { Response } from 'express';

/** What a browser may do with a page of ours: run and show what we built, talk to us, and send its form back. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The address of a page is a secret between the merchant and the buyer: it stays out of caches, indexes and Referer headers. */
const SECRECY = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

/** Packed for each buyer, within a fifth of a millisecond: brotli takes longer for no fewer bytes of so short a text. */
function sendPacked(response: Response, text: string): void {
  response.vary('Accept-Encoding');
  if (response.req.acceptsEncodings().includes('gzip')) response.set('Content-Encoding', 'gzip').send(gzipSync(text));
  else response.send(text);
}

export function sendPage(response: Response, { status, page }: { status: number; page: string }): void {
  response
    .status(status)
    .set({ ...SECRECY, 'Content-Security-Policy': POLICY })
    .type('html');
  sendPacked(response, page);
}

/** What only the script of a page reads. */
export function sendData(response: Response, { status, body }: { status: number; body: object }): void {
  response.status(status).set(SECRECY).type('json');
  sendPacked(response, JSON.stringify(body));
}
