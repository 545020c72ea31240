import { amountText } from '../../texts/numbers.ts';

/** What a cell of a report is: cents are shown as money and written as reais. */
export type Cell =
  | { readonly kind: 'text'; readonly text: string; readonly written?: string }
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'money'; readonly cents: number }
  | { readonly kind: 'share'; readonly share: number | null };

const BYTE_ORDER_MARK = '\ufeff';
const NEW_LINE = '\r\n';
const PERCENT = 100;

/** A text that a spreadsheet takes for nothing else: neither for a formula nor for two cells. */
function textCell(text: string): string {
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[";\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function written(cell: Cell): string {
  if (cell.kind === 'text') return textCell(cell.written ?? cell.text);
  if (cell.kind === 'count') return String(cell.count);
  if (cell.kind === 'money') return amountText(cell.cents);
  return cell.share === null ? '' : (cell.share * PERCENT).toFixed(2).replace('.', ',');
}

/** Rows as Excel in Portuguese opens them by a double click (docs/product/exports.md#the-file). */
export const csvOf = (headings: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  BYTE_ORDER_MARK +
  [headings.map(textCell), ...rows.map((row) => row.map(written))].map((row) => row.join(';') + NEW_LINE).join('');

/** Gives the browser a text as a file. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
