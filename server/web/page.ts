import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Response } from 'express';

/** The one style element that a policy allows, by its text. */
const hashed = (style: string): string => ` 'sha256-${createHash('sha256').update(style).digest('base64')}'`;

interface Page {
  readonly status: number;
  readonly page: string;
  /** The text of the page's style element; null: it has none. */
  readonly style: string | null;
  /** Where its script sends a card; absent: to us. */
  readonly cardUrl?: string | null;
}

/** What a browser may do with a page of ours: run and show what we built, talk to us and to whoever takes its card, and send its form back. */
const policyOf = ({ style, cardUrl = null }: Pick<Page, 'style' | 'cardUrl'>): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${style === null ? '' : hashed(style)}`,
    "img-src 'self' data:",
    `connect-src 'self'${cardUrl === null ? '' : ` ${new URL(cardUrl).origin}`}`,
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

/** Packed for each buyer, within a fifth of a millisecond: brotli takes longer for no fewer bytes of so short a text. */
function sendPacked(response: Response, text: string): void {
  response.vary('Accept-Encoding').vary('Accept-Language');
  if (response.req.acceptsEncodings().includes('gzip')) response.set('Content-Encoding', 'gzip').send(gzipSync(text));
  else response.send(text);
}

export function sendPage(response: Response, { status, page, ...allowed }: Page): void {
  response
    .status(status)
    .set({ ...SECRECY, 'Content-Security-Policy': policyOf(allowed) })
    .type('html');
  sendPacked(response, page);
}

/** A letter is laid out by attributes, as mail programs want it, and has the merchant's logo; it runs nothing. */
const LETTER_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/** The same shown in a frame of the dashboard: it runs nothing and leads nowhere, also where it is opened by itself. */
export const LETTER_FRAME = {
  ...SECRECY,
  'Content-Security-Policy': `${LETTER_POLICY}; sandbox`,
  // It stands in the cluster of the screen around it, whatever others ask for.
  'Origin-Agent-Cluster': '?0',
};

export function sendLetter(response: Response, html: string): void {
  response
    .status(200)
    .set({ ...SECRECY, 'Content-Security-Policy': LETTER_POLICY })
    .type('html');
  sendPacked(response, html);
}

/** What only the script of a page reads. */
export function sendData(response: Response, { status, body }: { status: number; body: object }): void {
  response.status(status).set(SECRECY).type('json');
  sendPacked(response, JSON.stringify(body));
}

const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** The headers of a file, which is as secret as the page that leads to it. */
export function beginFile(
  response: Response,
  { name, type, disposition }: { name: string; type: string; disposition: 'inline' | 'attachment' },
): void {
  response.status(200).set({
    ...SECRECY,
    'Content-Security-Policy': FILE_POLICY,
    'Content-Type': type,
    'Content-Disposition': `${disposition}; filename="${name}"`,
  });
}

/** A file that leads from a page; a request for its headers alone makes none. */
export function sendFile(
  response: Response,
  { name, type, content }: { name: string; type: string; content: Uint8Array | null },
): void {
  beginFile(response, { name, type, disposition: 'inline' });
  if (content !== null) response.set('Content-Length', String(content.byteLength));
  response.end(content);
}
