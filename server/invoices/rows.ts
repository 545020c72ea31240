import { mine, statement } from '../db/statement.ts';
import { type Change, table } from '../db/table.ts';
import type { Tx } from '../db/tx.ts';
import { realInstant } from '../kernel/time.ts';
import { type Invoice, InvoiceSchema } from './entity.ts';

/** The instant of the next step in real time follows from the account's. */
function wake(invoice: Invoice, { clock }: Change<Invoice>): void {
  invoice.wakeAt = invoice.stepAt == null ? null : realInstant(clock, invoice.stepAt);
}

/** Invoices that were opened: what they are for never changes. */
export const invoices = table(InvoiceSchema, {
  noun: 'invoice',
  fixed: [
    'customerId',
    'customerName',
    'customerEmail',
    'subscriptionId',
    'billingReason',
    'total',
    'externalCode',
    'description',
    'lineItems',
    'discounts',
    'metadata',
    'dueAt',
    'payableUntil',
    'finalizedAt',
  ],
  derive: wake,
});

/** Drafts, which may change until they are opened. */
export const drafts = table(InvoiceSchema, {
  noun: 'invoice',
  variant: 'draft',
  fixed: ['customerId', 'customerName', 'customerEmail', 'subscriptionId', 'billingReason'],
  derive: wake,
});

/** Whatever a payment changes of a subscription, the subscription is locked before its invoices (docs/design/transactions.md#locks). */
const lockSubscriptionOfInvoice = statement<{ id: string }>(
  'lock_subscription_of_invoice',
  `SELECT s.id FROM subscription s
   WHERE ${mine('s')} AND s.id = (SELECT i.subscription_id FROM invoice i WHERE i.id = :id AND ${mine('i')}) FOR UPDATE`,
);

/**
 * The invoice under the one lock of its charges. Every change of its intents, QR codes, receipts and refund parts is made
 * under it, so those rows need none of their own. A statement sent behind it sees what its former holder committed.
 */
export async function lockInvoice(tx: Tx, id: string): Promise<Invoice> {
  const [, invoice] = await Promise.all([tx.query(lockSubscriptionOfInvoice, { id }), tx.lock(invoices, id)]);
  return invoice;
}
