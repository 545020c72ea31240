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

/** Cuts the page out of rows fetched one beyond the limit, in the order they were asked for. */
export function toPage<Row, View>(
  rows: readonly Row[],
  options: { query: PageQuery; url: string; view: (row: Row) => View },
): Page<View> {
  const limit = pageLimit(options.query);
  const kept = rows.slice(0, limit);
  // Backward pages are read oldest first, from the cursor on.
  if (options.query.ending_before !== undefined) kept.reverse();
  return { object: 'list', url: options.url, has_more: rows.length > limit, data: kept.map(options.view) };
}
