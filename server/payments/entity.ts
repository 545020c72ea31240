import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { disputeFunds, disputeKinds, disputeReasons, disputeStatuses } from '../../contract/disputes.ts';
import { declineReasons } from '../../contract/errors.ts';
import { cardBrands } from '../../contract/payment-methods.ts';
import { paymentIntentStatuses } from '../../contract/payments.ts';
import { refundPartStatuses, refundReasons } from '../../contract/refunds.ts';
import { scoped, scopeFilter, told } from '../db/scoped.ts';

export const PaymentIntentSchema = defineEntity({
  name: 'PaymentIntent',
  tableName: 'payment_intent',
  filters: scopeFilter,
  properties: {
    ...scoped,
    ...told,
    invoiceId: p.string(),
    customerId: p.string(),
    subscriptionId: p.string().nullable(),
    status: p.enum(paymentIntentStatuses),
    /** A receipt that the invoice does not need: it is returned by itself and counts in none of the invoice's amounts. */
    surplus: p.boolean(),
    amount: p.bigint('number'),
    amountRefunded: p.bigint('number'),
    /** What the bank took back unasked and did not give back. */
    amountDisputed: p.bigint('number'),
    paymentMethodType: p.enum(['pix', 'card'] as const).nullable(),
    installments: p.integer(),
    attempts: p.integer(),
    maxAttempts: p.integer(),
    /** Whether it is a charge of a renewal's schedule: a checkout's has one attempt (docs/product/payments.md#attempts-and-schedules). */
    isScheduled: p.boolean(),
    nextAttempt: p.bigint('number').nullable(),
    declineReason: p.enum(declineReasons).nullable(),
    dueAt: p.bigint('number'),
    processingAt: p.bigint('number').nullable(),
    paidAt: p.bigint('number').nullable(),
    failedAt: p.bigint('number').nullable(),
    refundingAt: p.bigint('number').nullable(),
    refundedAt: p.bigint('number').nullable(),
    discardedAt: p.bigint('number').nullable(),
  },
});

export type PaymentIntent = InferEntity<typeof PaymentIntentSchema>;

/** The QR code of a PIX intent; its id is the txid at the acquirer. */
export const QrCodeSchema = defineEntity({
  name: 'QrCode',
  tableName: 'pix_charge',
  filters: scopeFilter,
  properties: {
    ...scoped,
    intentId: p.string(),
    invoiceId: p.string(),
    paymentMethodId: p.string(),
    amount: p.bigint('number'),
    expiresAt: p.bigint('number'),
    copyPaste: p.string().nullable(),
    state: p.enum(['creating', 'active', 'retiring', 'ended'] as const),
    /** When the acquirer confirmed a payment that it has not settled yet. */
    confirmedAt: p.bigint('number').nullable(),
  },
});

export type QrCode = InferEntity<typeof QrCodeSchema>;

/** Money the acquirer received for one of our QR codes; its id is the end-to-end id of the payment. */
export const PixReceiptSchema = defineEntity({
  name: 'PixReceipt',
  tableName: 'pix_receipt',
  filters: scopeFilter,
  properties: {
    ...scoped,
    txid: p.string(),
    invoiceId: p.string(),
    /** The intent it settled or became; null while a charge of the invoice is at the acquirer. */
    intentId: p.string().nullable(),
    amount: p.bigint('number'),
    paidAt: p.bigint('number'),
  },
});

export type PixReceipt = InferEntity<typeof PixReceiptSchema>;

/** One return of money of an intent, asked of the acquirer under `reference`. */
export const RefundPartSchema = defineEntity({
  name: 'RefundPart',
  tableName: 'refund_part',
  filters: scopeFilter,
  properties: {
    ...scoped,
    intentId: p.string(),
    invoiceId: p.string(),
    amount: p.bigint('number'),
    /** `surplus` is our own: such a part belongs to no refund. */
    reason: p.enum([...refundReasons, 'surplus'] as const),
    status: p.enum(refundPartStatuses),
    /** The id the acquirer knows this return by; a refused one is asked again under a new one. */
    reference: p.string(),
    /** How often the acquirer was asked under a new reference. */
    requests: p.integer(),
    /** On the account's clock: not asked again before. */
    retryAt: p.bigint('number').nullable(),
    completedAt: p.bigint('number').nullable(),
  },
});

