import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { DeclineReason } from '../../contract/errors.ts';
import type { CardBrand } from '../../contract/payment-methods.ts';
import { paymentIntentStatuses } from '../../contract/payments.ts';
import { refundPartStatuses, type refundReasons } from '../../contract/refunds.ts';
import {
  byMonth,
  check,
  index,
  inScope,
  madeAfterItsParents,
  p,
  scoped,
  scopeFilter,
  scopeKey,
  told,
} from '../db/columns.ts';

/** The last digits of a card. */
const LAST4 = `last4 ~ '^[0-9]{4}$'`;
/** A part that belongs to a refund. */
const STANDING = `status <> 'failed' AND reason <> 'surplus'`;

export const PaymentIntentSchema = defineEntity({
  name: 'PaymentIntent',
  tableName: 'payment_intent',
  ...inScope,
  partitionBy: byMonth('payment_intent'),
  properties: {
    ...scoped,
    ...told,
    invoiceId: p.idIn('invoice'),
    customerId: p.idIn('customer'),
    subscriptionId: p.idIn('subscription').nullable(),
    status: p.enum(paymentIntentStatuses),
    /** A receipt that the invoice does not need: it is returned by itself and counts in none of the invoice's amounts. */
    surplus: p.boolean().default(false),
    amount: p.whole().check('amount > 0'),
    /** Of the amount, what is asked for beside the invoice's total, as it is charged late. */
    lateFine: p.whole().default(0).check('late_fine >= 0'),
    lateInterest: p.whole().default(0).check('late_interest >= 0'),
    amountRefunded: p.whole().default(0),
    /** What the bank took back unasked and did not give back. */
    amountDisputed: p.whole().default(0),
    paymentMethodType: p.enum(['pix', 'card'] as const).nullable(),
    installments: p.integer().default(1).check('installments BETWEEN 1 AND 12'),
    attempts: p.integer().default(0).check('attempts >= 0'),
    maxAttempts: p.integer().default(1).check('max_attempts >= 1'),
    /** Whether it is a charge of a renewal's schedule: a checkout's has one attempt (docs/product/payments.md#attempts-and-schedules). */
    isScheduled: p.boolean().default(false),
    nextAttempt: p.whole().nullable(),
    declineReason: p.text().$type<DeclineReason>().nullable(),
    /** The mandate that it is debited by; null: a QR code or a card pays it. */
    mandateId: p.idIn('mandate', { deferred: true }).nullable(),
    /** The civil day on which it is debited next, or was last. */
    scheduledFor: p.text().nullable(),
    dueAt: p.whole(),
    scheduledAt: p.whole().nullable(),
    processingAt: p.whole().nullable(),
    paidAt: p.whole().nullable(),
    failedAt: p.whole().nullable(),
    refundingAt: p.whole().nullable(),
    refundedAt: p.whole().nullable(),
    discardedAt: p.whole().nullable(),
  },
  uniques: [scopeKey],
  indexes: [
    index('payment_intent_invoice', ['invoiceId', 'id']),
    index('payment_intent_status', ['accountId', 'liveMode', 'status', 'id'], `status <> 'paid'`),
    index('payment_intent_customer', ['customerId', 'id']),
    // With what a sum of them reads: a year of sales is summed without a look at their rows.
    index(
      'payment_intent_paid_since',
      ['accountId', 'liveMode', 'paidAt', 'amount', 'paymentMethodType', 'surplus'],
      'paid_at IS NOT NULL',
    ),
    index('payment_intent_failed_since', ['accountId', 'liveMode', 'failedAt'], 'failed_at IS NOT NULL'),
    index('payment_intent_of_mandate_id', ['mandateId'], 'mandate_id IS NOT NULL'),
    index('payment_intent_of_subscription_id', ['subscriptionId'], 'subscription_id IS NOT NULL'),
  ],
  checks: [
    madeAfterItsParents('payment_intent', 'invoice_id'),
    check('payment_intent_refunded', 'amount_refunded BETWEEN 0 AND amount'),
    check('payment_intent_late', 'late_fine + late_interest <= amount'),
    check('payment_intent_disputed', 'amount_disputed BETWEEN 0 AND amount - amount_refunded'),
    check(
      'payment_intent_debit',
      `mandate_id IS NOT NULL OR (scheduled_for IS NULL AND scheduled_at IS NULL AND status <> 'scheduled')`,
    ),
    check('payment_intent_paid_at', `status NOT IN ('paid', 'refunding', 'refunded') OR paid_at IS NOT NULL`),
  ],
});

export type PaymentIntent = InferEntity<typeof PaymentIntentSchema>;

