import { randomUUID } from 'node:crypto';
import { reais, type Sale } from './sales.ts';
import { AMOUNT, PRODUCT } from './shop.ts';
import { STYLE } from './style.ts';

const REFRESH_SECONDS = 2;

/** Copies the code, and shows the page anew once the sale is paid; without a script the browser asks by itself. */
const SCRIPT = `
const button = document.querySelector('#copy');
const code = document.querySelector('code');
button.addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copiado';
  } catch {
    getSelection().selectAllChildren(code);
  }
});
setInterval(async () => {
  const shown = await fetch(location.href).then((answer) => answer.text(), () => null);
  if (shown !== null && !shown.includes('id="copy"')) location.reload();
}, ${REFRESH_SECONDS * 1_000});
`;

const WAITING = `<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}"></noscript>`;

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const page = (body: string, head = ''): string =>
  `<!doctype html><html lang="pt-BR"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${PRODUCT}</title><style>${STYLE}</style>${head}</head>
<body><h1>${PRODUCT}</h1>${body}</body></html>`;

/** The button carries the name of the order, so that a double click sells once. */
export const homePage = (): string =>
  page(
    `<form method="post" action="/buy?order=${randomUUID()}"><button>Comprar por ${reais(AMOUNT)} com PIX</button></form>`,
  );

/** Until the event has come it shows what to pay. */
export function salePage(sale: Sale): string {
  if (sale.paidBy !== null) return page(`<p>Pago: o curso é seu! <small>${escapeHtml(sale.paidBy)}</small></p>`);
  const hosted =
    sale.page === null ? '' : `<p><a href="${escapeHtml(sale.page)}">Pagar com cartão, ou em outra página</a></p>`;
  return page(
    `<p>Pague ${reais(sale.amount)} com PIX:</p>
<img src="${escapeHtml(sale.qrCode)}" alt="QR code" width="240" height="240"><p><code>${escapeHtml(sale.copyPaste)}</code></p>
<p><button id="copy" type="button" aria-live="polite">Copiar código</button></p>${hosted}
<form method="post" action="/sales/${escapeHtml(sale.invoice)}/pay"><button class="second">Pagar no sandbox</button></form>
<script>${SCRIPT}</script>`,
    WAITING,
  );
}

export const missingPage = (): string => page('<p>Não encontrado.</p><p><a href="/">Voltar</a></p>');

export const refusedPage = (): string => page('<p>Este pedido não é válido.</p><p><a href="/">Voltar</a></p>');

/** What went wrong, for you who develop the shop; a real one keeps it to its log. */
export const failurePage = (error: unknown): string =>
  page(`<p>${escapeHtml(error instanceof Error ? error.message : String(error))}</p>`);
