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
  object: 'list';
  url: string;
  has_more: boolean;
  data: T[];
}

export const pageLimit = (query: PageQuery): number => query.limit ?? PAGE_LIMIT_DEFAULT;

/** A page ends with the object that reaches so many bytes of JSON (docs/product/requests.md#lists). */
export const PAGE_BYTES_MAX = 1_024 * 1_024;

/** So many rows are read at once, so that a page of large ones is cut before all of them are in memory. */
const ROWS_AT_ONCE = 32;

/** What a value takes of an answer. */
export const answerBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** How many of some sizes fit into a page, the one that reaches its end included. */
export function fitting(sizes: readonly number[]): number {
  let bytes = 0;
  const last = sizes.findIndex((size) => {
    bytes += size;
    return bytes >= PAGE_BYTES_MAX;
  });
  return last === -1 ? sizes.length : last + 1;
}

/** Reads rows for a page, a few at a time, until there are enough of them, no more come, or their bytes fill it. */
export async function readForPage<Row>(
  limit: number,
  read: (from: { readonly behind: Row | undefined; readonly limit: number }) => Promise<readonly Row[]>,
  bytesOf: (row: Row) => number,
): Promise<Row[]> {
  const rows: Row[] = [];
  const sizes: number[] = [];
  // A full page needs one row beyond it, which says that there is more.
  while (rows.length < limit && fitting(sizes) === rows.length) {
    const atOnce = Math.min(ROWS_AT_ONCE, limit - rows.length);
    const more = await read({ behind: rows.at(-1), limit: atOnce });
    rows.push(...more);
    sizes.push(...more.map(bytesOf));
    if (more.length < atOnce) break;
  }
  return rows;
}

/** Cuts the page out of rows fetched one beyond the limit, in the order they were asked for, or out of as many as fill it. */
export function toPage<Row, View>(
  rows: readonly Row[],
  options: { query: PageQuery; url: string; view: (row: Row) => View; bytesOf: (row: Row) => number },
): Page<View> {
  const limit = pageLimit(options.query);
  const kept = rows.slice(0, Math.min(limit, fitting(rows.map(options.bytesOf))));
  const hasMore = rows.length > kept.length;
  // Backward pages are read oldest first, from the cursor on.
  if (options.query.ending_before !== undefined) kept.reverse();
  return { object: 'list', url: options.url, has_more: hasMore, data: kept.map(options.view) };
}
