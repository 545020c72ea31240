import type { Customer } from '../customers/entity.ts';
import { mine, statement } from '../db/statement.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Tx } from '../unit-of-work/tx.ts';

const findBilled = statement<{ id: string; status: string }>(
  'find_waiting_invoice_of_customer',
  `SELECT i.id, i.status FROM invoice i WHERE ${mine('i')} AND i.customer_id = :customerId AND i.status IN ('draft', 'open') LIMIT 1`,
);

/** A customer whose invoices still wait for payment keeps its data (docs/product/customers.md#anonymization). */
export async function refuseWhileBilled(tx: Tx, customer: Customer): Promise<void> {
  const [waiting] = await tx.query(findBilled, { customerId: customer.id });
  if (waiting === undefined) return;
  throw new BillingError('INVALID_STATE', {
    message: `${customer.id} has the ${waiting.status} invoice ${waiting.id}: pay or void it first`,
  });
}

const eraseCopies = statement(
  'erase_invoice_copies',
  `UPDATE invoice i SET customer_name = :name, customer_email = NULL WHERE ${mine('i')} AND i.customer_id = :id`,
);

/** The copies of an anonymized customer's name and e-mail go with it; the money records stay. */
export async function eraseInvoiceCopies(tx: Tx, { id, name }: Customer): Promise<void> {
  await tx.query(eraseCopies, { id, name });
}
