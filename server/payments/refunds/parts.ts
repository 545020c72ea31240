import type { RefundReason } from '../../../contract/refunds.ts';
import { statement } from '../../db/statement.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { lockInvoice } from '../../invoices/life.ts';
import { viewInvoice } from '../../invoices/view.ts';
import { newId, newSuffix } from '../../kernel/ids.ts';
import { hook } from '../../unit-of-work/hooks.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import type { PaymentIntent, RefundPart } from '../entity.ts';
import { findIntent } from '../intents/book.ts';
import { refundParts } from '../intents/rows.ts';
import { ACQUIRER_DEADLINE, CHARGE_MARGIN, nextStatus } from '../rules.ts';
import { viewIntent, viewRefund } from '../view.ts';

/** A payment with all that was ever asked back of it, under the lock of its invoice. */
export interface RefundBook {
  readonly invoice: Invoice;
  readonly intent: PaymentIntent;
  /** Oldest first. */
  readonly parts: RefundPart[];
}

/** Called when a part has gone back, or is known not to. */
export const partEnded =
  hook<(tx: Tx, ended: { invoice: Invoice; intent: PaymentIntent; part: RefundPart }) => Promise<void>>('part-ended');

async function tellEnd(tx: Tx, { invoice, intent }: RefundBook, part: RefundPart): Promise<void> {
  for (const react of tx.reactionsAt(partEnded)) await react(tx, { invoice, intent, part });
}

const readParts = statement<RefundPart>(
  'read_refund_parts',
  `SELECT ${refundParts.columns('p')} FROM refund_part p WHERE p.intent_id = :intentId ORDER BY p.id`,
);

export async function lockRefundBook(
  tx: Tx,
  { invoiceId, intentId }: { invoiceId: string; intentId: string },
): Promise<RefundBook> {
  const [invoice, intent, parts] = await Promise.all([
    lockInvoice(tx, invoiceId),
    findIntent(tx, intentId),
    tx.query(readParts, { intentId }),
  ]);
  if (intent === null) throw new Error(`the invoice ${invoiceId} lost its intent ${intentId}`);
  return { invoice, intent, parts: parts.map((part) => tx.keep(refundParts, part)) };
}

/** What is on its way back or has gone back. */
export const standingAmount = (parts: readonly RefundPart[]): number =>
  parts.reduce((sum, part) => (part.status === 'failed' ? sum : sum + part.amount), 0);

/** Reserves money of a payment to be returned: whatever comes of the acquirer, no other part may promise it. */
function reserve(tx: Tx, intent: PaymentIntent, asked: { amount: number; reason: RefundPart['reason'] }): RefundPart {
  return tx.insert(refundParts, {
    id: newId('rp'),
    intentId: intent.id,
    invoiceId: intent.invoiceId,
    amount: asked.amount,
    reason: asked.reason,
    status: 'refunding',
    reference: newSuffix(),
  });
}

/** Returns what is there of a receipt that nothing asked for: the case `refund-settlement` asks the acquirer and sees it through. */
export function returnSurplus(tx: Tx, { intent, parts }: Pick<RefundBook, 'intent' | 'parts'>): void {
  const amount = intent.amount - standingAmount(parts) - intent.amountDisputed;
  if (amount <= 0) return;
  if (intent.status === 'paid') markRefunding(tx, intent);
  parts.push(reserve(tx, intent, { amount, reason: 'surplus' }));
  tx.enqueue({ kind: 'refund-settlement', key: intent.id });
}

function markRefunding(tx: Tx, intent: PaymentIntent): void {
  intent.status = nextStatus(intent, 'ask_return');
  intent.refundingAt = tx.now;
  tx.record('payment_intent.refunding', viewIntent(intent));
}

