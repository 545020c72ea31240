import type { InvoiceStatus } from '../../contract/invoices.ts';
import type { PaymentIntentStatus } from '../../contract/payments.ts';
import { BillingError } from '../kernel/errors.ts';
import { HOUR, MINUTE, type Timestamp } from '../kernel/time.ts';

export type IntentAction =
  | 'send_to_acquirer'
  | 'settle'
  | 'decline'
  | 'discard'
  | 'ask_return'
  | 'end_return_whole'
  | 'end_return_in_part';

/** Every move a payment intent can make (decisions §3); a move not listed cannot happen. */
export const intentMoves = {
  pending: { send_to_acquirer: 'processing', settle: 'paid', discard: 'discarded' },
  processing: { settle: 'paid', decline: 'failed' },
  failed: { send_to_acquirer: 'processing', discard: 'discarded' },
  paid: { ask_return: 'refunding', end_return_whole: 'refunded' },
  refunding: { ask_return: 'refunding', end_return_whole: 'refunded', end_return_in_part: 'paid' },
  refunded: {},
  discarded: {},
} as const satisfies Record<PaymentIntentStatus, Partial<Record<IntentAction, PaymentIntentStatus>>>;

/** Where an action leads from a status; 409 INVALID_STATE when it leads nowhere. */
export function nextStatus(
  intent: { id: string; status: PaymentIntentStatus },
  action: IntentAction,
): PaymentIntentStatus {
  const moves: Partial<Record<IntentAction, PaymentIntentStatus>> = intentMoves[intent.status];
  const next = moves[action];
  if (next === undefined) {
    const message = `${intent.id} is ${intent.status}: "${action.replaceAll('_', ' ')}" leads nowhere from there`;
    throw new BillingError('INVALID_STATE', { message });
  }
  return next;
}

/** Whether an invoice takes payment: the spec's open, and uncollectible by extension (decisions §3). */
export const acceptsPayment = (status: InvoiceStatus): boolean => status === 'open' || status === 'uncollectible';

/** Shortest life of a QR code: the lower end of the account's setting (decisions §3, PIX). */
export const QR_VALIDITY_MIN = 5 * MINUTE;

/** When a new QR code ends. */
export const qrExpiresAt = (now: Timestamp, validitySeconds: number): Timestamp =>
  now + Math.max(QR_VALIDITY_MIN, validitySeconds);

/** A QR code ends by comparison, at its very instant, before anything runs. */
export const isExpired = (qr: { expiresAt: Timestamp }, now: Timestamp): boolean => qr.expiresAt <= now;

/** `creating`: the bank has not answered yet; `retiring`: never handed out again, the bank is asked to end it; `ended`: paid, or ended at the bank. */
export type QrState = 'creating' | 'active' | 'retiring' | 'ended';

/** What a checkout does with the QR code that stands. */
export type QrUse = 'hand_out' | 'finish_creating' | 'ask_bank_first' | 'replace';

/** Reads the rule of decisions §3 "PIX checkout, in order"; null: the invoice has none. */
export function qrUse(qr: { state: QrState; expiresAt: Timestamp } | null, now: Timestamp): QrUse {
  if (qr === null || qr.state === 'ended') return 'replace';
  if (qr.state === 'retiring' || isExpired(qr, now)) return 'ask_bank_first';
  return qr.state === 'active' ? 'hand_out' : 'finish_creating';
}

export interface ReceiptFacts {
  /** Status of the intent whose QR code was paid. */
  readonly own: PaymentIntentStatus;
  /** Status of the invoice's unsettled intent; null when it has none. */
  readonly unsettled: PaymentIntentStatus | null;
  readonly invoice: InvoiceStatus;
  /** Whether the receipt is of the invoice's total; a bank takes nothing else for such a QR code. */
  readonly isWhole: boolean;
}

export type ReceiptDecision = 'settles_intent' | 'settles_invoice' | 'surplus' | 'undecided';

/** What money that came in is for (decisions §3): no receipt is kept and none is lost. */
export function decideReceipt({ own, unsettled, invoice, isWhole }: ReceiptFacts): ReceiptDecision {
  if (unsettled === 'processing') return 'undecided';
  if (!acceptsPayment(invoice) || !isWhole) return 'surplus';
  return own === 'pending' ? 'settles_intent' : 'settles_invoice';
}

/** How long after its n-th refusal a return of a surplus is asked again: an hour, then a day each time. */
export const returnRetrySeconds = (refusals: number): number => (refusals <= 1 ? HOUR : 24 * HOUR);

/** Shortest and longest pause between two looks at what a bank has under way. */
const LOOK_MIN = 5;
const LOOK_MAX = HOUR;

/** When to look again at something that has waited this long: often at first, then ever more rarely. */
export const nextLookSeconds = (waitedSeconds: number): number => Math.min(LOOK_MAX, Math.max(LOOK_MIN, waitedSeconds));
