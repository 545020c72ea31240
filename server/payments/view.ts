import type { Dispute as DisputeView } from '../../contract/disputes.ts';
import type { PaymentMethod } from '../../contract/payment-methods.ts';
import type { PaymentIntent as PaymentIntentView } from '../../contract/payments.ts';
import type { Refund as RefundView } from '../../contract/refunds.ts';
import type { StoredPaymentMethod } from '../../contract/stored-methods.ts';
import type { Dispute } from './disputes/entity.ts';
import type { ChargeAttempt, PaymentIntent, PaymentMethod as PaymentMethodRow, QrCode, RefundPart } from './entity.ts';

/** The charge as its retrieval answers it (docs/product/payments.md#payment-intents); that it is surplus stays private. */
export function viewIntent(intent: PaymentIntent): PaymentIntentView {
  return {
    id: intent.id,
    object: 'payment_intent',
    amount: intent.amount,
    amount_refunded: intent.amountRefunded,
    amount_disputed: intent.amountDisputed,
    attempts: intent.attempts,
    max_attempts: intent.maxAttempts,
    next_attempt: intent.nextAttempt ?? null,
    created: intent.created,
    currency: 'brl',
    customer: intent.customerId,
    decline_reason: intent.declineReason ?? null,
    due_at: intent.dueAt,
    installments: intent.installments,
    invoice: intent.invoiceId,
    live_mode: intent.liveMode,
    mandate: intent.mandateId ?? null,
    payment_method_type: intent.mandateId == null ? (intent.paymentMethodType ?? null) : 'pix_automatico',
    scheduled_for: intent.scheduledFor ?? null,
    status: intent.status,
    status_transitions: {
      scheduled_at: intent.scheduledAt ?? null,
      processing_at: intent.processingAt ?? null,
      paid_at: intent.paidAt ?? null,
      failed_at: intent.failedAt ?? null,
      refunding_at: intent.refundingAt ?? null,
      refunded_at: intent.refundedAt ?? null,
      discarded_at: intent.discardedAt ?? null,
    },
    subscription: intent.subscriptionId ?? null,
  };
}

/** The payment method of a PIX checkout's answer (docs/product/pix.md#checkout-by-pix). */
export function viewPixMethod(qr: QrCode, shown: { copyPaste: string; image: string }): PaymentMethod {
  return {
    id: qr.paymentMethodId,
    object: 'payment_method',
    type: 'pix',
    pix: { qr_code: shown.image, pix_copy_paste: shown.copyPaste, expires: qr.expiresAt },
    card: null,
    created: qr.created,
  };
}

/** The payment method of a card checkout's answer; null once its customer is anonymized. */
export function viewCardMethod(attempt: ChargeAttempt): PaymentMethod | null {
  const { paymentMethodId: id, created } = attempt;
  const brand = attempt.brand ?? null;
  const last4 = attempt.last4 ?? null;
  if (brand === null || last4 === null) return null;
  return { id, object: 'payment_method', type: 'card', pix: null, card: { brand, last4 }, created };
}

/** The stored card as its retrieval answers it (docs/product/cards.md#stored-cards); none is shown once it is erased. */
export function viewStoredCard(row: PaymentMethodRow): StoredPaymentMethod {
  const { id, brand, last4, expMonth, expYear, storedAt } = row;
  if (brand == null || last4 == null || expMonth == null || expYear == null || storedAt == null)
    throw new Error(`the card ${id} is not stored, or is erased`);
  return {
    id,
    object: 'payment_method',
    type: 'card',
    card: { brand, last4, exp_month: expMonth, exp_year: expYear },
    closed_at: row.closedAt ?? null,
    consent_ip: row.consentIp ?? null,
    created: row.created,
    customer: row.customerId,
    is_default: row.isDefault,
    live_mode: row.liveMode,
    stored_at: storedAt,
  };
}

const isStanding = (part: RefundPart): boolean => part.status !== 'failed';

/** The refund of an intent as its retrieval answers it (docs/product/refunds.md#the-refund): all its parts; null when none stands. */
export function viewRefund(intent: { id: string; liveMode: boolean }, parts: readonly RefundPart[]): RefundView | null {
  const standing = parts.filter(isStanding);
  const [first] = standing;
  if (first === undefined) return null;
  return {
    id: intent.id,
    object: 'refund',
    amount: standing.reduce((sum, part) => sum + part.amount, 0),
    currency: 'brl',
    payment_intent: intent.id,
    status: standing.some((part) => part.status === 'refunding') ? 'refunding' : 'refunded',
    live_mode: intent.liveMode,
    created: first.created,
    // A surplus is returned without a refund, so `surplus` is never among the reasons here.
    parts: parts.flatMap(({ amount, reason, status, created }) =>
      reason === 'surplus' ? [] : [{ amount, reason, status, created }],
    ),
  };
}

/** The dispute as its retrieval answers it (docs/product/disputes.md#the-dispute). */
export function viewDispute(dispute: Dispute): DisputeView {
  return {
    id: dispute.id,
    object: 'dispute',
    payment_intent: dispute.intentId,
    invoice: dispute.invoiceId,
    customer: dispute.customerId,
    amount: dispute.amount,
    currency: 'brl',
    method: dispute.method,
    kind: dispute.kind,
    reason: dispute.reason,
    status: dispute.status,
    funds: dispute.funds,
    evidence_due_by: dispute.evidenceDueBy ?? null,
    created: dispute.created,
    closed_at: dispute.closedAt ?? null,
    live_mode: dispute.liveMode,
  };
}