/** A part that a merchant asks for. PIX goes to its case; a card's case looks only if its own request does not end. */
export function askPart(
  tx: Tx,
  { intent, parts }: RefundBook,
  asked: { amount: number; reason: RefundReason },
): RefundPart {
  const part = reserve(tx, intent, asked);
  parts.push(part);
  recordRefund(tx, 'refund.created', { intent, parts });
  if (intent.paymentMethodType === 'card') {
    tx.enqueue({ kind: 'refund-settlement', key: intent.id, afterSeconds: ACQUIRER_DEADLINE + CHARGE_MARGIN });
    return part;
  }
  if (intent.status === 'paid') markRefunding(tx, intent);
  tx.enqueue({ kind: 'refund-settlement', key: intent.id });
  return part;
}

function recordRefund(
  tx: Tx,
  type: 'refund.created' | 'refund.updated',
  { intent, parts }: Pick<RefundBook, 'intent' | 'parts'>,
): void {
  const refund = viewRefund(intent, parts);
  // A refund shows its payment alone, and is found by all that the payment belongs to.
  if (refund !== null) tx.record(type, refund, [intent.invoiceId, intent.subscriptionId ?? null, intent.customerId]);
}

/** The acquirer has returned a part. */
export async function completePart(tx: Tx, book: RefundBook, part: RefundPart): Promise<void> {
  const { invoice, intent, parts } = book;
  part.status = 'refunded';
  part.completedAt = tx.now;
  part.retryAt = null;
  intent.amountRefunded += part.amount;
  if (!intent.surplus) {
    invoice.amountRefunded += part.amount;
    recordRefund(tx, 'refund.updated', { intent, parts });
    tx.record('invoice.refunded', viewInvoice(tx, invoice));
  }
  if (intent.amountRefunded === intent.amount) {
    intent.status = nextStatus(intent, 'end_return_whole');
    intent.refundedAt = tx.now;
    tx.record('payment_intent.refunded', viewIntent(intent));
  } else endReturnInPart(intent, parts);
  await tellEnd(tx, book, part);
}

/** A PIX whose last part in process has ended, with something left, is a paid one again; that has no event of its own. */
function endReturnInPart(intent: PaymentIntent, parts: readonly RefundPart[]): void {
  if (intent.status !== 'refunding' || parts.some((part) => part.status === 'refunding')) return;
  intent.status = nextStatus(intent, 'end_return_in_part');
}

/** The acquirer has refused a part that a merchant asked for: its money is there to be asked for again. */
export async function failPart(tx: Tx, book: RefundBook, part: RefundPart): Promise<void> {
  const { intent, parts } = book;
  part.status = 'failed';
  part.retryAt = null;
  endReturnInPart(intent, parts);
  recordRefund(tx, 'refund.updated', { intent, parts });
  tx.record('payment_intent.refund_failed', viewIntent(intent));
  await tellEnd(tx, book, part);
}

/** The acquirer refuses a part after all that it had returned: the money is there again. The part keeps the instant of its former end. */
export async function revokePart(tx: Tx, book: RefundBook, part: RefundPart): Promise<void> {
  const { invoice, intent } = book;
  intent.status = nextStatus(intent, 'revoke_return');
  intent.refundedAt = null;
  intent.amountRefunded -= part.amount;
  if (intent.surplus) {
    part.status = 'failed';
    return;
  }
  invoice.amountRefunded -= part.amount;
  await failPart(tx, book, part);
}

/** Whether more of a payment is asked back than the bank, which took some of it by itself, has left. */
export const isOvertaken = ({ intent, parts }: RefundBook): boolean =>
  standingAmount(parts) > intent.amount - intent.amountDisputed;

/** A part of a surplus that is more than the bank has left: what there is, if anything, is asked back instead. */
export function replacePart(tx: Tx, book: RefundBook, part: RefundPart): void {
  part.status = 'failed';
  part.retryAt = null;
  returnSurplus(tx, book);
  endReturnInPart(book.intent, book.parts);
}

/** A refused return of a surplus is asked again under a new reference: the money is not ours to keep. */
export function retryPart(tx: Tx, part: RefundPart, pauseSeconds: number): void {
  part.reference = newSuffix();
  part.requests += 1;
  part.retryAt = tx.now + pauseSeconds;
}