/** The QR code of a PIX intent, or its debit by mandate; its id is the txid at the acquirer. */
export const QrCodeSchema = defineEntity({
  name: 'QrCode',
  tableName: 'pix_charge',
  ...inScope,
  partitionBy: byMonth('pix_charge'),
  properties: {
    ...scoped,
    intentId: p.idIn('payment_intent'),
    invoiceId: p.idIn('invoice'),
    paymentMethodId: p.id(),
    amount: p.whole().check('amount > 0'),
    expiresAt: p.whole(),
    copyPaste: p.text().nullable(),
    state: p.enum(['creating', 'active', 'retiring', 'ended'] as const),
    /** When the acquirer confirmed a payment that it has not settled yet. */
    confirmedAt: p.whole().nullable(),
    /** Of a debit by mandate: the civil day that it was instructed for. */
    dueOn: p.text().nullable(),
  },
  uniques: [scopeKey],
  indexes: [
    index('pix_charge_intent', ['intentId', 'id']),
    index('pix_charge_invoice', ['invoiceId', 'id']),
    index('pix_charge_waiting', ['id'], `state = 'retiring' OR confirmed_at IS NOT NULL`),
  ],
  checks: [madeAfterItsParents('pix_charge', 'intent_id', 'invoice_id')],
});

export type QrCode = InferEntity<typeof QrCodeSchema>;

/** Money the acquirer received for one of our QR codes; its id is the end-to-end id of the payment. */
export const PixReceiptSchema = defineEntity({
  name: 'PixReceipt',
  tableName: 'pix_receipt',
  ...inScope,
  properties: {
    ...scoped,
    txid: p.idIn('pix_charge'),
    invoiceId: p.idIn('invoice'),
    /** The intent it settled or became; null while a charge of the invoice is at the acquirer. */
    intentId: p.idIn('payment_intent').nullable(),
    amount: p.whole().check('amount > 0'),
    paidAt: p.whole(),
  },
  uniques: [scopeKey, index('pix_receipt_intent', ['intentId'], 'intent_id IS NOT NULL')],
  indexes: [
    index('pix_receipt_txid', ['txid']),
    index('pix_receipt_listed', ['accountId', 'liveMode', 'paidAt', 'id']),
    index('pix_receipt_undecided', ['invoiceId'], 'intent_id IS NULL'),
    index('pix_receipt_of_invoice_id', ['invoiceId'], 'invoice_id IS NOT NULL'),
  ],
});

export type PixReceipt = InferEntity<typeof PixReceiptSchema>;

/** One return of money of an intent, asked of the acquirer under `reference`. */
export const RefundPartSchema = defineEntity({
  name: 'RefundPart',
  tableName: 'refund_part',
  ...inScope,
  properties: {
    ...scoped,
    intentId: p.idIn('payment_intent'),
    invoiceId: p.id(),
    amount: p.whole().check('amount > 0'),
    /** `surplus` is our own: such a part belongs to no refund. */
    reason: p.text().$type<(typeof refundReasons)[number] | 'surplus'>(),
    status: p.enum(refundPartStatuses),
    /** The id the acquirer knows this return by; a refused one is asked again under a new one. */
    reference: p.id().unique(),
    /** How often the acquirer was asked under a new reference. */
    requests: p.integer().default(1),
    /** On the account's clock: not asked again before. */
    retryAt: p.whole().nullable(),
    completedAt: p.whole().nullable(),
  },
  uniques: [scopeKey],
  indexes: [
    index('refund_part_intent', ['intentId', 'id']),
    index('refund_part_completed_since', ['accountId', 'liveMode', 'completedAt'], 'completed_at IS NOT NULL'),
    index('refund_part_unsettled', ['id'], `status = 'refunding'`),
    index('refund_part_not_failed', ['accountId', 'liveMode', 'intentId'], STANDING),
    // A refund stands in its list by the first of its parts that stands, which is found without a look at all the others.
    index('refund_part_listed', ['accountId', 'liveMode', 'id'], STANDING),
  ],
});

export type RefundPart = InferEntity<typeof RefundPartSchema>;

/** What came of an attempt; `never_charged`: the acquirer proved that it knows nothing of it. */
const attemptStatuses = ['sent', 'approved', 'declined', 'never_charged'] as const;

/** Who began a charge, in the words of the acquirer's port. */
const initiators = ['customer', 'merchant'] as const;

