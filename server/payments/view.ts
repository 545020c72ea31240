import type { PaymentIntent as PaymentIntentView, PaymentMethod } from '../../contract/payments.ts';
import type { PaymentIntent, PixCharge } from './entity.ts';

/** The charge as its retrieval answers it (spec, Payment intent); that it is surplus stays private. */
export function viewIntent(intent: PaymentIntent): PaymentIntentView {
  return {
    id: intent.id,
    object: 'payment_intent',
    amount: intent.amount,
    amount_refunded: intent.amountRefunded,
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
    payment_method_type: intent.paymentMethodType ?? null,
    status: intent.status,
    status_transitions: {
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

/** The payment method of a PIX checkout's answer (spec, Payment method). */
export function viewPixMethod(qr: PixCharge, shown: { copyPaste: string; image: string }): PaymentMethod {
  return {
    id: qr.paymentMethodId,
    object: 'payment_method',
    type: 'pix',
    pix: { qr_code: shown.image, pix_copy_paste: shown.copyPaste, expires: qr.expiresAt },
    created: qr.created,
  };
}
