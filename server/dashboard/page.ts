import { randomBytes } from 'node:crypto';
import type { Response } from 'express';
import type { BuiltDashboard } from '../web/built.ts';

/** What a browser may do with the dashboard: run what we built, show letters of ours in a frame, and talk to us. Its widgets put one style of their own in, by the nonce. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');

const NONCE_BYTES = 16;

/** The page that the script fills; `root` is the path of the dashboard on its host. */
function shell({ script, style, preload }: BuiltDashboard, { root, nonce }: { root: string; nonce: string }): string {
  const asset = (name: string): string => `${root}/assets/${name}`;
  const preloads = preload.map((name) => `<link rel="modulepreload" href="${asset(name)}">`).join('');
  return `<!doctype html>
<html lang="pt-BR" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta property="csp-nonce" content="${nonce}">
<title>Fatura</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${asset(style)}">
${preloads}
<script type="module" src="${asset(script)}"></script>
</head>
<body>
<div id="root"></div>
<noscript>Este painel precisa de JavaScript. / This dashboard needs JavaScript.</noscript>
</body>
</html>
`;
}

export function sendShell(response: Response, built: BuiltDashboard, root: string): void {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  response
    .status(200)
    .set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policyOf(nonce),
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
    })
    .type('html')
    .send(shell(built, { root, nonce }));
}
