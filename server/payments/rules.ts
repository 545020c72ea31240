import type { disputeFunds } from '../../contract/disputes.ts';
import type { InvoiceStatus } from '../../contract/invoices.ts';
import type { PaymentIntentStatus } from '../../contract/payments.ts';
import type { RefundBound } from '../kernel/account.ts';
import { BillingError } from '../kernel/errors.ts';
import { DAY, HOUR, MINUTE, type Timestamp } from '../kernel/time.ts';

type DisputeFunds = (typeof disputeFunds)[number];

export type IntentAction =
  | 'send_to_acquirer'
  | 'settle'
  | 'decline'
  | 'schedule'
  | 'discard'
  | 'ask_return'
  | 'end_return_whole'
  | 'end_return_in_part'
  | 'revoke_return';

/** Every move a payment intent can make (docs/product/payments.md#moves-of-an-intent); a move not listed cannot happen. */
const intentMoves = {
  pending: {
    schedule: 'scheduled',
    send_to_acquirer: 'processing',
    settle: 'paid',
    decline: 'failed',
    discard: 'discarded',
  },
  scheduled: { settle: 'paid', decline: 'failed', discard: 'discarded' },
  processing: { settle: 'paid', decline: 'failed' },
  failed: { schedule: 'scheduled', send_to_acquirer: 'processing', discard: 'discarded' },
  paid: { ask_return: 'refunding', end_return_whole: 'refunded', revoke_return: 'paid' },
  refunding: {
    ask_return: 'refunding',
    end_return_whole: 'refunded',
    end_return_in_part: 'paid',
    revoke_return: 'refunding',
  },
  refunded: { revoke_return: 'paid' },
  discarded: {},
} as const satisfies Record<PaymentIntentStatus, Partial<Record<IntentAction, PaymentIntentStatus>>>;

/** Where an action leads from a status. Use cases refuse what may not be asked; a move that leads nowhere is a fault of theirs. */
export function nextStatus(
  intent: { id: string; status: PaymentIntentStatus },
  action: IntentAction,
): PaymentIntentStatus {
  const moves: Partial<Record<IntentAction, PaymentIntentStatus>> = intentMoves[intent.status];
  const next = moves[action];
  if (next === undefined) {
    throw new Error(`${intent.id} is ${intent.status}: "${action.replaceAll('_', ' ')}" leads nowhere from there`);
  }
  return next;
}

const unsettled: readonly PaymentIntentStatus[] = ['pending', 'scheduled', 'processing', 'failed'];

/** Whether a charge may still be paid, or is on its way (docs/product/payments.md#payment-intents). */
export const isUnsettled = (status: PaymentIntentStatus): boolean => unsettled.includes(status);

/** Whether an invoice takes payment: open, and uncollectible as well (docs/product/invoices.md#moves). */
export const acceptsPayment = (status: InvoiceStatus): boolean => status === 'open' || status === 'uncollectible';

/** Shortest life of a QR code: the lower end of the account's setting (docs/product/pix.md#life-of-a-qr-code). */
const QR_VALIDITY_MIN = 5 * MINUTE;

/** When a new QR code ends. */
export const qrExpiresAt = (now: Timestamp, validitySeconds: number): Timestamp =>
  now + Math.max(QR_VALIDITY_MIN, validitySeconds);

/** A renewal's can be paid until its suspension day, and for a day at least (docs/product/pix.md#life-of-a-qr-code). */
export const renewalQrExpiresAt = (now: Timestamp, suspendsAt: Timestamp): Timestamp => Math.max(suspendsAt, now + DAY);

/** A QR code ends by comparison, at its very instant, before anything runs. */
export const isExpired = (qr: { expiresAt: Timestamp }, now: Timestamp): boolean => qr.expiresAt <= now;

/** `creating`: the acquirer has not answered yet; `retiring`: never handed out again, the acquirer is asked to end it; `ended`: paid, or ended at the acquirer. */
export type QrState = 'creating' | 'active' | 'retiring' | 'ended';

/** What a checkout does with the QR code that stands. */
export type QrUse = 'hand_out' | 'finish_creating' | 'ask_acquirer_first' | 'replace';

/** Reads the rule of docs/product/pix.md#checkout-by-pix; null: the invoice has none. */
export function qrUse(qr: { state: QrState; expiresAt: Timestamp } | null, now: Timestamp): QrUse {
  if (qr === null || qr.state === 'ended') return 'replace';
  if (qr.state === 'retiring' || isExpired(qr, now)) return 'ask_acquirer_first';
  return qr.state === 'active' ? 'hand_out' : 'finish_creating';
}