/** One charge of a card, asked of the acquirer under the attempt's id. */
export const ChargeAttemptSchema = defineEntity({
  name: 'ChargeAttempt',
  tableName: 'charge_attempt',
  ...inScope,
  partitionBy: byMonth('charge_attempt'),
  properties: {
    ...scoped,
    intentId: p.idIn('payment_intent'),
    invoiceId: p.idIn('invoice'),
    initiator: p.enum(initiators).default('customer'),
    /** The payment method that the checkout's answer shows. */
    paymentMethodId: p.id(),
    /** Null once the customer is anonymized, as the last digits are. */
    brand: p.text().$type<CardBrand>().nullable(),
    last4: p.text().check(LAST4).nullable(),
    amount: p.whole().check('amount > 0'),
    installments: p.integer().check('installments BETWEEN 1 AND 12'),
    /** In real time: the acquirer charges nothing that reaches it later. */
    deadlineAt: p.timestamp(),
    status: p.enum(attemptStatuses),
    declineReason: p.text().$type<DeclineReason>().nullable(),
    /** The acquirer's own code; never shown. */
    acquirerCode: p.text().nullable(),
    /** Whether the issuer may decide otherwise later (ABECS); only such declines are retried. */
    isReversible: p.boolean().nullable(),
    /** In real time: when no answer came. */
    unknownAt: p.timestamp().nullable(),
    completedAt: p.whole().nullable(),
  },
  uniques: [scopeKey],
  indexes: [
    index('charge_attempt_intent', ['intentId', 'id']),
    index('charge_attempt_last4', ['accountId', 'liveMode', 'last4', 'id'], 'last4 IS NOT NULL'),
    index('charge_attempt_sent', ['deadlineAt'], `status = 'sent'`),
    index('charge_attempt_of_invoice_id', ['invoiceId'], 'invoice_id IS NOT NULL'),
  ],
  checks: [
    madeAfterItsParents('charge_attempt', 'intent_id', 'invoice_id'),
    check('charge_attempt_completed', `(status = 'sent') = (completed_at IS NULL)`),
    check(
      'charge_attempt_declined',
      `(status IN ('declined', 'never_charged')) = (decline_reason IS NOT NULL AND is_reversible IS NOT NULL)`,
    ),
  ],
});

export type ChargeAttempt = InferEntity<typeof ChargeAttemptSchema>;

/** A card that the service may charge again, by the acquirer's token; what shows the card is null once its customer is anonymized. */
export const PaymentMethodSchema = defineEntity({
  name: 'PaymentMethod',
  tableName: 'payment_method',
  ...inScope,
  properties: {
    ...scoped,
    ...told,
    customerId: p.idIn('customer'),
    token: p.text().nullable().persist(false),
    /** The token, sealed; null: it was erased. */
    sealedToken: p.blob().nullable(),
    /** Finds the card by its token. */
    tokenIndex: p.blob().nullable(),
    brand: p.text().$type<CardBrand>().nullable(),
    last4: p.text().check(LAST4).nullable(),
    expMonth: p.integer().check('exp_month BETWEEN 1 AND 12').nullable(),
    expYear: p.integer().nullable(),
    /** Names the first charge of the card to its network, in the acquirer's words. */
    networkOrigin: p.text().nullable(),
    /** The address from which the buyer of a page agreed to the storing. */
    consentIp: p.text().nullable(),
    /** When it became the customer's: its first charge was approved, or it was verified. */
    storedAt: p.whole().nullable(),
    isDefault: p.boolean().default(false),
    /** When the acquirer told that it charges the card no more. */
    closedAt: p.whole().nullable(),
    deletedAt: p.whole().nullable(),
    /** In real time: since when its acquirer is to be asked of it, or told that it is deleted. */
    askedAt: p.timestamp().nullable(),
  },
  uniques: [scopeKey, index('payment_method_default', ['customerId'], 'is_default')],
  indexes: [
    index('payment_method_customer', ['customerId', 'id']),
    index('payment_method_token', ['tokenIndex'], 'token_index IS NOT NULL'),
    index('payment_method_asked', ['askedAt'], 'asked_at IS NOT NULL'),
  ],
  checks: [check('payment_method_is_default', 'NOT is_default OR (stored_at IS NOT NULL AND deleted_at IS NULL)')],
});

export type PaymentMethod = InferEntity<typeof PaymentMethodSchema>;

/** One row for each intent of which a part stands, made by the database; the oldest of them gives it its instant and its place. */
export const RefundSchema = defineEntity({
  name: 'Refund',
  tableName: 'refund',
  filters: scopeFilter,
  view: true,
  expression: `SELECT p.intent_id AS id, p.account_id, p.live_mode, p.created, p.id AS first_part_id
  FROM refund_part p WHERE p.status <> 'failed' AND p.reason <> 'surplus' AND NOT EXISTS (
    SELECT FROM refund_part e
    WHERE e.intent_id = p.intent_id AND e.id < p.id AND e.status <> 'failed' AND e.reason <> 'surplus')`,
  properties: {
    ...scoped,
    firstPartId: p.id(),
  },
});

export type Refund = InferEntity<typeof RefundSchema>;
