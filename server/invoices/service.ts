import { LockMode } from '@mikro-orm/core';
import type { z } from 'zod';
import type { InvoiceListQuery, InvoiceUpdate, Invoice as InvoiceView } from '../../contract/invoices.ts';
import type { Customer } from '../customers/entity.ts';
import { listPage, sent } from '../db/pages.ts';
import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import { withExternalCode } from '../db/unique.ts';
import type { Deps, Tx } from '../deps.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import type { Page } from '../kernel/pages.ts';
import { armInvoice, checkDueAt, defaultDueAt, endCollection, open, refuseTakenCode } from './create.ts';
import { type Invoice, InvoiceSchema } from './entity.ts';
import { asDiscountInputs, priceLines, readPrices, requirePrices, storeDiscounts } from './lines.ts';
import { nextInvoiceStatus, totalOf } from './rules.ts';
import { viewInvoice } from './view.ts';

export async function retrieveInvoice(deps: Deps, scope: Scope, id: string): Promise<InvoiceView> {
  const invoice = await deps.read(scope).findOne(InvoiceSchema, { id });
  if (invoice === null) throw missing('invoice', id);
  return viewInvoice(invoice);
}

export function listInvoices(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof InvoiceListQuery>,
): Promise<Page<InvoiceView>> {
  const where = sent({
    customerId: query.customer_id,
    subscriptionId: query.subscription_id,
    status: query.status,
    externalCode: query.external_code,
  });
  return listPage(deps.read(scope), InvoiceSchema, { query, where, url: '/api/v1/invoices', view: viewInvoice });
}

/**
 * A draft, locked until the transaction ends. Whatever changes an invoice that is open locks its subscription first
 * (payments' `lockInvoice`); a subscription has no drafts, and nothing is locked behind this lock.
 */
async function lockDraft(tx: Tx, id: string): Promise<Invoice> {
  const invoice = await tx.em.findOne(InvoiceSchema, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (invoice === null) throw missing('invoice', id);
  return invoice;
}

function refuseUnlessDraft(invoice: Invoice, what: string): void {
  if (invoice.status === 'draft') return;
  throw new BillingError('INVALID_STATE', {
    message: `${invoice.id} is ${invoice.status}: only a draft can be ${what}`,
  });
}

/** In the order of refusals (decisions §2): 404 of the path and of the prices, 409 of the state and the code, 422 of the rules. */
async function change(tx: Tx, id: string, changes: InvoiceUpdate): Promise<Invoice> {
  const { line_items: items, discounts, external_code: externalCode, description, metadata, due_at: dueAt } = changes;
  const invoice = await lockDraft(tx, id);
  const prices = items === undefined ? null : await readPrices(tx, items);
  if (items !== undefined && prices !== null) requirePrices(items, prices, 'invoice.line_items');
  refuseUnlessDraft(invoice, 'updated');
  await refuseTakenCode(tx, externalCode, id);
  if (items !== undefined && prices !== null) invoice.lineItems = priceLines(items, prices, 'invoice.line_items');
  if (discounts !== undefined) invoice.discounts = storeDiscounts(discounts ?? []);
  invoice.total = totalOf(invoice.lineItems, asDiscountInputs(invoice.discounts), 'invoice.discounts');
  if (dueAt !== undefined) invoice.dueAt = dueAt ?? defaultDueAt(tx.now);
  if (externalCode !== undefined) invoice.externalCode = externalCode;
  if (description !== undefined) invoice.description = description;
  if (metadata !== undefined) invoice.metadata = metadata ?? [];
  return invoice;
}

/** Changes a draft; an open invoice is frozen. */
export function updateInvoice(deps: Deps, scope: Scope, id: string, changes: InvoiceUpdate): Promise<InvoiceView> {
  const code = changes.external_code;
  const taken = { scope, entity: InvoiceSchema, table: 'invoice', param: 'invoice.external_code', code };
  return withExternalCode(deps, taken, () =>
    deps.transaction(scope, async (tx) => {
      const { due_at: dueAt } = changes;
      if (dueAt !== undefined && dueAt !== null) checkDueAt(dueAt, tx.now);
      return tx.answer(viewInvoice(await change(tx, id, changes)));
    }),
  );
}

/** Opens a draft for payment; its items freeze. */
export function finalizeInvoice(deps: Deps, scope: Scope, id: string): Promise<InvoiceView> {
  return deps.transaction(scope, async (tx) => {
    const invoice = await lockDraft(tx, id);
    open(tx, invoice, 'invoice.finalized');
    armInvoice(tx, invoice);
    return tx.answer(viewInvoice(invoice));
  });
}

/** Cancels an invoice whose charges are out of the way; `amount_remaining` stays. */
export function voidInvoice(tx: Tx, invoice: Invoice): void {
  invoice.status = nextInvoiceStatus(invoice, 'void');
  invoice.voidedAt = tx.now;
  endCollection(tx, invoice);
  tx.record('invoice.voided', viewInvoice(invoice));
}

/** Gives up an invoice whose charges are out of the way; a late payment still pays it. */
export function markInvoiceUncollectible(tx: Tx, invoice: Invoice): void {
  invoice.status = nextInvoiceStatus(invoice, 'mark_uncollectible');
  invoice.markedUncollectibleAt = tx.now;
  endCollection(tx, invoice);
  tx.record('invoice.marked_uncollectible', viewInvoice(invoice));
}

/** A customer whose invoices still wait for payment keeps its data (decisions §3, Customer). */
export async function refuseWhileBilled(tx: Tx, customer: Customer): Promise<void> {
  const waiting = await tx.em.findOne(InvoiceSchema, { customerId: customer.id, status: { $in: ['draft', 'open'] } });
  if (waiting === null) return;
  throw new BillingError('INVALID_STATE', {
    message: `${customer.id} has the ${waiting.status} invoice ${waiting.id}: pay or void it first`,
  });
}

const eraseCopies = statement(
  'erase_invoice_copies',
  `UPDATE invoice SET customer_name = $4, customer_email = NULL WHERE account_id = $1 AND live_mode = $2 AND customer_id = $3`,
);

/** The copies of an anonymized customer's name and e-mail go with it; the money records stay. */
export async function eraseInvoiceCopies(tx: Tx, customer: Customer): Promise<void> {
  await tx.query(eraseCopies, [tx.scope.accountId, tx.scope.liveMode, customer.id, customer.name]);
}