export interface ReceiptFacts {
  /** Status of the intent whose QR code was paid. */
  readonly own: PaymentIntentStatus;
  /** Status of the invoice's unsettled intent; null when it has none. */
  readonly unsettled: PaymentIntentStatus | null;
  readonly invoice: InvoiceStatus;
  /** Whether the receipt is of the invoice's total, with what its QR code asked for late payment; an acquirer takes nothing else for such a QR code. */
  readonly isWhole: boolean;
  /** Whether it was paid while the invoice took payment: until the deadline of its checkout session, if it has one. */
  readonly isInTime: boolean;
}

export type ReceiptDecision = 'settles_intent' | 'settles_invoice' | 'surplus' | 'undecided';

/** What money that came in is for (docs/product/payments.md#receipts-and-surplus): no receipt is kept and none is lost. */
export function decideReceipt({ own, unsettled, invoice, isWhole, isInTime }: ReceiptFacts): ReceiptDecision {
  if (unsettled === 'processing') return 'undecided';
  if (!acceptsPayment(invoice) || !isWhole || !isInTime) return 'surplus';
  return own === 'pending' || own === 'scheduled' ? 'settles_intent' : 'settles_invoice';
}

export interface ReturnFacts {
  /** How the return stands at the bank. */
  readonly status: 'processing' | 'completed' | 'refused';
  /** The part of a refund that was asked for under the return's id; null: none was. */
  readonly part: 'refunding' | 'refunded' | 'failed' | null;
  /** Where the money of the dispute is that the return became; null: it became none. */
  readonly funds: DisputeFunds | null;
}

export type ReturnDecision = 'nothing' | 'look_at_refund' | 'revoke_refund' | 'reinstate' | 'dispute' | 'contradiction';

/** What a return of a payment in the bank's books is to ours (docs/product/disputes.md#returns-of-a-pix). */
export function decideReturn({ status, part, funds }: ReturnFacts): ReturnDecision {
  if (status === 'processing') return 'nothing';
  if (part === 'refunding') return 'look_at_refund';
  if (part === 'refunded') return status === 'refused' ? 'revoke_refund' : 'nothing';
  // The bank had refused it: money is gone that may have been asked for again.
  if (part === 'failed') return status === 'completed' ? 'contradiction' : 'nothing';
  if (funds !== null) return status === 'refused' && funds === 'withdrawn' ? 'reinstate' : 'nothing';
  return status === 'completed' ? 'dispute' : 'nothing';
}

/** How long after its n-th refusal a return of a surplus is asked again: an hour, then a day each time. */
export const returnRetrySeconds = (refusals: number): number => (refusals <= 1 ? HOUR : 24 * HOUR);

/** Seconds from asking an acquirer to the first look at what came of it, and the longest pause between two looks. */
const LOOK_FIRST = 5;
const LOOK_MAX = HOUR;

/** When to look again at something that has waited this long: `first` after it began, then ever more rarely. */
export const nextLookSeconds = (waitedSeconds: number, first: number = LOOK_FIRST): number =>
  waitedSeconds < first ? first - waitedSeconds : Math.min(LOOK_MAX, waitedSeconds);

/** How long an acquirer is waited for; a charge that reaches it later it refuses (docs/product/cards.md#unknown-outcome). */
export const ACQUIRER_DEADLINE = 20;
/** Between that deadline and the first look at an attempt whose end nobody told. */
export const CHARGE_MARGIN = 5;

/** Soon after no answer came, the case asks the acquirer. */
export const FIRST_LOOK = 2;

/** Looks at a charge of unknown outcome, in seconds since it is unknown; then every hour (docs/product/cards.md#unknown-outcome). */
const CHARGE_LOOKS = [FIRST_LOOK, 5, 15, MINUTE, 5 * MINUTE, 15 * MINUTE];
/** An operator is told of what an acquirer leaves open for so long. */
export const OPEN_ALARM = DAY;

/** Real seconds until the next look at a charge whose outcome is unknown for so long. */
export function nextChargeLook(unknownSeconds: number): number {
  const next = CHARGE_LOOKS.find((look) => look > unknownSeconds);
  return next === undefined ? HOUR - ((unknownSeconds - 15 * MINUTE) % HOUR) : next - unknownSeconds;
}

