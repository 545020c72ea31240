import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { DeclineReason } from '../../contract/errors.ts';
import { type billingReasons, type Invoice as InvoiceView, invoiceStatuses } from '../../contract/invoices.ts';
import type { LateFees } from '../../contract/late-fees.ts';
import type { CreditKind, LineKind } from '../../contract/lines.ts';
import { byMonth, check, index, inScope, p, scoped, scopeKey, shardBy, told, waitingIndexes } from '../db/columns.ts';
import type { CollectionDays } from '../kernel/collection-days.ts';
import { collections, stepKinds } from './rules.ts';

/** A line as it was priced when it was added; prices never change their amount. */
export interface StoredLine {
  readonly price: string;
  readonly quantity: number;
  readonly unitAmount: number;
  readonly description: string;
  /** Absent: bought once. */
  readonly kind?: LineKind;
  /** The item of the subscription that it bills. */
  readonly item?: string;
  /** The charge that waited for it. */
  readonly invoiceItem?: string;
  /** Of what is billed for a period other than the invoice's. */
  readonly period?: { readonly start: number; readonly end: number };
}

/** A credit that the invoice used. */
export interface StoredCredit {
  /** The invoice item; empty of one that waited for no bill. */
  readonly item: string;
  readonly type: CreditKind;
  /** Cents. */
  readonly amount: number;
  readonly description: string;
}

type ShownDiscount = InvoiceView['discounts']['data'][number];
type OfCoupon = 'redemption' | 'coupon' | 'promotion_code';

/** A discount as it is stored: what it says of a coupon is there where one gives it. */
export interface InvoiceDiscount extends Omit<ShownDiscount, OfCoupon>, Partial<Pick<ShownDiscount, OfCoupon>> {
  /** The prices of the lines that the coupon takes something off; null: of all but setup fees. */
  readonly prices?: readonly string[] | null;
}

