import type { Customer, Fatura, Invoice, List, RequestOptions } from '@fatura/sdk';
import { useQueries } from '@tanstack/react-query';
import type { ListQuery } from './queries.ts';
import { clientOf, scopeKey } from './scope.ts';
import { useScope } from './session.ts';

interface Asked {
  readonly ids: string[];
  readonly limit: number;
}

interface Kind<Row, Found extends { id: string }> {
  readonly name: string;
  readonly idOf: (row: Row) => string;
  readonly list: (fatura: Fatura, asked: Asked, options: RequestOptions) => List<Found>;
}

/** The objects that the rows of a list are of, by their ids: each page of it asks once. Undefined: not there yet. */
function useObjectsOf<Row extends { id: string }, Found extends { id: string }>(
  { data }: ListQuery<Row>,
  { name, idOf, list }: Kind<Row, Found>,
): (id: string) => Found | undefined {
  const scope = useScope();
  const pages = (data?.pages ?? []).map((page) => [...new Set(page.data.map(idOf))]);
  const read = useQueries({
    queries: pages
      .filter((ids) => ids.length > 0)
      .map((ids) => ({
        queryKey: [scopeKey(scope), name, ids],
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          list(clientOf(scope), { ids, limit: ids.length }, { signal }).all({ max: ids.length }),
      })),
  });
  const found = new Map(read.flatMap((one) => one.data ?? []).map((object) => [object.id, object]));
  return (id) => found.get(id);
}

export const useInvoicesOf = <Row extends { id: string; invoice: string }>(query: ListQuery<Row>) =>
  useObjectsOf<Row, Invoice>(query, {
    name: 'invoices',
    idOf: ({ invoice }) => invoice,
    list: (fatura, asked, options) => fatura.invoices.list(asked, options),
  });

export const useCustomersOf = <Row extends { id: string; customer: string }>(query: ListQuery<Row>) =>
  useObjectsOf<Row, Customer>(query, {
    name: 'customers',
    idOf: ({ customer }) => customer,
    list: (fatura, asked, options) => fatura.customers.list(asked, options),
  });
