import type { Customer } from '../customers/entity.ts';
import { mine, statement } from '../db/statement.ts';
import type { Invoice } from '../invoices/entity.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { isOfChange } from './changes/awaiting.ts';
import { lockSubscription } from './rows.ts';

const findStanding = statement<{ id: string; status: string }>(
  'find_standing_subscription_of_customer',
  `SELECT s.id, s.status FROM subscription s WHERE ${mine('s')} AND s.customer_id = :customerId AND s.status <> 'inactive' LIMIT 1`,
);

/** A customer who is subscribed keeps its data (docs/product/customers.md#anonymization). */
export async function refuseWhileSubscribed(tx: Tx, customer: Customer): Promise<void> {
  const [subscription] = await tx.query(findStanding, { customerId: customer.id });
  if (subscription === undefined) return;
  throw new BillingError('INVALID_STATE', {
    message: `${customer.id} has the ${subscription.status} subscription ${subscription.id}: cancel it first`,
  });
}

/** A pending or suspended subscription waits for its invoice, and so may a change: it is ended with that (docs/product/invoices.md#void-and-uncollectible). */
export async function refuseWhileAwaited(tx: Tx, invoice: Invoice): Promise<void> {
  const id = invoice.subscriptionId ?? null;
  if (id === null || invoice.status !== 'open') return;
  const { subscription, scheduled } = await lockSubscription(tx, id);
  if (isOfChange(invoice))
    throw new BillingError('INVALID_STATE', {
      message: `${invoice.id} is awaited by the change ${scheduled.awaiting?.change.id}: take that back by DELETE /api/v1/subscriptions/${id}/changes/${scheduled.awaiting?.change.id}`,
    });
  if (subscription.status !== 'pending' && subscription.status !== 'suspended') return;
  throw new BillingError('INVALID_STATE', {
    message: `${invoice.id} is awaited by the ${subscription.status} subscription ${id}: end that by DELETE /api/v1/subscriptions/${id}`,
  });
}
