import { fitting } from '../kernel/pages.ts';

/** So many rows are read at once, so that a page of large ones is cut before all of them are in memory. */
const ROWS_AT_ONCE = 32;

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
