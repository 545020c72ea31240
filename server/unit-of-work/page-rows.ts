import { LRUCache } from 'lru-cache';
import { fitting, type Placed } from '../kernel/pages.ts';

/** So many rows are read first: a page as most ask for it, and one more. What they come to says how many are read next. */
const ROWS_AT_FIRST = 21;
/** About so many bytes are read at once: enough for few looks, and little enough that others get their turn between them. */
const BYTES_AT_ONCE = 256 * 1_024;

const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

const rowsAtOnce = (sizes: readonly number[]): number =>
  Math.max(1, Math.floor(BYTES_AT_ONCE / (total(sizes) / sizes.length)));

/** Of which lists how few rows are to be read first, for their last page was of large ones; of all others nothing is kept. */
const knownLarge = new LRUCache<string, number>({ max: 10_000 });

function learn(list: string, sizes: readonly number[]): void {
  if (sizes.length === 0) return;
  const atOnce = rowsAtOnce(sizes);
  if (atOnce < ROWS_AT_FIRST) knownLarge.set(list, atOnce);
  else knownLarge.delete(list);
}

/** What is read next: so many rows, behind the one of this place if any were read. */
export interface From {
  readonly behind: string | undefined;
  readonly limit: number;
}

/**
 * Reads rows for a page, a few at a time, until there are enough of them, no more come, or their bytes fill it.
 * Lists are told apart by whose they are and their `url`.
 */
export async function readForPage(
  {
    scope,
    url,
    limit,
  }: {
    readonly scope: { readonly accountId: string; readonly liveMode: boolean };
    readonly url: string;
    readonly limit: number;
  },
  read: (from: From) => Promise<readonly Placed[]>,
): Promise<Placed[]> {
  const list = `${scope.accountId} ${scope.liveMode} ${url}`;
  const rows: Placed[] = [];
  const sizes: number[] = [];
  // A full page needs one row beyond it, which says that there is more.
  while (rows.length < limit && fitting(sizes) === rows.length) {
    const wanted = sizes.length === 0 ? (knownLarge.get(list) ?? ROWS_AT_FIRST) : rowsAtOnce(sizes);
    const atOnce = Math.min(wanted, limit - rows.length);
    const more = await read({ behind: rows.at(-1)?.at, limit: atOnce });
    rows.push(...more);
    sizes.push(...more.map(({ bytes }) => bytes));
    if (more.length < atOnce) break;
  }
  learn(list, sizes);
  return rows;
}
