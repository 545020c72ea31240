import type { Fatura, PaymentIntent, RefundReason } from '@fatura/sdk';
import type { SendOptions } from '../../parts/act.ts';
import { centsOf } from '../../texts/numbers.ts';

export const refundReasons: readonly RefundReason[] = [
  'requested_by_customer',
  'duplicate',
  'fraudulent',
  'product_not_delivered',
  'other',
];

/** What a person wants to return, as they fill it in. */
export interface RefundOrder {
  /** As it was written; null: all that is left. */
  readonly amountText: string | null;
  readonly reason: RefundReason;
  /** Whether the subscription is cancelled too. */
  readonly cancels: boolean;
  /** Whether the buyer is told afterwards. */
  readonly tells: boolean;
}

export const NEW_ORDER: RefundOrder = {
  amountText: null,
  reason: 'requested_by_customer',
  cancels: false,
  tells: true,
};

/** What is sent once the person has seen it in one sentence. */
export interface SentRefund {
  readonly payment: string;
  readonly amount: number;
  /** What was left when the person decided. Cents. */
  readonly left: number;
  readonly reason: RefundReason;
  /** The subscription to cancel; null: none. */
  readonly subscription: string | null;
}

const PIX_DAYS = 90;
const DAY_SECONDS = 86_400;

/** Until when a PIX can be returned; null: it is none. Unix seconds. */
export const pixWindowEnd = ({ payment_method_type: type, status_transitions: { paid_at } }: PaymentIntent) =>
  type === 'pix' && paid_at !== null ? paid_at + PIX_DAYS * DAY_SECONDS : null;

/** What the order comes to; null: no amount, or more than is left. */
export function centsToSend({ amountText }: RefundOrder, left: number): number | null {
  const cents = amountText === null ? left : centsOf(amountText);
  return cents !== null && cents > 0 && cents <= left ? cents : null;
}

/** What became of it: the money is on its way, whatever became of the subscription. */
export interface RefundOutcome {
  readonly sent: SentRefund;
  /** Why the subscription is not cancelled; null: it is, or should not be. */
  readonly cancelError: unknown;
}

/** Returns the money, then cancels. A repeat after a lost answer is the same body under the same key, and returns nothing anew. */
export async function sendRefund(
  fatura: Fatura,
  sent: SentRefund,
  { idempotencyKey }: SendOptions,
): Promise<RefundOutcome> {
  const { payment, amount, left, reason, subscription } = sent;
  await fatura.refunds.create(
    { payment_intent: payment, amount, expected_remaining: left, reason },
    { idempotencyKey },
  );
  try {
    if (subscription !== null) await fatura.subscriptions.cancel(subscription);
    return { sent, cancelError: null };
  } catch (cancelError) {
    return { sent, cancelError };
  }
}
