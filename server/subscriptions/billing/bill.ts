import { statement } from '../../db/statement.ts';
import type { Tx } from '../../db/tx.ts';
import type { Invoice } from '../../invoices/entity.ts';
import type { Bill, BilledCycle } from '../../invoices/life.ts';
import { lineAmount } from '../../invoices/rules.ts';
import { newId } from '../../kernel/ids.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { Subscription } from '../entity.ts';
import type { Contracted } from '../rows.ts';
import { type AppliedDiscount, billOf } from '../rules.ts';

/** What a cycle is billed as. */
export interface CycleBill extends Omit<BilledCycle, 'subscriptionId' | 'reminders'> {
  readonly buyer: Bill['buyer'];
  readonly dueAt: Timestamp;
  /** Reminders that are not to be sent. */
  readonly reminders?: number;
}

/** What the invoice of a cycle is made of: the price in the quantity of now, less the discounts that still last. */
export async function billOfCycle(
  tx: Tx,
  { subscription, price }: Contracted,
  { buyer, dueAt, reminders = 0, ...cycle }: CycleBill,
): Promise<Bill & { readonly cycle: BilledCycle }> {
  const line = {
    price: price.id,
    quantity: subscription.quantity,
    unitAmount: price.unitAmount,
    description: price.productName,
  };
  const { applied, total } = billOf(lineAmount(line), subscription.discounts, await numberOf(tx, subscription));
  const id = newId('in');
  subscription.billedCycle = cycle.number;
  subscription.latestInvoiceId = id;
  const discounts = applied.map(asInvoiceDiscount);
  return {
    ...{ id, buyer, dueAt, discounts, total },
    lineItems: [line],
    cycle: { ...cycle, subscriptionId: subscription.id, reminders },
  };
}

const countBills = statement<{ bills: number }>(
  'count_bills_of_subscription',
  `SELECT count(*) AS bills FROM invoice WHERE subscription_id = :id`,
);

/** The number of the bill to come, the first being 1: cycles skip numbers after a suspension, and discounts count bills. */
async function numberOf(tx: Tx, { id, discounts, cycle }: Subscription): Promise<number> {
  const lasts = discounts.some((discount) => discount.cycles !== null);
  // The first invoice is made with its subscription, which is not stored before it.
  if (cycle === 0) return 1;
  if (!lasts) return cycle + 1;
  const [found] = await tx.query(countBills, { id });
  return (found?.bills ?? 0) + 1;
}

/** As the invoice shows it: a fixed one with what it took off. */
const asInvoiceDiscount = ({ discount, off }: AppliedDiscount): Invoice['discounts'][number] => ({
  type: discount.type,
  percentage: discount.percentage,
  amount_cents: discount.type === 'fixed' ? off : null,
  cycles: discount.cycles,
  description: null,
});
