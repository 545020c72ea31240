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
export const SECRECY = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

export function sendPage(response: Response, { status, page }: { status: number; page: string }): void {
  response
    .status(status)
    .set({ ...SECRECY, 'Content-Security-Policy': POLICY })
    .type('html')
    .send(page);
}

/** What only the script of a page reads. */
export function sendData(response: Response, { status, body }: { status: number; body: object }): void {
  response.status(status).set(SECRECY).json(body);
}

const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** A file that leads from a page, as secret as that; a request for its headers alone makes none. */
export function sendFile(
  response: Response,
  { name, type, content }: { name: string; type: string; content: NodeJS.ReadableStream | null },
): void {
  response.status(200).set({
    ...SECRECY,
    'Content-Security-Policy': FILE_POLICY,
    'Content-Type': type,
    'Content-Disposition': `inline; filename="${name}"`,
  });
  if (content === null) response.end();
  else content.pipe(response);
}
