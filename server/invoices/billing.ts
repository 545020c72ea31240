import type { Tx } from '../deps.ts';
import { newId } from '../kernel/ids.ts';
import type { Cents } from '../kernel/money.ts';
import type { Timestamp } from '../kernel/time.ts';
import { NOT_COLLECTED } from './create.ts';
import type { Invoice, StoredDiscount, StoredLine } from './entity.ts';

/** What a subscription bills for one cycle. */
export interface Bill {
  readonly subscriptionId: string;
  readonly cycle: number;
  readonly billingReason: 'subscription_create' | 'subscription_cycle';
  readonly buyer: { readonly id: string; readonly name: string; readonly email: string | null };
  readonly line: StoredLine;
  /** Those of this bill, as much as each takes off. */
  readonly discounts: readonly StoredDiscount[];
  readonly total: Cents;
  readonly dueAt: Timestamp;
  /** Null until the first payment says when it begins. */
  readonly period: { readonly start: Timestamp; readonly end: Timestamp } | null;
  readonly collection: 'awaited' | 'renewal';
}

/** The invoice of a cycle, for `open` and `storeInvoice`. */
export function invoiceOfBill(tx: Tx, bill: Bill): Invoice {
  return {
    id: newId('in'),
    accountId: tx.scope.accountId,
    liveMode: tx.scope.liveMode,
    created: tx.now,
    customerId: bill.buyer.id,
    customerName: bill.buyer.name,
    customerEmail: bill.buyer.email,
    subscriptionId: bill.subscriptionId,
    cycle: bill.cycle,
    status: 'draft',
    billingReason: bill.billingReason,
    total: bill.total,
    amountPaid: 0,
    amountRefunded: 0,
    paymentIntentId: null,
    externalCode: null,
    description: null,
    lineItems: [bill.line],
    discounts: [...bill.discounts],
    metadata: [],
    dueAt: bill.dueAt,
    periodStart: bill.period?.start ?? null,
    periodEnd: bill.period?.end ?? null,
    finalizedAt: null,
    paidAt: null,
    markedUncollectibleAt: null,
    voidedAt: null,
    ...NOT_COLLECTED,
    collection: bill.collection,
  };
}
