import { inflateSync } from 'node:zlib';
import { extractText, getDocumentProxy } from 'unpdf';

/** What a reader of a PDF finds in it. */
export interface PdfReading {
  /** The text of each page, a line a run. */
  readonly pages: readonly string[];
  readonly info: Record<string, unknown>;
  /** What its XMP says, by name; null where a parser of XML reads none. */
  readonly xmp: { get(name: string): unknown } | null;
  /** The roles of the tags of its first page, in their order. */
  readonly roles: readonly string[];
}

/** Of its own types, those of leaves have nothing to do with those of tags. */
interface Tag {
  readonly role?: string;
  readonly children?: readonly Tag[];
}

const rolesOf = ({ role, children = [] }: Tag): string[] => [
  ...(role === undefined ? [] : [role]),
  ...children.flatMap(rolesOf),
];

export async function readPdf(file: Uint8Array): Promise<PdfReading> {
  // The reader takes what it is given for its own.
  const document = await getDocumentProxy(Uint8Array.from(file));
  const { text: pages } = await extractText(document, { mergePages: false });
  const { info, metadata } = await document.getMetadata();
  const tags = await (await document.getPage(1)).getStructTree();
  return { pages, info: info as Record<string, unknown>, xmp: metadata, roles: rolesOf((tags ?? {}) as Tag) };
}

const STREAM = /stream\n([\s\S]*?)\nendstream/g;

/** What is drawn and said behind the text, as bytes of one string. */
export function drawnIn(file: Uint8Array): string {
  const bytes = Buffer.from(file).toString('latin1');
  return [...bytes.matchAll(STREAM)]
    .map(([, stream = '']) => Buffer.from(stream, 'latin1'))
    .filter((stream) => stream[0] === 0x78)
    .map((stream) => inflateSync(stream).toString('latin1'))
    .join('\n');
}
