import { fitting } from '../kernel/pages.ts';

/** So many rows are read first: a page as most ask for it, and one more. What they come to says how many are read next. */
const ROWS_AT_FIRST = 21;
/** About so many bytes are read at once: enough for few looks, and little enough that others get their turn between them. */
const BYTES_AT_ONCE = 256 * 1_024;

const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

const rowsAtOnce = (sizes: readonly number[]): number =>
  sizes.length === 0 ? ROWS_AT_FIRST : Math.max(1, Math.floor(BYTES_AT_ONCE / (total(sizes) / sizes.length)));

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
    const atOnce = Math.min(rowsAtOnce(sizes), limit - rows.length);
    const more = await read({ behind: rows.at(-1), limit: atOnce });
    rows.push(...more);
    sizes.push(...more.map(bytesOf));
    if (more.length < atOnce) break;
  }
  return rows;
}
