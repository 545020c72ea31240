import { errorCatalog } from '../../contract/errors.ts';
import { Html, html } from '../kernel/html.ts';

const STYLE = html`
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:64rem;padding:0 1rem;color:#16201b}
nav a{display:inline-block;margin-right:1.2rem}
a{color:#0b5d3b}
code,pre{font:.9em/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
pre{padding:1rem;background:#f3f5f4;overflow-x:auto}
div{overflow-x:auto}
table{border-collapse:collapse}
td,th{padding:.4rem .8rem;text-align:left;vertical-align:top;border-bottom:1px solid #ddd}
tr:target{background:#fff6cc}
td code{white-space:nowrap}
@media(max-width:40rem){
thead{display:none}
tr{display:block;padding:.6rem 0;border-bottom:1px solid #ddd}
td{display:inline-block;padding:.1rem .8rem .1rem 0;border:0}
td:last-child{display:block}
}
`;

/** What every page of the docs leads to. */
const places = [
  ['/', 'Start'],
  ['/docs/guide', 'Guide and test cards'],
  ['/docs', 'API reference'],
  ['/docs/errors', 'Errors'],
  ['/openapi.json', 'OpenAPI document'],
] as const;

const navigation = html`<nav>${places.map(([path, name]) => html`<a href="${path}">${name}</a>`)}</nav>`;

const page = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head>
<body>${navigation}<h1>${title}</h1>${body}</body></html>`.text;

/** Text of the contract, where backticks mark code. */
function prose(text: string): Html {
  const parts = text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
  return new Html(parts.join(''));
}

/** Where somebody arrives who opens the address of the service. */
export const startPage: string = page(
  'Fatura',
  html`<p>Billing for Brazilian merchants: invoices by PIX and card, subscriptions, refunds, signed webhooks.</p>
<ul>
<li><a href="/docs/guide">A first sale, and the test cards</a></li>
<li><a href="/docs">API reference</a>, also as its <a href="/openapi.json">OpenAPI document</a></li>
<li><a href="/docs/errors">Every error code and what to do about it</a></li>
<li><a href="/readyz">Whether the service is ready</a></li>
</ul>`,
);

/** The cards of the sandbox's acquirer (docs/product/sandbox.md#test-cards). */
const testCards = [
  ['4242 4242 4242 4242', 'Visa, approved'],
  ['4111 1111 1111 1111', 'Visa, approved'],
  ['5555 5555 5555 4444', 'Mastercard, approved'],
  ['3782 822463 10005', 'American Express, approved'],
  ['5067 7667 8388 8311', 'Elo, approved'],
  ['6062 8256 2425 4001', 'Hipercard, approved'],
  ['4000 0000 0000 0002', 'declined: `issuer_declined`'],
  ['4000 0000 0000 9995', 'declined: `insufficient_funds`; it can be verified'],
  ['4000 0000 0000 0069', 'declined: `expired_card`, irreversibly'],
  ['4000 0000 0000 0127', 'declined: `invalid_card_data`, irreversibly'],
  ['4000 0000 0000 9979', 'declined: `suspected_fraud`'],
  ['4000 0000 0000 0119', 'declined: `processing_error`'],
  ['4000 0000 0000 0341', 'approved in a checkout; each renewal declined: `insufficient_funds`'],
  ['4000 0000 0000 0226', 'approved in a checkout; each renewal declined: `issuer_declined`, irreversibly'],
  ['4000 0000 0000 7775', 'approved in a checkout; the first two charges of each renewal declined, then approved'],
  ['4000 0000 0000 5001', 'at the acquirer for 10 s of real time, then approved'],
  ['4000 0000 0000 4087', 'the answer is lost: 504 at once; found approved when it is asked about'],
] as const;

/** A first sale with curl alone, and what may be tried in the sandbox. */
export const guidePage = (publicUrl: string): string =>
  page(
    'Guide',
    html`<h2>A first sale</h2>
<p>Every request carries a key: <code>npm start</code> prints one of the sandbox. Amounts are integer cents, instants Unix seconds.</p>
<pre>${`api=${publicUrl}/api/v1
post() { curl -s "$api/$1" -H "Authorization: ApiKey $KEY" -H 'Content-Type: application/json' -d "$2"; }

post products '{"product": {"name": "Plano Ouro"}}'
post prices '{"price": {"product_id": "prod_…", "unit_amount": 9990, "type": "one_time"}}'
post invoices '{"invoice": {"customer": {"name": "Maria", "identifier": "529.982.247-25", "email": "maria@example.com"},
  "line_items": [{"price_id": "price_…", "quantity": 1}]}}'
post invoices/in_…/checkout '{"payment_method_type": "pix"}'
post test_helpers/payment_intents/pi_…/pay_pix '{"scenario": "paid"}'`}</pre>
<p>The checkout answers the QR code; the last request pays it as its buyer would, and <code>invoice.paid</code> goes to your webhook.</p>
<h2 id="test-cards">Test cards</h2>
<p>Any expiry in the future, any security code of the right length. Every other number is declined as <code>invalid_card_data</code>.</p>
<div><table><thead><tr><th>Number</th><th>What becomes of it</th></tr></thead><tbody>${testCards.map(
      ([number, outcome]) => html`<tr><td><code>${number}</code></td><td>${prose(outcome)}</td></tr>`,
    )}</tbody></table></div>`,
  );

const errorRows = Object.entries(errorCatalog).map(
  ([code, { status, type, retry, doc }]) =>
    html`<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td><code>${type}</code></td><td><code>${retry}</code></td><td>${prose(doc)}</td></tr>`,
);

export const errorsPage: string = page(
  'Errors',
  html`<div><table><thead><tr><th>Code</th><th>HTTP</th><th>Type</th><th>Retry</th><th>Meaning</th></tr></thead><tbody>${errorRows}</tbody></table></div>`,
);

export const referencePage: string = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Fatura API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css"><style>nav{padding:1rem 1.5rem 0;font-family:sans-serif}nav a{margin-right:1.2rem}</style></head>
<body>${navigation}<div id="reference"></div><script src="/docs/assets/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>`
  .text;
