import type { Customer } from '../customers/entity.ts';
import { statement } from '../db/statement.ts';
import type { Tx } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { InvoiceSchema } from './entity.ts';

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
