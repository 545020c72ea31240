import { statement } from '../../db/statement.ts';
import type { Tx } from '../../deps.ts';
import { invoiceOfBill } from '../../invoices/billing.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { lineAmount } from '../../invoices/rules.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { Subscription } from '../entity.ts';
import type { Contracted } from '../rows.ts';
import { type AppliedDiscount, billOf, type Period } from '../rules.ts';

/** What a cycle is billed as. */
export interface CycleBill {
  readonly cycle: number;
  readonly billingReason: 'subscription_create' | 'subscription_cycle';
  readonly buyer: { readonly id: string; readonly name: string; readonly email: string | null };
  readonly dueAt: Timestamp;
  readonly period: Period | null;
  readonly collection: 'awaited' | 'renewal';
}

/** The invoice of a cycle: the price in the quantity of now, less the discounts that still last. */
export async function billCycle(tx: Tx, { subscription, price }: Contracted, bill: CycleBill): Promise<Invoice> {
  const line = {
    price: price.id,
    quantity: subscription.quantity,
    unitAmount: price.unitAmount,
    description: price.productName,
  };
  const { applied, total } = billOf(lineAmount(line), subscription.discounts, await numberOf(tx, subscription));
  const discounts = applied.map(asInvoiceDiscount);
  const invoice = invoiceOfBill(tx, { ...bill, subscriptionId: subscription.id, line, discounts, total });
  subscription.billedCycle = bill.cycle;
  return invoice;
}

const countBills = statement(
  'count_bills_of_subscription',
  `SELECT count(*) AS bills FROM invoice WHERE subscription_id = $1`,
);

/** The number of the bill to come, the first being 1: cycles skip numbers after a suspension, and discounts count bills. */
async function numberOf(tx: Tx, { id, discounts, cycle }: Subscription): Promise<number> {
  const lasts = discounts.some((discount) => discount.cycles !== null);
  // The first invoice is made with its subscription, which is not stored before it.
  if (cycle === 0) return 1;
  if (!lasts) return cycle + 1;
  const [found] = await tx.query<{ bills: number }>(countBills, [id]);
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