export const InvoiceSchema = defineEntity({
  name: 'Invoice',
  tableName: 'invoice',
  ...inScope,
  partitionBy: byMonth('invoice'),
  properties: {
    ...scoped,
    ...told,
    customerId: p.idIn('customer'),
    customerName: p.text(),
    customerEmail: p.text().nullable(),
    subscriptionId: p.idIn('subscription').nullable(),
    /** The number of the cycle it bills; null on a standalone invoice. */
    cycle: p.integer().check('cycle >= 1').nullable(),
    /** Voided so that its cycle can be billed anew: its cycle and number are free again. */
    superseded: p.boolean().default(false),
    /** Its number among the bills of the subscription's cycles, by which discounts count; null on an invoice that bills no cycle. */
    billNumber: p.integer().check('bill_number >= 1').nullable(),
    status: p.enum(invoiceStatuses),
    billingReason: p.text().$type<(typeof billingReasons)[number]>(),
    total: p.whole().check('total >= 0'),
    amountPaid: p.whole().default(0),
    amountRefunded: p.whole().default(0),
    /** What banks took back unasked and did not give back. */
    amountDisputed: p.whole().default(0),
    paymentIntentId: p.idIn('payment_intent', { deferred: true }).nullable(),
    externalCode: p.text().nullable(),
    description: p.text().nullable(),
    lineItems: p.jsonText<StoredLine[]>(),
    discounts: p.jsonText<InvoiceDiscount[]>().defaultRaw(`'[]'`),
    credits: p.jsonText<StoredCredit[]>().defaultRaw(`'[]'`),
    metadata: p.jsonText<Record<string, unknown>[]>().defaultRaw(`'[]'`),
    /** What it costs to pay it late, frozen as it was opened; null: nothing. */
    lateFees: p.jsonText<LateFees>().nullable(),
    /** What was paid for that, and is part of the total since then: the lines stay those that it was opened with. */
    lateFine: p.whole().default(0).check('late_fine >= 0'),
    lateInterest: p.whole().default(0).check('late_interest >= 0'),
    dueAt: p.whole(),
    /** From then on it takes no payment: the deadline of its checkout session. */
    payableUntil: p.whole().nullable(),
    periodStart: p.whole().nullable(),
    periodEnd: p.whole().nullable(),
    finalizedAt: p.whole().nullable(),
    paidAt: p.whole().nullable(),
    markedUncollectibleAt: p.whole().nullable(),
    voidedAt: p.whole().nullable(),
    /** How it is collected while it is open. */
    collection: p.enum(collections).default('once'),
    /** By which days, frozen as it was opened; null: nobody opened it. */
    collectionDays: p.jsonText<CollectionDays>().nullable(),
    /** Charges that were scheduled and made. */
    charges: p.integer().default(0).check('charges >= 0'),
    nextChargeAt: p.whole().nullable(),
    /** When the acquirer is asked next what became of its debit by mandate. */
    debitLookAt: p.whole().nullable(),
    /** When and why such a charge was declined first; null: none was. */
    firstDeclinedAt: p.whole().nullable(),
    firstDeclineReason: p.text().$type<DeclineReason>().nullable(),
    /** Reminders that were sent or left out. */
    reminders: p.integer().default(0).check('reminders >= 0'),
    overdueAt: p.whole().nullable(),
    /** Whether its steps are those of its subscription's case, from the first failed charge or the first overdue day on. */
    inCase: p.boolean().default(false),
    /** What is done with it next by itself, and when; null: nothing, or what decides on it is still in flight. */
    step: p.enum(stepKinds).nullable(),
    stepAt: p.whole().nullable(),
    /** The same in real seconds; null while the account's clock is held. */
    wakeAt: p.whole().nullable(),
    /** That of its subscription, so that one run takes what is due of both. */
    shard: shardBy('coalesce(subscription_id, id)'),
  },
  uniques: [scopeKey],
  indexes: [
    index('invoice_customer', ['customerId', 'id']),
    index('invoice_subscription', ['subscriptionId', 'id'], 'subscription_id IS NOT NULL'),
    index('invoice_code', ['accountId', 'liveMode', 'externalCode'], 'external_code IS NOT NULL'),
    // Of few statuses there are few: a page of them is found without a look at all that is paid.
    index('invoice_status', ['accountId', 'liveMode', 'status', 'id'], `status <> 'paid'`),
    index('invoice_in_case', ['subscriptionId', 'id'], 'in_case'),
    index('invoice_paid_since', ['accountId', 'liveMode', 'paidAt'], 'paid_at IS NOT NULL'),
    index('invoice_total', ['accountId', 'liveMode', 'total', 'id']),
    index('invoice_suspended', ['accountId', 'liveMode', 'id'], `status = 'open' AND collection = 'suspended'`),
    // Both with what a sum of them reads.
    index('invoice_due', ['accountId', 'liveMode', 'dueAt', 'total', 'collection'], `status = 'open'`),
    index(
      'invoice_declined_since',
      ['accountId', 'liveMode', 'firstDeclinedAt', 'firstDeclineReason', 'status', 'total'],
      'first_declined_at IS NOT NULL',
    ),
    index('invoice_of_payment_intent_id', ['paymentIntentId'], 'payment_intent_id IS NOT NULL'),
    ...waitingIndexes('invoice', 'stepAt'),
  ],
  checks: [
    check('invoice_paid_whole', 'amount_paid = 0 OR amount_paid = total'),
    check('invoice_refunded', 'amount_refunded BETWEEN 0 AND amount_paid'),
    check('invoice_disputed', 'amount_disputed BETWEEN 0 AND amount_paid - amount_refunded'),
    check('invoice_paid_at', `(status = 'paid') = (paid_at IS NOT NULL)`),
    check('invoice_unpaid', `status = 'paid' OR amount_paid = 0`),
    check('invoice_late', `late_fine + late_interest <= total AND (status = 'paid' OR late_fine + late_interest = 0)`),
    check('invoice_paid', `status <> 'paid' OR amount_paid = total`),
    check('invoice_of_cycle', 'subscription_id IS NOT NULL OR cycle IS NULL'),
    check('invoice_first_decline', '(first_declined_at IS NULL) = (first_decline_reason IS NULL)'),
    check('invoice_superseded', `NOT superseded OR (status = 'void' AND cycle IS NOT NULL)`),
    check('invoice_bill', '(cycle IS NULL) = (bill_number IS NULL)'),
    check('invoice_step_at', '(step IS NULL) = (step_at IS NULL)'),
    check('invoice_step_of_open', `step IS NULL OR status = 'open'`),
    check('invoice_wake', 'step_at IS NOT NULL OR wake_at IS NULL'),
  ],
});

export type Invoice = InferEntity<typeof InvoiceSchema>;

/** The invoice that bills a cycle: no index of a table of months tells that there is one. Triggers of the invoice keep it. */
export const InvoiceCycleSchema = defineEntity({
  name: 'InvoiceCycle',
  tableName: 'invoice_cycle',
  ...inScope,
  properties: {
    subscriptionId: p.id().primary(),
    cycle: p.integer().primary(),
    accountId: p.id(),
    liveMode: p.boolean(),
    invoiceId: p.id(),
  },
});

/** The invoice that has a code of the merchant's own, likewise. */
export const InvoiceExternalCodeSchema = defineEntity({
  name: 'InvoiceExternalCode',
  tableName: 'invoice_external_code',
  ...inScope,
  properties: {
    accountId: p.id().primary(),
    liveMode: p.boolean().primary(),
    externalCode: p.text().primary(),
    invoiceId: p.id(),
  },
});
