import { discountName, money } from '../../../web/page/format.ts';
import type { ReceiptView } from '../../../web/page/receipt-data.ts';
import { type Section, wordReceipt } from '../../../web/page/receipt-words.ts';
import { COLOR_DEFAULT } from '../../kernel/account.ts';
import { INK, type Row, Sheet, SOFT, WIDTH } from './sheet.ts';

const MS_IN_SECOND = 1_000;

const BODY = { size: 9.5 } as const;
const NAME_WIDTH = 150;
const GAP = 12;
const factColumns = [
  { from: 0, width: NAME_WIDTH, ink: { ...BODY, color: SOFT } },
  { from: NAME_WIDTH + GAP, width: WIDTH - NAME_WIDTH - GAP, ink: BODY },
] as const;

const COUNT_WIDTH = 40;
const MONEY_WIDTH = 84;
const AMOUNT_FROM = WIDTH - MONEY_WIDTH;
const UNIT_FROM = AMOUNT_FROM - GAP - MONEY_WIDTH;
const COUNT_FROM = UNIT_FROM - GAP - COUNT_WIDTH;
const number = { ...BODY, align: 'right' } as const;
const itemColumns = [
  { from: 0, width: COUNT_FROM - GAP, ink: BODY },
  { from: COUNT_FROM, width: COUNT_WIDTH, ink: number },
  { from: UNIT_FROM, width: MONEY_WIDTH, ink: number },
  { from: AMOUNT_FROM, width: MONEY_WIDTH, ink: number },
] as const;

const sumColumns = [
  { from: 0, width: UNIT_FROM, ink: BODY },
  { from: UNIT_FROM + GAP, width: WIDTH - UNIT_FROM - GAP, ink: number },
] as const;

function heading(sheet: Sheet, title: string): void {
  sheet.space(12);
  sheet.paragraph('H2', title, { size: 11, weight: 'bold' });
  sheet.stroke();
  sheet.space(5);
}

function section(sheet: Sheet, { title, facts }: Section): void {
  heading(sheet, title);
  sheet.table(
    factColumns,
    facts.map(({ name, value }) => ({ texts: [name, value] })),
  );
}

const HEAD: Row = { texts: ['Descrição', 'Qtd.', 'Unitário', 'Valor'], isHead: true };

function items(sheet: Sheet, { lines, discounts, subtotal, total }: ReceiptView): void {
  heading(sheet, 'Itens');
  const rows = lines.map(({ description, quantity, unitAmount, amount }) => ({
    texts: [description, String(quantity), money(unitAmount), money(amount)],
  }));
  sheet.table(itemColumns, [HEAD, ...rows]);
  sheet.space(2);
  sheet.stroke();
  sheet.space(5);
  const off = discounts.map((discount) => ({ texts: [discountName(discount), `− ${money(discount.amount)}`] }));
  const sums = discounts.length === 0 ? [] : [{ texts: ['Subtotal', money(subtotal)] }, ...off];
  sheet.table(sumColumns, [...sums, { texts: ['Total', money(total)], isStrong: true }]);
}

/** The receipt as a file of A4 pages, which says what its page says (docs/product/receipts.md#the-file). */
export function drawReceipt(view: ReceiptView): PDFKit.PDFDocument {
  const { title, mark, amount, status, paidAt, parties, payment, notes } = wordReceipt(view);
  const { seller, invoiceId, refunds } = view;
  // As late as what it tells last.
  const told = Math.max(view.paidAt, ...refunds.map(({ at }) => at));
  const sheet = new Sheet({
    title: `${title} – ${seller.name}`,
    author: seller.name,
    createdAt: new Date(told * MS_IN_SECOND),
    mark: mark === null ? null : 'SEM VALOR',
  });
  if (mark !== null) {
    sheet.band(mark);
    sheet.space(16);
  }
  sheet.stroke(seller.color ?? COLOR_DEFAULT, 4);
  sheet.space(14);
  sheet.paragraph('P', seller.name, { size: 13, weight: 'bold' });
  sheet.paragraph('H1', title, { size: 11, color: SOFT });
  sheet.space(4);
  sheet.paragraph('P', amount, { size: 26, weight: 'bold', color: INK });
  sheet.paragraph('P', `${status} · ${paidAt}`, BODY);
  for (const party of parties) section(sheet, party);
  items(sheet, view);
  for (const part of payment) section(sheet, part);
  sheet.space(16);
  for (const note of notes) sheet.paragraph('P', note, { size: 9, color: SOFT });
  return sheet.finish((page, of) => `${title} · ${invoiceId} · Página ${page} de ${of}`);
}
