import { defineEntity, type InferEntity } from '@mikro-orm/core';
import { mandateAmountTypes, mandateEndReasons, mandateJourneys, mandateStatuses } from '../../../contract/mandates.ts';
import { check, index, inScope, p, scoped, scopeKey, told } from '../../db/columns.ts';

/** What a buyer authorised to be debited each period. Read and written behind the lock of its subscription alone. */
export const MandateSchema = defineEntity({
  name: 'Mandate',
  tableName: 'mandate',
  ...inScope,
  properties: {
    ...scoped,
    ...told,
    subscriptionId: p.idIn('subscription'),
    customerId: p.idIn('customer'),
    status: p.enum(mandateStatuses).default('pending'),
    journey: p.enum(mandateJourneys),
    amountType: p.enum(mandateAmountTypes).default('variable'),
    /** Cents, as the next. */
    amount: p.whole().nullable().check('amount > 0'),
    minimumAmount: p.whole().nullable().check('minimum_amount > 0'),
    interval: p.enum(['week', 'month'] as const),
    intervalCount: p.integer().check('interval_count >= 1'),
    /** A civil day. */
    startsOn: p.text(),
    /** The calendar of the cycles that it debits; null before the first debit. */
    billingCycleAnchor: p.whole().nullable(),
    /** Where the acquirer serves it; null until that is made. */
    place: p.text().nullable(),
    /** The acquirer's id; null until it is made. */
    bankRef: p.text().nullable(),
    /** The QR code that is paid in the act of authorising. */
    firstTxid: p.idIn('pix_charge', { deferred: true }).nullable(),
    copyPaste: p.text().nullable(),
    /** Until when it may be authorised. */
    expiresAt: p.whole(),
    activatedAt: p.whole().nullable(),
    endedAt: p.whole().nullable(),
    endReason: p.enum(mandateEndReasons).nullable(),
    /** ISPB of the bank of the buyer. */
    payerBank: p.text().nullable(),
    /** In real time: since when the acquirer is to be asked of it, or told that it has ended. */
    askedAt: p.timestamp().nullable(),
  },
  uniques: [
    scopeKey,
    index('mandate_open', ['subscriptionId'], `status IN ('pending', 'active')`),
    index('mandate_bank_ref', ['accountId', 'liveMode', 'bankRef'], 'bank_ref IS NOT NULL'),
  ],
  indexes: [
    index('mandate_subscription', ['subscriptionId', 'id']),
    index('mandate_customer', ['customerId', 'id']),
    index('mandate_of_first_txid', ['firstTxid'], 'first_txid IS NOT NULL'),
    index('mandate_pending', ['expiresAt'], `status = 'pending'`),
    index('mandate_asked', ['askedAt'], 'asked_at IS NOT NULL'),
  ],
  checks: [
    check('mandate_amount', `(amount_type = 'fixed') = (amount IS NOT NULL)`),
    check('mandate_first', `journey = 'first_payment' OR first_txid IS NULL`),
    check('mandate_made', '(bank_ref IS NULL) = (copy_paste IS NULL) AND (bank_ref IS NULL OR place IS NOT NULL)'),
    check('mandate_active', `(activated_at IS NULL) = (status IN ('pending', 'failed')) OR status = 'ended'`),
    check('mandate_over', `(ended_at IS NULL) = (status IN ('pending', 'active'))`),
    check('mandate_end_reason', '(ended_at IS NULL) = (end_reason IS NULL)'),
  ],
});

export type Mandate = InferEntity<typeof MandateSchema>;
