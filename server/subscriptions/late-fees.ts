import { addInvoiceItem, tellInvoiceItem } from '../invoice-items/pending.ts';
import type { Invoice } from '../invoices/entity.ts';
import { lateAmounts, lateLines } from '../invoices/late-fees.ts';
import type { PaymentMade } from '../invoices/life.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { lockSubscription } from './rows.ts';

/** Late fees that are asked for by the next bill wait for it from the payment on; a subscription that has ended has no next bill. */
export async function askForLateFees(tx: Tx, invoice: Invoice, { at }: PaymentMade): Promise<void> {
  const { id, subscriptionId, lateFees, lineItems, customerId } = invoice;
  const [first] = lineItems;
  if (subscriptionId == null || lateFees?.collect !== 'next_invoice' || first === undefined) return;
  const lines = lateLines(lateAmounts(invoice, at), lateFees, ` da fatura ${id}`);
  if (lines.length === 0) return;
  const { subscription } = await lockSubscription(tx, subscriptionId);
  if (subscription.status === 'inactive') return;
  for (const line of lines) {
    const waiting = { customerId, subscriptionId, priceId: first.price, quantity: 1, type: 'charge' } as const;
    tellInvoiceItem(tx, addInvoiceItem(tx, { ...waiting, ...line }));
  }
}
