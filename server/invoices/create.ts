import { DUE_DAYS_MAX, type InvoiceCreate } from '../../contract/invoice-inputs.ts';
import type { Invoice as InvoiceView } from '../../contract/invoices.ts';
import { requireBuyer } from '../customers/create.ts';
import type { Deps } from '../deps.ts';
import { BillingError, invalidParameter } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { takenCodes, withExternalCode } from '../unit-of-work/unique.ts';
import { discountedLines, redeemCoupon } from './coupon.ts';
import { type Invoice, InvoiceSchema } from './entity.ts';
import { type Bill, issue, prepare } from './life.ts';
import { asDiscountInputs, priceLines, readPrices, requirePrices, storeDiscounts } from './lines.ts';
import { totalOf } from './rules.ts';
import { viewInvoice } from './view.ts';

/** Days until an invoice is due when nothing else is asked for (docs/product/invoices.md#creation). */
const DUE_DAYS_DEFAULT = 3;

/** Where the lines stand in the request. */
const LINES = 'invoice.line_items';
const EXTERNAL_CODE = 'invoice.external_code';

/** When an invoice is due of which nothing else is said. */
export const defaultDueAt = (now: Timestamp): Timestamp => now + DUE_DAYS_DEFAULT * DAY;

export const refuseTakenCode = takenCodes({ table: 'invoice', param: EXTERNAL_CODE });

/** Refuses a due date before now or more than 365 days ahead (docs/product/invoices.md#creation). */
export function checkDueAt(dueAt: Timestamp, now: Timestamp): void {
  if (dueAt >= now && dueAt <= now + DUE_DAYS_MAX * DAY) return;
  const message = `invoice.due_at must lie between now (${now}) and ${DUE_DAYS_MAX} days from now, got ${dueAt}`;
  throw invalidParameter('invoice.due_at', message);
}

/** Buyer and prices in one round trip; what does not exist is told before what cannot be used. */
async function readReferences(tx: Tx, input: InvoiceCreate) {
  const [buyer, prices] = await Promise.allSettled([
    requireBuyer(tx, input, 'invoice'),
    readPrices(tx, input.line_items),
  ]);
  if (prices.status === 'rejected') throw prices.reason;
  if (buyer.status === 'fulfilled') return { buyer: buyer.value, prices: prices.value };
  const isMissing = buyer.reason instanceof BillingError && buyer.reason.code === 'RESOURCE_MISSING';
  if (!isMissing) requirePrices(input.line_items, prices.value, LINES);
  throw buyer.reason;
}

async function createIn(tx: Tx, input: InvoiceCreate): Promise<Invoice> {
  if (input.due_at !== undefined) checkDueAt(input.due_at, tx.now);
  const { buyer, prices } = await readReferences(tx, input);
  await refuseTakenCode(tx, input.external_code);
  const lineItems = priceLines(input.line_items, prices, LINES);
  const id = newId('in');
  const redeeming = { root: 'invoice', customerId: buyer.id, invoiceId: id };
  const coupon = await redeemCoupon(tx, input, { ...redeeming, lines: discountedLines(lineItems, prices) });
  const discounts = [...coupon, ...storeDiscounts(input.discounts ?? [])];
  const bill: Bill = {
    id,
    buyer,
    lineItems,
    discounts,
    total: totalOf(lineItems, asDiscountInputs(discounts), 'invoice.discounts'),
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
  const work = () => deps.transaction(scope, async (tx) => tx.answer(viewInvoice(tx, await createIn(tx, input))));
  const code = input.external_code;
  if (code === undefined || code === null) return work();
  return withExternalCode(deps, { scope, entity: InvoiceSchema, table: 'invoice', param: EXTERNAL_CODE, code }, work);
}
