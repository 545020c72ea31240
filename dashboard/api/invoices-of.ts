import type { Invoice } from '@fatura/sdk';
import { useQueries } from '@tanstack/react-query';
import type { ListQuery } from './queries.ts';
import { clientOf, scopeKey } from './scope.ts';
import { useScope } from './session.ts';

interface OfInvoice {
  readonly id: string;
  readonly invoice: string;
}

/** The invoices that the rows of a list are of, by their ids: each page of it asks once. Undefined: not there yet. */
export function useInvoicesOf<T extends OfInvoice>({ data }: ListQuery<T>): (id: string) => Invoice | undefined {
  const scope = useScope();
  const pages = (data?.pages ?? []).map((page) => [...new Set(page.data.map(({ invoice }) => invoice))]);
  const read = useQueries({
    queries: pages
      .filter((ids) => ids.length > 0)
      .map((ids) => ({
        queryKey: [scopeKey(scope), 'invoices', ids],
        queryFn: async ({ signal }: { signal: AbortSignal }) =>
          clientOf(scope).invoices.list({ ids, limit: ids.length }, { signal }).all({ max: ids.length }),
      })),
  });
  const invoices = new Map(read.flatMap((one) => one.data ?? []).map((invoice) => [invoice.id, invoice]));
  return (id) => invoices.get(id);
}
