import { DUE_DAYS_MAX, type InvoiceCreate, type Invoice as InvoiceView } from '../../contract/invoices.ts';
import { createCustomerIn } from '../customers/create.ts';
import { lockCustomer } from '../customers/customers.ts';
import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import { externalCodeTaken, withExternalCode } from '../db/unique.ts';
import type { Deps, Tx } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import { type Invoice, InvoiceSchema } from './entity.ts';
import { priceLines, readPrices, requirePrices, storeDiscounts } from './lines.ts';
import { nextInvoiceStatus, totalOf } from './rules.ts';
import { viewInvoice } from './view.ts';

/** Days until an invoice is due when nothing else is asked for (decisions §3). */
const DUE_DAYS_DEFAULT = 3;

/** Where the lines stand in the request. */
const LINES = 'invoice.line_items';
const EXTERNAL_CODE = 'invoice.external_code';

/** How long after it is due an invoice of the account `a` is overdue. */
const OVERDUE_SECONDS = 'round(a.overdue_days * 86400)::bigint';

const insertInvoice = statement(
  'insert_invoice',
  `INSERT INTO invoice (id, account_id, live_mode, created, customer_id, customer_name, customer_email, status, billing_reason, total,
     external_code, description, line_items, discounts, metadata, due_at, finalized_at, paid_at, subscription_id, cycle, period_start, period_end,
     amount_paid, payment_intent_id, collection, charges, next_charge_at, reminders, in_case, step, step_at, wake_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $32, $24, $25, $26, $27, $28,
     next.step, next.at, next.at - $29::bigint
   FROM (SELECT $30::text AS step, $31::bigint AS at WHERE $24 <> 'once' OR $8 <> 'open'
     UNION ALL SELECT 'mark_overdue', $16::bigint + ${OVERDUE_SECONDS} FROM account a WHERE a.id = $2 AND $24 = 'once' AND $8 = 'open') next`,
);

const armStatement = statement(
  'arm_invoice',
  `UPDATE invoice i SET step = 'mark_overdue', step_at = i.due_at + ${OVERDUE_SECONDS}, wake_at = i.due_at + ${OVERDUE_SECONDS} - $2::bigint
   FROM account a WHERE i.id = $1 AND a.id = i.account_id AND i.status = 'open'`,
);

/** An invoice that was opened after it was stored is told overdue in its time. */
export const armInvoice = (tx: Tx, { id }: Invoice): void => tx.write(armStatement, [id, aheadOf(tx)]);

/** By how much real time is behind the account's clock; null while that is held, so that no instant of it is one in real time. */
const aheadOf = ({ scope: { clock } }: Tx): number | null => (clock.heldAt === null ? clock.aheadSeconds : null);

/** When an invoice is due of which nothing else is said. */
export const defaultDueAt = (now: Timestamp): Timestamp => now + DUE_DAYS_DEFAULT * DAY;

const findCodeHolder = statement(
  'find_invoice_code_holder',
  `SELECT id FROM invoice WHERE account_id = $1 AND live_mode = $2 AND external_code = $3 AND id <> $4`,
);

/** A taken code is told before the rules of a body (decisions §2); what comes between this look and the insert, the index refuses. */
export async function refuseTakenCode(tx: Tx, code: string | null | undefined, ownId: string): Promise<void> {
  if (code === undefined || code === null) return;
  const [holder] = await tx.query<{ id: string }>(findCodeHolder, [tx.scope.accountId, tx.scope.liveMode, code, ownId]);
  if (holder !== undefined) throw externalCodeTaken({ param: EXTERNAL_CODE, code, holderId: holder.id });
}

/** Refuses a due date before now or more than 365 days ahead (decisions §3). */
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

export function storeInvoice(tx: Tx, invoice: Invoice): void {
  tx.write(insertInvoice, [
    invoice.id,
    invoice.accountId,
    invoice.liveMode,
    invoice.created,
    invoice.customerId,
    invoice.customerName,
    invoice.customerEmail,
    invoice.status,
    invoice.billingReason,
    invoice.total,
    invoice.externalCode,
    invoice.description,
    JSON.stringify(invoice.lineItems),
    JSON.stringify(invoice.discounts),
    JSON.stringify(invoice.metadata),
    invoice.dueAt,
    invoice.finalizedAt,
    invoice.paidAt,
    invoice.subscriptionId,
    invoice.cycle,
    invoice.periodStart,
    invoice.periodEnd,
    invoice.amountPaid,
    invoice.collection,
    invoice.charges,
    invoice.nextChargeAt,
    invoice.reminders,
    invoice.inCase,
    aheadOf(tx),
    invoice.step,
    invoice.stepAt,
    invoice.paymentIntentId,
  ]);
}

