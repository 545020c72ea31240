import { raw } from '@mikro-orm/core';
import type { z } from 'zod';
import type { InvoiceListQuery, Invoice as InvoiceView } from '../../contract/invoices.ts';
import { idPrefixOf } from '../db/months.ts';
import type { Deps } from '../deps.ts';
import type { Page } from '../kernel/pages.ts';
import { listPage, moneyRanges, readEach, readOne, withoutUndefined } from '../unit-of-work/lists.ts';
import type { IdWindow } from '../unit-of-work/month-windows.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { type Invoice, InvoiceSchema } from './entity.ts';
import { viewInvoice } from './view.ts';

/** Invoices as they stand now. */
const viewIn = ({ links, clock }: Deps, scope: Scope): ((row: Invoice) => InvoiceView) => {
  const now = clock.now(scope);
  return (row) => viewInvoice({ links, now }, row);
};

export const retrieveInvoice = (deps: Deps, scope: Scope, id: string): Promise<InvoiceView> =>
  readOne({ deps, scope }, InvoiceSchema, { id, view: viewIn(deps, scope) });

export const readInvoices = (deps: Deps, scope: Scope, ids: readonly string[]): Promise<InvoiceView[]> =>
  readEach({ deps, scope }, InvoiceSchema, { ids, view: viewIn(deps, scope) });

/**
 * Of an invoice whose newest charge is by a method. Its relation to the charge is none of the ORM's, which would read both. A charge
 * is made after its invoice, so what was made before the first invoice of a look is none of theirs.
 */
const paidBy = (method: string, { $gte: first }: IdWindow) =>
  raw(
    (alias) =>
      `EXISTS (SELECT FROM payment_intent p WHERE p.id = ${alias}.payment_intent_id AND p.id >= ? AND p.payment_method_type = ?)`,
    [`${idPrefixOf('payment_intent')}${first?.slice(idPrefixOf('invoice').length) ?? ''}`, method],
  );

export function listInvoices(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof InvoiceListQuery>,
): Promise<Page<InvoiceView>> {
  const { amount: total, paidAt } = moneyRanges(query);
  const filters = withoutUndefined({
    total,
    paidAt,
    id: query.ids === undefined ? undefined : { $in: query.ids },
    customerId: query.customer_id,
    subscriptionId: query.subscription_id,
    status: query.status,
    externalCode: query.external_code,
  });
  const { payment_method_type: method } = query;
  return listPage({ deps, scope }, InvoiceSchema, {
    query,
    where: method === undefined ? filters : (window) => ({ $and: [filters, { [paidBy(method, window)]: [] }] }),
    url: '/api/v1/invoices',
    view: viewIn(deps, scope),
  });
}
