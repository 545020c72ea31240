import type { InvoiceUpdate } from '../../contract/invoice-inputs.ts';
import type { Invoice as InvoiceView } from '../../contract/invoices.ts';
import { DISCOUNTS_MAX } from '../../contract/lines.ts';
import { lockRedemption } from '../coupons/redemption.ts';
import type { Deps } from '../deps.ts';
import { BillingError, invalidParameter } from '../kernel/errors.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { withExternalCode } from '../unit-of-work/unique.ts';
import { changeCoupon, discountedLines } from './coupon.ts';
import { checkDueAt, defaultDueAt, refuseTakenCode } from './create.ts';
import { type Invoice, type InvoiceDiscount, InvoiceSchema } from './entity.ts';
import { drafts, finalize } from './life.ts';
import { asDiscountInputs, priceLines, readPrices, requirePrices, storeDiscounts } from './lines.ts';
import { totalOf } from './rules.ts';
import { viewInvoice } from './view.ts';

/**
 * A draft, locked until the transaction ends. Whatever changes an invoice that is open locks its subscription first
 * (`lockInvoice`); a subscription has no drafts, and nothing is locked behind this lock.
 */
async function lockDraft(tx: Tx, id: string): Promise<Invoice> {
  const invoice = await tx.lock(drafts, id);
  await lockRedemption(tx, invoice.discounts);
  return invoice;
}

function refuseUnlessDraft(invoice: Invoice, what: string): void {
  if (invoice.status === 'draft') return;
  throw new BillingError('INVALID_STATE', {
    message: `${invoice.id} is ${invoice.status}: only a draft can be ${what}`,
  });
}

const isInline = ({ redemption }: InvoiceDiscount): boolean => redemption == null;

function refuseTooMany(discounts: readonly InvoiceDiscount[]): void {
  if (discounts.length <= DISCOUNTS_MAX) return;
  const param = 'invoice.discounts';
  throw invalidParameter(param, `${param} must have at most ${DISCOUNTS_MAX - 1} beside a coupon`);
}

/** In the order of refusals (docs/product/requests.md#order-of-refusals): 404 of the path and of the prices, 409 of the state and the code, 422 of the rules. */
async function change(tx: Tx, id: string, changes: InvoiceUpdate): Promise<Invoice> {
  const { line_items: items, discounts, external_code: externalCode, description, metadata, due_at: dueAt } = changes;
  const invoice = await lockDraft(tx, id);
  const prices = await readPrices(
    tx,
    items ?? invoice.lineItems.map(({ price }) => ({ price_id: price, quantity: 1 })),
  );
  if (items !== undefined) requirePrices(items, prices, 'invoice.line_items');
  refuseUnlessDraft(invoice, 'updated');
  await refuseTakenCode(tx, externalCode, id);
  if (items !== undefined) invoice.lineItems = priceLines(items, prices, 'invoice.line_items');
  const coupon = await changeCoupon(tx, invoice, { changes, lines: discountedLines(invoice.lineItems, prices) });
  const inline = discounts === undefined ? invoice.discounts.filter(isInline) : storeDiscounts(discounts ?? []);
  refuseTooMany([...coupon, ...inline]);
  invoice.discounts = [...coupon, ...inline];
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
      return tx.answer(viewInvoice(tx, await change(tx, id, changes)));
    }),
  );
}

/** Opens a draft for payment; its items freeze. */
export function finalizeInvoice(deps: Deps, scope: Scope, id: string): Promise<InvoiceView> {
  return deps.transaction(scope, async (tx) => {
    const invoice = await lockDraft(tx, id);
    finalize(tx, invoice);
    return tx.answer(viewInvoice(tx, invoice));
  });
}
