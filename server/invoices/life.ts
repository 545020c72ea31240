import type { Tx } from '../deps.ts';
import { endCollection } from './create.ts';
import type { Invoice } from './entity.ts';
import { nextInvoiceStatus } from './rules.ts';
import { viewInvoice } from './view.ts';

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
