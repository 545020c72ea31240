import { DUE_DAYS_MAX, type InvoiceCreate, type Invoice as InvoiceView } from '../../contract/invoices.ts';
import { createCustomerIn } from '../customers/create.ts';
import { lockCustomer } from '../customers/customers.ts';
import { mine, statement } from '../db/statement.ts';
import type { Scope, Tx } from '../db/tx.ts';
import { externalCodeTaken, withExternalCode } from '../db/unique.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import { type Invoice, InvoiceSchema } from './entity.ts';
import { type Bill, issue, prepare } from './life.ts';
import { priceLines, readPrices, requirePrices, storeDiscounts } from './lines.ts';
import { totalOf } from './rules.ts';
import { viewInvoice } from './view.ts';

/** Days until an invoice is due when nothing else is asked for (docs/product/invoices.md#creation). */
const DUE_DAYS_DEFAULT = 3;

/** Where the lines stand in the request. */
const LINES = 'invoice.line_items';
const EXTERNAL_CODE = 'invoice.external_code';

/** When an invoice is due of which nothing else is said. */
export const defaultDueAt = (now: Timestamp): Timestamp => now + DUE_DAYS_DEFAULT * DAY;

const findCodeHolder = statement<{ id: string }>(
  'find_invoice_code_holder',
  `SELECT i.id FROM invoice i WHERE ${mine('i')} AND i.external_code = :code AND i.id <> :ownId`,
);

/** A taken code is told before the rules of a body (docs/product/requests.md#order-of-refusals); what comes between this look and the insert, the index refuses. */
export async function refuseTakenCode(tx: Tx, code: string | null | undefined, ownId: string): Promise<void> {
  if (code === undefined || code === null) return;
  const [holder] = await tx.query(findCodeHolder, { code, ownId });
  if (holder !== undefined) throw externalCodeTaken({ param: EXTERNAL_CODE, code, holderId: holder.id });
}

/** Refuses a due date before now or more than 365 days ahead (docs/product/invoices.md#creation). */
export function checkDueAt(dueAt: Timestamp, now: Timestamp): void {
  if (dueAt >= now && dueAt <= now + DUE_DAYS_MAX * DAY) return;
  const message = `invoice.due_at must lie between now (${now}) and ${DUE_DAYS_MAX} days from now, got ${dueAt}`;
  const violation = { param: 'invoice.due_at', code: 'PARAMETER_INVALID', message } as const;
  throw new BillingError('PARAMETER_INVALID', { message, param: violation.param, violations: [violation] });
}

interface Buyer {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

function readBuyer(tx: Tx, input: InvoiceCreate): Promise<Buyer> {
  if (input.customer !== undefined) return createCustomerIn(tx, input.customer, 'invoice.customer');
  if (input.customer_id === undefined) throw new Error('validation lets no invoice pass without a customer');
  return lockCustomer(tx, input.customer_id, 'invoice.customer_id');
}

/** Buyer and prices in one round trip; what does not exist is told before what cannot be used. */
async function readReferences(tx: Tx, input: InvoiceCreate) {
  const [buyer, prices] = await Promise.allSettled([readBuyer(tx, input), readPrices(tx, input.line_items)]);
  if (prices.status === 'rejected') throw prices.reason;
  if (buyer.status === 'fulfilled') return { buyer: buyer.value, prices: prices.value };
  const isMissing = buyer.reason instanceof BillingError && buyer.reason.code === 'RESOURCE_MISSING';
  if (!isMissing) requirePrices(input.line_items, prices.value, LINES);
  throw buyer.reason;
}

async function createIn(tx: Tx, input: InvoiceCreate): Promise<Invoice> {
  if (input.due_at !== undefined) checkDueAt(input.due_at, tx.now);
  const { buyer, prices } = await readReferences(tx, input);
  await refuseTakenCode(tx, input.external_code, '');
  const lineItems = priceLines(input.line_items, prices, LINES);
  const total = totalOf(lineItems, input.discounts ?? [], 'invoice.discounts');
  const bill: Bill = {
    id: newId('in'),
    buyer,
    lineItems,
    discounts: storeDiscounts(input.discounts ?? []),
    total,
    dueAt: input.due_at ?? defaultDueAt(tx.now),
    externalCode: input.external_code,
    description: input.description,
    metadata: input.metadata,
    cycle: null,
  };
  return input.draft === true ? prepare(tx, bill) : issue(tx, bill);
}

/** Creates a standalone invoice: open, or a draft, or paid at once when its total is 0 (docs/product/invoices.md#creation). */
export function createInvoice(deps: Deps, scope: Scope, input: InvoiceCreate): Promise<InvoiceView> {
  const work = () => deps.transaction(scope, async (tx) => tx.answer(viewInvoice(await createIn(tx, input))));
  const code = input.external_code;
  if (code === undefined || code === null) return work();
  return withExternalCode(deps, { scope, entity: InvoiceSchema, table: 'invoice', param: EXTERNAL_CODE, code }, work);
}
