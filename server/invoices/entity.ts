import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { billingReasons, type Invoice as InvoiceView, invoiceStatuses } from '../../contract/invoices.ts';
import { scoped, scopeFilter, told } from '../db/scoped.ts';
import { collections, stepKinds } from './rules.ts';

/** A line as it was priced when it was added; prices never change their amount. */
export interface StoredLine {
  readonly price: string;
  readonly quantity: number;
  readonly unitAmount: number;
  readonly description: string;
}

export type InvoiceDiscount = InvoiceView['discounts']['data'][number];

export const InvoiceSchema = defineEntity({
  name: 'Invoice',
  tableName: 'invoice',
  filters: scopeFilter,
  properties: {
    ...scoped,
    ...told,
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
    /** What banks took back unasked and did not give back. */
    amountDisputed: p.bigint('number'),
    paymentIntentId: p.string().nullable(),
    externalCode: p.string().nullable(),
    description: p.string().nullable(),
    lineItems: p.json<StoredLine[]>(),
    discounts: p.json<InvoiceDiscount[]>(),
    metadata: p.json<Record<string, unknown>[]>(),
    dueAt: p.bigint('number'),
    /** From then on it takes no payment: the deadline of its checkout session. */
    payableUntil: p.bigint('number').nullable(),
    periodStart: p.bigint('number').nullable(),
    periodEnd: p.bigint('number').nullable(),
    finalizedAt: p.bigint('number').nullable(),
    paidAt: p.bigint('number').nullable(),
    markedUncollectibleAt: p.bigint('number').nullable(),
    voidedAt: p.bigint('number').nullable(),
    /** How it is collected while it is open. */
    collection: p.enum(collections),
    /** Charges that were scheduled and made. */
    charges: p.integer(),
    nextChargeAt: p.bigint('number').nullable(),
    /** Reminders that were sent or left out. */
    reminders: p.integer(),
    overdueAt: p.bigint('number').nullable(),
    /** Whether its steps are those of its subscription's case, from the first failed charge or the first overdue day on. */
    inCase: p.boolean(),
    /** What is done with it next by itself, and when; null: nothing, or what decides on it is still under way. */
    step: p.enum(stepKinds).nullable(),
    stepAt: p.bigint('number').nullable(),
    /** The same in real seconds; null while the account's clock is held. */
    wakeAt: p.bigint('number').nullable(),
  },
});

export type Invoice = InferEntity<typeof InvoiceSchema>;
