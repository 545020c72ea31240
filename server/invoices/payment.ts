import type { Tx } from '../deps.ts';
import { markPaid } from './create.ts';
import type { Invoice } from './entity.ts';

/** How an invoice is paid. */
export interface PaymentMade {
  readonly type: 'pix' | 'card';
  /** The payment method that a card is known by. */
  readonly paymentMethodId: string | null;
  readonly installments: number;
  /** A merchant's is a scheduled charge of a stored card, which no customer chose for it. */
  readonly initiator: 'customer' | 'merchant';
}

/** What another domain makes of a payment: it may complete the invoice first, and answers what follows its event. */
export type InvoicePaid = (tx: Tx, invoice: Invoice, payment: PaymentMade) => Promise<() => void>;

/** Pays an invoice with all that follows from it, in the order of decisions §4: the invoice's event, then the reactions'. */
export async function payInvoice(tx: Tx, invoice: Invoice, payment: PaymentMade): Promise<void> {
  const following: (() => void)[] = [];
  for (const prepare of tx.reactions.invoicePaid) following.push(await prepare(tx, invoice, payment));
  markPaid(tx, invoice);
  for (const follow of following) follow();
}
