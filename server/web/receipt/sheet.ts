import PDFDocument from 'pdfkit';
import { escapeXml } from '../../kernel/html.ts';
import { inLettersOf, openFont, type Weight, weights } from './fonts.ts';

/** Points of 1/72 inch, on A4. */
const PAGE = { width: 595.28, height: 841.89, side: 48, top: 48, bottom: 64 } as const;
const FOOTER_Y = PAGE.height - 40;
export const WIDTH = PAGE.width - 2 * PAGE.side;

export const INK = '#15201b';
export const SOFT = '#53605a';
const LINE = '#d8dfdb';
const WARN = '#5c4400';
const WARN_GROUND = '#fff3c4';

const LEADING = 1;
/** A heading keeps so much of what it heads on its page. */
const KEPT = 48;
const ROW_GAP = 3;
const MARK_SIZE = 88;

export interface Ink {
  readonly size: number;
  readonly weight?: Weight;
  readonly color?: string;
  readonly align?: 'left' | 'right' | 'center';
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** A column of a table: where it begins, from the left margin, and what is written in it. */
export interface Column {
  readonly from: number;
  readonly width: number;
  readonly ink: Ink;
}

export interface Row {
  readonly texts: readonly string[];
  /** Whether it names what stands below. */
  readonly isHead?: boolean;
  readonly isStrong?: boolean;
}

interface HeadOptions extends PDFKit.Mixins.StructureElementOptions {
  readonly scope: 'Row' | 'Column';
}

interface About {
  readonly title: string;
  readonly author: string;
  /** Of the file; the same receipt makes the same file. */
  readonly createdAt: Date;
  /** Lies behind every page; null: nothing does. */
  readonly mark: string | null;
}

interface Cell extends Column {
  readonly text: string;
  /** What it names; null: nothing. */
  readonly scope: 'Row' | 'Column' | null;
}

const cellsOf = (columns: readonly Column[], { texts, isHead, isStrong }: Row): Cell[] =>
  columns.map(({ ink, ...column }, index) => ({
    ...column,
    ink: isHead || isStrong ? { ...ink, weight: 'bold' } : ink,
    text: texts[index] ?? '',
    scope: isHead ? 'Column' : index === 0 ? 'Row' : null,
  }));

/** What the library writes at the end and its types do not know: the metadata of the file as XML (XMP). */
interface WithMetadata {
  info: Readonly<Record<string, unknown>>;
  endMetadata(): void;
}

/** The library puts the texts of its info into the XML as they are. */
function escapeMetadata(doc: PDFKit.PDFDocument): void {
  const writer = doc as unknown as WithMetadata; // as the interface says
  const endMetadata = writer.endMetadata.bind(doc);
  const writeEscaped = (): void => {
    const { info } = writer;
    const escaped = Object.entries(info).map(([name, said]) => [
      name,
      typeof said === 'string' ? escapeXml(said) : said,
    ]);
    writer.info = Object.fromEntries(escaped);
    endMetadata();
    writer.info = info;
  };
  writer.endMetadata = writeEscaped;
}

/** Pages that are filled from top to bottom, tagged so that they can be read aloud. */
export class Sheet {
  readonly #doc: PDFKit.PDFDocument;
  readonly #fonts = { regular: openFont('regular'), bold: openFont('bold') };
  readonly #root: PDFKit.PDFStructureElement;
  #y: number = PAGE.top;

