import type { Response } from 'express';
import { type Html, html } from '../kernel/html.ts';

/** What a browser may do with a page of ours: show it, and send its form back. */
const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The address of a page is a secret between the merchant and the buyer: it stays out of caches, indexes and Referer headers. */
const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

const STYLE = html`
:root{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;padding:16px;background:#f3f5f4;color:#16201b;font:17px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:30rem;margin:0 auto;padding:24px;background:#fff;border-radius:12px;box-shadow:0 1px 4px rgba(0,0,0,.12);overflow-wrap:anywhere}
h1{margin:0;font-size:1.1rem;font-weight:600}
h2{margin:24px 0 8px;font-size:1.1rem}
.amount{margin:4px 0 8px;font-size:clamp(1.4rem,8.5vw,2.2rem);font-weight:700;line-height:1.2;white-space:nowrap}
.status{display:inline-block;margin:0;padding:2px 12px;border-radius:999px;background:#e6ecff;color:#1c3a94;font-weight:600}
.status.paid{background:#dff3e7;color:#0b5d3b}
.status.late{background:#fdebd3;color:#7a4100}
.status.void{background:#e8e8e8;color:#444}
.test{margin:-24px -24px 20px;padding:8px 24px;border-radius:12px 12px 0 0;background:#fff3c4;color:#5c4400;font-weight:600}
.problem{padding:12px 16px;border-left:4px solid #b42318;background:#fef1f0;color:#7a1a12}
dl{margin:20px 0;display:grid;grid-template-columns:auto minmax(0,1fr);gap:6px 16px}
dt{color:#55605a}
dd{margin:0;text-align:right;font-weight:600}
ol{margin:0 0 16px;padding-left:1.3rem}
.qr{display:block;width:min(260px,100%);height:auto;margin:0 auto 16px}
label{display:block;margin-bottom:4px;font-weight:600}
textarea{width:100%;padding:10px;border:1px solid #8a948f;border-radius:8px;background:#f8faf9;color:inherit;font:14px/1.4 ui-monospace,monospace;resize:vertical;overflow-wrap:anywhere}
button{width:100%;padding:14px;border:0;border-radius:8px;background:#0b5d3b;color:#fff;font:inherit;font-weight:600;cursor:pointer}
button:hover{background:#084a2f}
a{color:#0b5d3b}
:focus-visible{outline:3px solid #1c3a94;outline-offset:2px}
.note{color:#55605a;font-size:.95rem}
`;

/** Style and frame that all pages share. */
export function pageOf({ title, body }: { title: string; body: readonly Html[] }): string {
  return html`<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body><main>
${body}
</main></body>
</html>
`.text;
}

/** A page that says one thing. */
export const messagePage = ({ title, text }: { title: string; text: string }): string =>
  pageOf({ title, body: [html`<h1>${title}</h1>`, html`<p>${text}</p>`] });

export function sendPage(response: Response, { status, page }: { status: number; page: string }): void {
  response.status(status).set(HEADERS).type('html').send(page);
}
