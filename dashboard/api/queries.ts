import type { Fatura, List, RequestOptions } from '@fatura/sdk';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { clientOf, scopeKey } from './scope.ts';
import { useScope } from './session.ts';

/** Rows of every page after the first: whoever asks for more wants many. */
const PAGE_MAX = 50;

/** What a query is known by, within its account and mode: what is read, and everything it depends on. */
type Key = readonly unknown[];

type Read<T> = (fatura: Fatura, options: RequestOptions) => PromiseLike<T>;

interface ReadOptions {
  /** Not asked while it is false. */
  readonly enabled?: boolean;
  /** Asked again so often, while the page is looked at. Milliseconds. */
  readonly everyMs?: number | false;
}

/** The client of the account and the mode that the screen shows. */
export const useFatura = (): Fatura => clientOf(useScope());

/** Reads something of the account and mode of the screen. */
export function useRead<T>(key: Key, read: Read<T>, { enabled = true, everyMs = false }: ReadOptions = {}) {
  const scope = useScope();
  return useQuery({
    queryKey: [scopeKey(scope), ...key],
    queryFn: ({ signal }) => Promise.resolve(read(clientOf(scope), { signal })),
    enabled,
    refetchInterval: everyMs,
    placeholderData: keepPreviousData,
  });
}

/** Where a page of a list begins: after the last object of the page before. */
export interface Cursor {
  readonly limit?: number;
  readonly starting_after?: string;
}

type ReadPage<T extends { id: string }> = (fatura: Fatura, cursor: Cursor, options: RequestOptions) => List<T>;

/** Reads a list page by page. What was found under other filters stays until the new rows are there. */
export function useReadList<T extends { id: string }>(
  key: Key,
  read: ReadPage<T>,
  { enabled = true }: Pick<ReadOptions, 'enabled'> = {},
) {
  const scope = useScope();
  return useInfiniteQuery({
    queryKey: [scopeKey(scope), ...key],
    queryFn: async ({ pageParam, signal }) => {
      const { data, hasMore } = await read(clientOf(scope), pageParam, { signal }).page();
      return { data, hasMore };
    },
    initialPageParam: {} as Cursor,
    getNextPageParam: ({ data, hasMore }): Cursor | null => {
      const last = data.at(-1);
      return hasMore && last !== undefined ? { limit: PAGE_MAX, starting_after: last.id } : null;
    },
    enabled,
    placeholderData: keepPreviousData,
  });
}

export type ListQuery<T extends { id: string }> = ReturnType<typeof useReadList<T>>;

/** Has everything that the screen shows of this account and mode read again: something has changed. */
export function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  const scope = useScope();
  return () => client.invalidateQueries({ queryKey: [scopeKey(scope)] });
}