/** Most parts of one refund, failed ones included: each of its events shows them all. */
export const REFUND_PARTS_MAX = 200;

export function refusePartsBeyondMost(intentId: string, parts: number): void {
  if (parts < REFUND_PARTS_MAX) return;
  const message = `${intentId} was asked back in ${parts} parts; a refund has at most ${REFUND_PARTS_MAX}`;
  throw new BillingError('INVALID_STATE', { message });
}

/** A PIX can be returned for so long after its payment (docs/product/refunds.md#what-may-be-refunded). */
export const PIX_REFUND_WINDOW = 90 * DAY;

interface Refundable {
  readonly id: string;
  readonly status: PaymentIntentStatus;
  readonly surplus: boolean;
  readonly amount: number;
  readonly amountDisputed: number;
  readonly paymentMethodType?: 'pix' | 'card' | null | undefined;
  readonly paidAt?: Timestamp | null | undefined;
}

interface RefundAsked {
  /** Cents; undefined: all that is left. */
  readonly asked: number | undefined;
  /** Cents that the caller believes to be left; undefined: whatever is. */
  readonly expectedRemaining: number | undefined;
  /** Cents of the parts that did not fail. */
  readonly promised: number;
  readonly now: Timestamp;
}

/** What may be returned of a payment now; 0: nothing may. */
export function refundableOf(
  intent: Refundable,
  { parts, now }: { parts: readonly { readonly status: string; readonly amount: number }[]; now: Timestamp },
): number {
  const { status, amount, amountDisputed, paidAt } = intent;
  const isClosed = intent.paymentMethodType === 'pix' && now > (paidAt ?? now) + PIX_REFUND_WINDOW;
  const isPaid = status === 'paid' || status === 'refunding';
  if (!isPaid || isClosed || intent.surplus || parts.length >= REFUND_PARTS_MAX) return 0;
  const promised = parts.reduce((sum, part) => (part.status === 'failed' ? sum : sum + part.amount), 0);
  return Math.max(0, amount - promised - amountDisputed);
}

/** What may be returned now, of an amount asked for or of all that is left; refuses what may not (docs/product/refunds.md#what-may-be-refunded). */
export function refundAmount(intent: Refundable, { asked, expectedRemaining, promised, now }: RefundAsked): number {
  const { id, status, amount, paidAt } = intent;
  const left = Math.max(0, amount - promised - intent.amountDisputed);
  if (intent.surplus)
    throw new BillingError('INVALID_STATE', { message: `${id} is a surplus payment: it is returned by itself` });
  const wasPaid = status === 'paid' || status === 'refunding' || status === 'refunded';
  if (wasPaid && expectedRemaining !== undefined && expectedRemaining !== left)
    throw new BillingError('REMAINING_CHANGED', {
      message: `refund.expected_remaining is ${expectedRemaining}, and ${left} is left of ${id}: nothing was returned; look at the payment again`,
      param: 'refund.expected_remaining',
    });
  if (status !== 'paid' && status !== 'refunding')
    throw new BillingError('INVALID_STATE', { message: `${id} is ${status}: it has nothing to refund` });
  if (intent.paymentMethodType === 'pix' && now > (paidAt ?? now) + PIX_REFUND_WINDOW)
    throw new BillingError('REFUND_WINDOW_CLOSED', {
      message: `${id} was paid by PIX at ${paidAt}; it could be refunded for 90 days`,
      param: 'refund.payment_intent',
    });
  if (left > 0 && (asked ?? left) <= left) return asked ?? left;
  throw new BillingError('REFUND_EXCEEDS_BALANCE', {
    message: `refund.amount must be at most ${left}, what is left of ${id}${asked === undefined ? '' : `, got ${asked}`}`,
    param: 'refund.amount',
  });
}

/** Refuses a refund by which more of a payment is given back in all than whoever asks may give by themselves. */
export function refuseBeyondBound(
  bound: RefundBound | undefined,
  { intent, total }: { readonly intent: string; readonly total: number },
): void {
  if (bound === undefined || bound.most === null || total <= bound.most) return;
  const message =
    bound.beyond === 'FRESH_LOGIN_REQUIRED'
      ? `Log in again: ${total} cents of ${intent} would be given back, more than the ${bound.most} of the account's limit`
      : `Your role gives back ${bound.most} cents of one payment, and it would be ${total} of ${intent}: ask an owner or finance`;
  throw new BillingError(bound.beyond, { message, param: 'refund.amount' });
}
