import { lateKinds } from '../../contract/lines.ts';
import { mine, statement } from '../db/statement.ts';
import { newId } from '../kernel/ids.ts';
import type { Cents } from '../kernel/money.ts';
import { snakeCase } from '../kernel/text.ts';
import { type NewRow, table } from '../unit-of-work/table.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { type InvoiceItem, InvoiceItemSchema } from './entity.ts';
import { viewInvoiceItem } from './view.ts';

/** What an item asks for never changes; what bills took of it does. */
export const invoiceItems = table(InvoiceItemSchema, {
  noun: 'invoice item',
  fixed: [
    'customerId',
    'type',
    'kind',
    'priceId',
    'itemId',
    'quantity',
    'unitAmount',
    'amount',
    'description',
    'periodStart',
    'periodEnd',
  ],
});

/** What waits for a bill, by what it is for. */
export type NewInvoiceItem = Omit<NewRow<InvoiceItem>, 'id' | 'status' | 'used' | 'invoiceId' | 'amount'>;

/** Adds a charge or a credit to what waits for a bill; whoever adds it tells of it. */
export const addInvoiceItem = (tx: Tx, item: NewInvoiceItem): InvoiceItem =>
  tx.insert(invoiceItems, { ...item, id: newId('ii'), amount: item.quantity * item.unitAmount, status: 'pending' });

export const tellInvoiceItem = (tx: Tx, item: InvoiceItem): void =>
  tx.record('invoice_item.created', viewInvoiceItem(item));

/** Whose bill takes what waits. */
interface Billed {
  readonly customerId: string;
  readonly subscriptionId: string;
  /** Whether it asks for late fees: its buyer pays it by hand. */
  readonly takesLate: boolean;
}

/** Most that one bill takes: charges, so that it has at most a hundred lines, and credits. The rest waits for the next one. */
const CHARGES_MAX = 80;
const CREDITS_MAX = 100;

/** SQL: whether an item waits for a bill of a subscription: its own, or whichever of its customer is next. */
const waitsFor = (of: { customer: string; subscription: string; takesLate: string }): string =>
  `ii.customer_id = ${of.customer} AND ii.status = 'pending' AND (ii.subscription_id = ${of.subscription} OR ii.subscription_id IS NULL)
     AND (ii.kind NOT IN ('${lateKinds.join("', '")}') OR ${of.takesLate})`;
const waitsForRow = (row: string): string =>
  waitsFor({
    customer: `${row}.customer_id`,
    subscription: `${row}.id`,
    takesLate: `coalesce(${row}.payment_method_type, 'pix') = 'pix'`,
  });
const WAITS = waitsFor({ customer: ':customerId', subscription: ':subscriptionId', takesLate: ':takesLate::boolean' });

const oldest = (type: InvoiceItem['type'], limit: number): string =>
  `(SELECT ii.id FROM invoice_item ii WHERE ${mine('ii')} AND ${WAITS} AND ii.type = '${type}' ORDER BY ii.kind <> 'setup', ii.id LIMIT ${limit})`;

const lockPendingItems = statement<InvoiceItem>(
  'lock_pending_invoice_items',
  `SELECT ${invoiceItems.columns('r')} FROM invoice_item r
   WHERE r.status = 'pending' AND r.id IN (${oldest('charge', CHARGES_MAX)} UNION ALL ${oldest('credit', CREDITS_MAX)})
   ORDER BY r.kind <> 'setup', r.id FOR UPDATE`,
);

/** SQL: what waits for a bill of a subscription, as JSON in the order in which it takes it. */
export const pendingItemsOf = (subscription: string): string =>
  `(SELECT coalesce(json_agg(json_build_object(${[
    'id',
    'type',
    'kind',
    'priceId',
    'itemId',
    'quantity',
    'unitAmount',
    'amount',
    'used',
    'description',
    'periodStart',
    'periodEnd',
  ]
    .map((property) => `'${property}', ii.${snakeCase(property)}`)
    .join(', ')}) ORDER BY ii.kind <> 'setup', ii.id), '[]')
    FROM invoice_item ii WHERE ${waitsForRow(subscription)})`;

/** SQL: whether something waits for a bill of a subscription. */
export const hasPendingItems = (subscription: string): string =>
  `EXISTS (SELECT FROM invoice_item ii WHERE ${waitsForRow(subscription)})`;

/** SQL: the credits that wait for bills of this subscription alone, in cents. */
export const creditOf = (subscription: string): string =>
  `(SELECT coalesce(sum(ii.amount - ii.used), 0)::bigint FROM invoice_item ii WHERE ii.customer_id = ${subscription}.customer_id
     AND ii.subscription_id = ${subscription}.id AND ii.status = 'pending' AND ii.type = 'credit')`;

/** What waits for a bill of a subscription, which the transaction holds: setup first, then oldest first; until the transaction ends. */
export async function lockInvoiceItems(tx: Tx, billed: Billed): Promise<InvoiceItem[]> {
  const rows = await tx.query(lockPendingItems, { ...billed });
  return rows.map((row) => tx.keep(invoiceItems, row)).filter(({ status }) => status === 'pending');
}

/** Takes from a pending item what a bill asks for, or uses, of it. */
export function takeFrom(item: InvoiceItem, { amount, invoiceId }: { amount: Cents; invoiceId: string }): void {
  item.used += amount;
  if (item.used < item.amount) return;
  item.status = 'billed';
  item.invoiceId = item.type === 'charge' ? invoiceId : null;
}

/** What an invoice took, as it is stored with it. */
interface Taking {
  readonly lineItems: readonly { readonly invoiceItem?: string }[];
  readonly credits: readonly { readonly item: string; readonly amount: number }[];
}

/** Of the credits of an invoice those that waited for it. */
const usedOf = (credits: Taking['credits']): Taking['credits'] => credits.filter(({ item }) => item !== '');

/** Locks what an invoice took behind it, so that the invoice can give it back. */
export async function lockTaken(tx: Tx, { lineItems, credits }: Taking): Promise<void> {
  const charged = lineItems.flatMap(({ invoiceItem }) => invoiceItem ?? []);
  for (const id of [...charged, ...usedOf(credits).map(({ item }) => item)].toSorted()) await tx.lock(invoiceItems, id);
}

/** What an invoice gave back in this transaction, in the order in which bills take it. */
export function givenBack(tx: Tx, { lineItems, credits }: Taking): InvoiceItem[] {
  const taken = [
    ...lineItems.flatMap(({ invoiceItem }) => invoiceItem ?? []),
    ...usedOf(credits).map(({ item }) => item),
  ];
  return taken.flatMap((id) => tx.kept(invoiceItems, id) ?? []);
}

/** Of an invoice that cannot be paid any more: what it took waits for the next bill. */
export function giveBack(tx: Tx, { lineItems, credits }: Taking): void {
  const taken = [
    ...lineItems.flatMap(({ invoiceItem: id }) => (id === undefined ? [] : [{ id, amount: null }])),
    ...usedOf(credits).map(({ item: id, amount }) => ({ id, amount })),
  ];
  for (const { id, amount } of taken) {
    const item = tx.kept(invoiceItems, id);
    if (item === null) throw new Error(`${id} is given back by a transaction that does not keep it`);
    item.used -= amount ?? item.amount;
    item.status = 'pending';
    item.invoiceId = null;
  }
}