export type RefundPart = InferEntity<typeof RefundPartSchema>;

/** Money of an intent that the bank took back unasked; of a PIX, one for each return that no refund part asked for. */
export const DisputeSchema = defineEntity({
  name: 'Dispute',
  tableName: 'dispute',
  filters: scopeFilter,
  properties: {
    ...scoped,
    ...told,
    intentId: p.string(),
    invoiceId: p.string(),
    customerId: p.string(),
    amount: p.bigint('number'),
    method: p.enum(['pix', 'card'] as const),
    kind: p.enum(disputeKinds),
    reason: p.enum(disputeReasons),
    status: p.enum(disputeStatuses),
    funds: p.enum(disputeFunds),
    evidenceDueBy: p.bigint('number').nullable(),
    closedAt: p.bigint('number').nullable(),
    /** When the bank took the money, and when it gave the money back. */
    withdrawnAt: p.bigint('number').nullable(),
    reinstatedAt: p.bigint('number').nullable(),
    /** The payment of a PIX, and the bank's id of its return. */
    endToEndId: p.string().nullable(),
    returnId: p.string().nullable(),
  },
});

export type Dispute = InferEntity<typeof DisputeSchema>;

/** What came of an attempt; `never_charged`: the acquirer proved that it knows nothing of it. */
const attemptStatuses = ['sent', 'approved', 'declined', 'never_charged'] as const;

/** Who began a charge, in the words of the acquirer's port. */
const initiators = ['customer', 'merchant'] as const;

/** One charge of a card, asked of the acquirer under the attempt's id. */
export const ChargeAttemptSchema = defineEntity({
  name: 'ChargeAttempt',
  tableName: 'charge_attempt',
  filters: scopeFilter,
  properties: {
    ...scoped,
    intentId: p.string(),
    invoiceId: p.string(),
    initiator: p.enum(initiators),
    /** The payment method that the checkout's answer shows. */
    paymentMethodId: p.string(),
    /** Null once the customer is anonymized, as the last digits are. */
    brand: p.enum(cardBrands).nullable(),
    last4: p.string().nullable(),
    amount: p.bigint('number'),
    installments: p.integer(),
    /** In real time: the acquirer charges nothing that reaches it later. */
    deadlineAt: p.datetime(),
    status: p.enum(attemptStatuses),
    declineReason: p.enum(declineReasons).nullable(),
    /** The acquirer's own code; never shown. */
    acquirerCode: p.string().nullable(),
    /** Whether the issuer may decide otherwise later (ABECS); only such declines are retried. */
    isReversible: p.boolean().nullable(),
    /** In real time: when no answer came. */
    unknownAt: p.datetime().nullable(),
    completedAt: p.bigint('number').nullable(),
  },
});

export type ChargeAttempt = InferEntity<typeof ChargeAttemptSchema>;

/** A card that the service may charge again, by the acquirer's token; all null once its customer is anonymized. */
export const PaymentMethodSchema = defineEntity({
  name: 'PaymentMethod',
  tableName: 'payment_method',
  filters: scopeFilter,
  properties: {
    ...scoped,
    customerId: p.string(),
    token: p.string().nullable().persist(false),
    /** The token, sealed; null: it was erased. */
    sealedToken: p.blob().nullable(),
    brand: p.enum(cardBrands).nullable(),
    last4: p.string().nullable(),
  },
});

export type PaymentMethod = InferEntity<typeof PaymentMethodSchema>;

/** One row for each intent of which a part stands, made by the database; the oldest of them gives it its instant and its place. */
export const RefundSchema = defineEntity({
  name: 'Refund',
  tableName: 'refund',
  filters: scopeFilter,
  properties: {
    ...scoped,
    firstPartId: p.string(),
  },
});

export type Refund = InferEntity<typeof RefundSchema>;
