import { PAGE_LIMIT_DEFAULT } from '../../contract/kernel.ts';

/** The page a list request asks for (docs/product/requests.md#lists). */
export interface PageQuery {
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
  readonly created_gte?: number | undefined;
  readonly created_lte?: number | undefined;
}

/** The list envelope (docs/product/requests.md#lists). */
export interface Page<T> {
  readonly object: 'list';
  readonly url: string;
  readonly has_more: boolean;
  readonly data: T[];
}

export const pageLimit = (query: PageQuery): number => query.limit ?? PAGE_LIMIT_DEFAULT;

/** A page ends with the object that reaches so many bytes of JSON (docs/product/requests.md#lists). */
export const PAGE_BYTES_MAX = 1_024 * 1_024;

/** An object of a list as it is sent: its JSON and the bytes of that. Without a text it has its place, and is not shown. */
export interface Written {
  readonly text: string | null;
  readonly bytes: number;
}

/** What is kept of a row of a list: the id that says where it stands, and how it is sent. */
export interface Placed extends Written {
  readonly at: string;
}

export const writtenText = (text: string): Written => ({ text, bytes: Buffer.byteLength(text) });

export const written = (view: object | undefined): Written =>
  view === undefined ? { text: null, bytes: 0 } : writtenText(JSON.stringify(view));

/** A page that is sent as its objects were written, so that none of them is written twice or kept until then. */
export class WrittenPage<T> implements Page<T> {
  readonly object = 'list';
  readonly url: string;
  readonly has_more: boolean;
  readonly #texts: readonly string[];

  constructor({ url, hasMore, texts }: { url: string; hasMore: boolean; texts: readonly string[] }) {
    this.url = url;
    this.has_more = hasMore;
    this.#texts = texts;
  }

  /** The page as JSON. */
  get text(): string {
    const { object, url, has_more } = this;
    return `${JSON.stringify({ object, url, has_more }).slice(0, -1)},"data":[${this.#texts.join(',')}]}`;
  }

  get data(): T[] {
    // Each was written from a view.
    return this.#texts.map((text) => JSON.parse(text) as T);
  }
}

/** How many of some sizes fit into a page, the one that reaches its end included. */
export function fitting(sizes: readonly number[]): number {
  let bytes = 0;
  const last = sizes.findIndex((size) => {
    bytes += size;
    return bytes >= PAGE_BYTES_MAX;
  });
  return last === -1 ? sizes.length : last + 1;
}

/** Cuts the page out of rows fetched one beyond the limit, in the order they were asked for, or out of as many as fill it. */
export function toPage<View>(rows: readonly Written[], { query, url }: { query: PageQuery; url: string }): Page<View> {
  const kept = rows.slice(0, Math.min(pageLimit(query), fitting(rows.map(({ bytes }) => bytes))));
  const hasMore = rows.length > kept.length;
  // Backward pages are read oldest first, from the cursor on.
  if (query.ending_before !== undefined) kept.reverse();
  return new WrittenPage({ url, hasMore, texts: kept.flatMap(({ text }) => text ?? []) });
}
