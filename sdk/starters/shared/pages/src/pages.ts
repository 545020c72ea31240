import { randomUUID } from 'node:crypto';
import { reais, type Sale } from './sales.ts';
import { AMOUNT, PRODUCT } from './shop.ts';

const REFRESH_SECONDS = 2;

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const page = (body: string, head = ''): string =>
  `<!doctype html><html lang="pt-BR"><meta charset="utf-8"><title>${PRODUCT}</title>${head}<h1>${PRODUCT}</h1>${body}`;

/** The button carries the name of the order, so that a double click sells once. */
export const homePage = (): string =>
  page(
    `<form method="post" action="/buy?order=${randomUUID()}"><button>Comprar por ${reais(AMOUNT)} com PIX</button></form>`,
  );

/** Until the event has come it shows what to pay, and asks again by itself. */
export function salePage(sale: Sale): string {
  if (sale.paidBy !== null) return page(`<p>Pago: o curso é seu! <small>${escapeHtml(sale.paidBy)}</small></p>`);
  const hosted =
    sale.page === null ? '' : `<p><a href="${escapeHtml(sale.page)}">Pagar com cartão, ou em outra página</a></p>`;
  return page(
    `<p>Pague ${reais(sale.amount)} com PIX:</p>
<img src="${escapeHtml(sale.qrCode)}" alt="QR code" width="240"><p><code>${escapeHtml(sale.copyPaste)}</code></p>${hosted}
<form method="post" action="/sales/${escapeHtml(sale.invoice)}/pay"><button>Pagar no sandbox</button></form>`,
    `<meta http-equiv="refresh" content="${REFRESH_SECONDS}">`,
  );
}

export const missingPage = (): string => page('<p>Não encontrado.</p><p><a href="/">Voltar</a></p>');

export const refusedPage = (): string => page('<p>Este pedido não é válido.</p><p><a href="/">Voltar</a></p>');

/** What went wrong, for you who develop the shop; a real one keeps it to its log. */
export const failurePage = (error: unknown): string =>
  page(`<p>${escapeHtml(error instanceof Error ? error.message : String(error))}</p>`);