  constructor({ title, author, createdAt, mark }: About) {
    const info = { Title: title, Author: author, Creator: 'Fatura', Producer: 'Fatura', CreationDate: createdAt };
    const margins = { top: PAGE.top, bottom: 0, left: PAGE.side, right: PAGE.side };
    this.#doc = new PDFDocument({
      ...{ size: 'A4', margins, info, bufferPages: true, autoFirstPage: false },
      ...{ pdfVersion: '1.7', tagged: true, lang: 'pt-BR', displayTitle: true },
    });
    escapeMetadata(this.#doc);
    // Its types are older than it is: a font that was read already is taken as it is.
    for (const weight of weights) this.#doc.registerFont(weight, this.#fonts[weight] as unknown as Buffer);
    this.#root = this.#doc.struct('Document');
    this.#doc.addStructure(this.#root);
    this.#doc.on('pageAdded', () => {
      this.#y = PAGE.top;
      if (mark !== null) this.#watermark(mark);
    });
    this.#doc.addPage();
  }

  space(points: number): void {
    this.#y += points;
  }

  /** A stroke from margin to margin. */
  stroke(color: string = LINE, height = 0.75): void {
    const { side } = PAGE;
    this.#aside(() => this.#doc.rect(side, this.#y, WIDTH, height).fill(color));
    this.#y += height;
  }

  /** A line in a band of its own, that nobody overlooks. */
  band(text: string): void {
    const height = 26;
    this.#aside(() => this.#doc.rect(PAGE.side, this.#y, WIDTH, height).fill(WARN_GROUND));
    const ink = { size: 11, weight: 'bold', color: WARN, align: 'center' } as const;
    this.#tag('P', () => this.#write(text, { x: PAGE.side, y: this.#y + 7, width: WIDTH }, ink));
    this.#y += height;
  }

  paragraph(tag: 'H1' | 'H2' | 'P', text: string, ink: Ink): void {
    const height = this.#heightOf(text, WIDTH, ink);
    this.#makeRoom(tag === 'H2' ? height + KEPT : height);
    this.#tag(tag, () => this.#write(text, { x: PAGE.side, y: this.#y, width: WIDTH }, ink));
    this.#y += height;
  }

  /** Rows below a head, if the first is one, which stands on each page that the rows run on to. */
  table(columns: readonly Column[], rows: readonly Row[]): void {
    const table = this.#doc.struct('Table');
    this.#root.add(table);
    const head = rows[0]?.isHead === true ? cellsOf(columns, rows[0]) : null;
    for (const row of rows) {
      const cells = cellsOf(columns, row);
      const height = this.#rowHeight(cells);
      if (this.#makeRoom(height) && head !== null) {
        this.#aside(() => this.#writeCells(head).forEach((write) => void write()));
        this.#y += this.#rowHeight(head);
      }
      const made = this.#writeCells(cells).map((write, index) => this.#tagCell(cells[index]?.scope ?? null, write));
      table.add(this.#doc.struct('TR', {}, made));
      this.#y += height;
    }
    table.end();
  }

  #rowHeight(cells: readonly Cell[]): number {
    return ROW_GAP + Math.max(...cells.map(({ text, width, ink }) => this.#heightOf(text, width, ink)));
  }

  /** How each cell of a row is written where the row begins now. */
  #writeCells(cells: readonly Cell[]): (() => void)[] {
    const y = this.#y;
    return cells.map(
      ({ from, width, ink, text }) =>
        () =>
          this.#write(text, { x: PAGE.side + from, y, width }, ink),
    );
  }

  #tagCell(scope: Cell['scope'], write: () => void): PDFKit.PDFStructureElement {
    if (scope === null) return this.#doc.struct('TD', {}, write);
    const head: HeadOptions = { scope };
    return this.#doc.struct('TH', head, write);
  }

  /** Ends the pages, each with a line at its foot; the file can be read from then on. */
  finish(footer: (page: number, of: number) => string): PDFKit.PDFDocument {
    const { start, count } = this.#doc.bufferedPageRange();
    for (let page = 0; page < count; page += 1) {
      this.#doc.switchToPage(start + page);
      const text = footer(page + 1, count);
      const ink = { size: 8.5, color: SOFT, align: 'center' } as const;
      this.#aside(() => this.#write(text, { x: PAGE.side, y: FOOTER_Y, width: WIDTH }, ink));
    }
    this.#doc.end();
    return this.#doc;
  }

  /** Begins a page where the rest of this one is too short; answers whether it did. */
  #makeRoom(height: number): boolean {
    const isFull = this.#y + height > PAGE.height - PAGE.bottom;
    if (isFull) this.#doc.addPage();
    return isFull;
  }

  #tag(tag: string, draw: () => void): void {
    this.#root.add(this.#doc.struct(tag, {}, draw));
  }

  /** Draws what is not read aloud. */
  #aside(draw: () => void): void {
    this.#doc.markContent('Artifact', { type: 'Layout' });
    draw();
    this.#doc.endMarkedContent();
  }

  #select({ size, weight = 'regular', color = INK }: Ink): void {
    this.#doc.font(weight, size).fillColor(color);
  }

  #heightOf(text: string, width: number, ink: Ink): number {
    this.#select(ink);
    const shown = inLettersOf(this.#fonts[ink.weight ?? 'regular'], text);
    return this.#doc.heightOfString(shown, { width, lineGap: LEADING });
  }

  /** Programs that copy or read aloud get the text as it is, whatever the font has letters for. */
  #write(text: string, { x, y, width }: Box, ink: Ink): void {
    this.#select(ink);
    const shown = inLettersOf(this.#fonts[ink.weight ?? 'regular'], text);
    const draw = () => this.#doc.text(shown, x, y, { width, lineGap: LEADING, align: ink.align ?? 'left' });
    if (shown === text) return void draw();
    this.#doc.markContent('Span', { actual: text });
    draw();
    this.#doc.endMarkedContent();
  }

  #watermark(text: string): void {
    const { width, height } = PAGE;
    const ink = { size: MARK_SIZE, weight: 'bold', color: '#f1f1ee', align: 'center' } as const;
    this.#aside(() => {
      this.#doc.save().rotate(-35, { origin: [width / 2, height / 2] });
      this.#write(text, { x: 0, y: (height - MARK_SIZE) / 2, width }, ink);
      this.#doc.restore();
    });
  }
}