/** An invoice that collection has not begun with. */
export const NOT_COLLECTED = {
  collection: 'once',
  charges: 0,
  nextChargeAt: null,
  reminders: 0,
  overdueAt: null,
  inCase: false,
  step: null,
  stepAt: null,
  wakeAt: null,
} as const;

function draftOf(
  tx: Tx,
  input: InvoiceCreate,
  parts: Pick<Invoice, 'lineItems' | 'total'> & { buyer: Buyer },
): Invoice {
  return {
    id: newId('in'),
    accountId: tx.scope.accountId,
    liveMode: tx.scope.liveMode,
    created: tx.now,
    customerId: parts.buyer.id,
    customerName: parts.buyer.name,
    customerEmail: parts.buyer.email,
    subscriptionId: null,
    cycle: null,
    status: 'draft',
    billingReason: 'manual',
    total: parts.total,
    amountPaid: 0,
    amountRefunded: 0,
    paymentIntentId: null,
    externalCode: input.external_code ?? null,
    description: input.description ?? null,
    lineItems: parts.lineItems,
    discounts: storeDiscounts(input.discounts ?? []),
    metadata: input.metadata ?? [],
    dueAt: input.due_at ?? defaultDueAt(tx.now),
    periodStart: null,
    periodEnd: null,
    finalizedAt: null,
    paidAt: null,
    markedUncollectibleAt: null,
    voidedAt: null,
    ...NOT_COLLECTED,
  };
}

/** Opens a draft; one of nothing is paid at once, without a charge (decisions §3). */
export function open(tx: Tx, invoice: Invoice, announce: 'invoice.created' | 'invoice.finalized'): void {
  invoice.status = nextInvoiceStatus(invoice, 'finalize');
  invoice.finalizedAt = tx.now;
  tx.record(announce, viewInvoice(invoice));
  if (invoice.total === 0) markPaid(tx, invoice);
}

/** Nothing is done by itself with an invoice that is not open any more. */
export function endCollection(tx: Tx, invoice: Invoice): void {
  invoice.nextChargeAt = null;
  invoice.step = null;
  invoice.stepAt = null;
  const { inCase, subscriptionId } = invoice;
  if (inCase && subscriptionId != null) tx.enqueue({ kind: 'collection', key: subscriptionId });
  invoice.inCase = false;
}

/** Pays an invoice whole; its charge is recorded by whoever settles it. */
export function markPaid(tx: Tx, invoice: Invoice): void {
  invoice.status = nextInvoiceStatus(invoice, 'pay');
  invoice.amountPaid = invoice.total;
  invoice.paidAt = tx.now;
  endCollection(tx, invoice);
  tx.record('invoice.paid', viewInvoice(invoice));
}

async function createIn(tx: Tx, input: InvoiceCreate): Promise<Invoice> {
  if (input.due_at !== undefined) checkDueAt(input.due_at, tx.now);
  const { buyer, prices } = await readReferences(tx, input);
  await refuseTakenCode(tx, input.external_code, '');
  const lineItems = priceLines(input.line_items, prices, LINES);
  const total = totalOf(lineItems, input.discounts ?? [], 'invoice.discounts');
  const invoice = draftOf(tx, input, { lineItems, total, buyer });
  if (input.draft === true) tx.record('invoice.created', viewInvoice(invoice));
  else open(tx, invoice, 'invoice.created');
  storeInvoice(tx, invoice);
  return invoice;
}

/** Creates a standalone invoice: open, or a draft, or paid at once when its total is 0 (decisions §3, Invoice). */
export function createInvoice(deps: Deps, scope: Scope, input: InvoiceCreate): Promise<InvoiceView> {
  const work = () => deps.transaction(scope, async (tx) => tx.answer(viewInvoice(await createIn(tx, input))));
  const code = input.external_code;
  if (code === undefined || code === null) return work();
  return withExternalCode(deps, { scope, entity: InvoiceSchema, table: 'invoice', param: EXTERNAL_CODE, code }, work);
}
