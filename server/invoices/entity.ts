import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { billingReasons, type Invoice as InvoiceView, invoiceStatuses } from '../../contract/invoices.ts';
import { scoped, scopeFilter } from '../db/scoped.ts';

/** A line as it was priced when it was added; prices never change their amount. */
export interface StoredLine {
  readonly price: string;
  readonly quantity: number;
  readonly unitAmount: number;
  readonly description: string;
}

export type StoredDiscount = InvoiceView['discounts']['data'][number];

export const InvoiceSchema = defineEntity({
  name: 'Invoice',
  tableName: 'invoice',
  filters: scopeFilter,
  properties: {
    ...scoped,
    customerId: p.string(),
    customerName: p.string(),
    customerEmail: p.string().nullable(),
    subscriptionId: p.string().nullable(),
    /** The number of the cycle it bills; null on a standalone invoice. */
    cycle: p.integer().nullable(),
    status: p.enum(invoiceStatuses),
    billingReason: p.enum(billingReasons),
    total: p.bigint('number'),
    amountPaid: p.bigint('number'),
    amountRefunded: p.bigint('number'),
    paymentIntentId: p.string().nullable(),
    externalCode: p.string().nullable(),
    description: p.string().nullable(),
    lineItems: p.json<StoredLine[]>(),
    discounts: p.json<StoredDiscount[]>(),
    metadata: p.json<Record<string, unknown>[]>(),
    dueAt: p.bigint('number'),
    periodStart: p.bigint('number').nullable(),
    periodEnd: p.bigint('number').nullable(),
    finalizedAt: p.bigint('number').nullable(),
    paidAt: p.bigint('number').nullable(),
    markedUncollectibleAt: p.bigint('number').nullable(),
    voidedAt: p.bigint('number').nullable(),
  },
});

export type Invoice = InferEntity<typeof InvoiceSchema>;
