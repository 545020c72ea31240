import type { DeclineReason } from '../../../contract/errors.ts';
import { keyed, mine, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { collectionDaysOf } from '../../invoices/days.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { lateOf } from '../../invoices/late-fees.ts';
import { lockInvoice, park, payInvoice } from '../../invoices/life.ts';
import { billedOf, maxCharges } from '../../invoices/rules.ts';
import { viewInvoice } from '../../invoices/view.ts';
import { raiseAlarm } from '../../kernel/alarms.ts';
import { newIdAfter } from '../../kernel/ids.ts';
import { realTimeMs, SECOND_MS } from '../../kernel/time.ts';
import { hook } from '../../unit-of-work/hooks.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import type {
  AcquirerAnswer,
  CardToken,
  ChargeAnswer,
  ChargeOutcome,
  ChargeSeries,
  Initiator,
} from '../acquirer/port.ts';
import type { ChargeAttempt, PaymentIntent } from '../entity.ts';
import { newIntent, settleIntent } from '../intents/book.ts';
import { attempts, intents, paymentMethods } from '../intents/rows.ts';
import { decideWaiting, undecidedReceipts } from '../pix/receipts.ts';
import { ACQUIRER_DEADLINE, CHARGE_MARGIN, FIRST_LOOK, nextStatus } from '../rules.ts';
import { viewIntent } from '../view.ts';
import { keepCard, letGo } from './stored.ts';

/** A card to charge, under the payment method that it is shown as. */
export interface ChargedCard extends Pick<CardToken, 'token' | 'brand' | 'last4'> {
  readonly paymentMethodId: string;
  /** Names the first charge of it to its network; null: there was none that the acquirer named. */
  readonly origin: string | null;
}

/**
 * Sends a charge to the acquirer, in the transaction before the call: whatever happens afterwards, its case asks what
 * became of the attempt.
 */
export function openAttempt(
  tx: Tx,
  intent: PaymentIntent,
  { card, initiator }: { card: ChargedCard; initiator: Initiator },
): ChargeAttempt {
  intent.status = nextStatus(intent, 'send_to_acquirer');
  intent.processingAt = tx.now;
  intent.attempts += 1;
  intent.nextAttempt = null;
  intent.declineReason = null;
  tx.record('payment_intent.processing', viewIntent(intent));
  const attempt = tx.insert(attempts, {
    id: newIdAfter('ca', intent.id),
    intentId: intent.id,
    invoiceId: intent.invoiceId,
    initiator,
    paymentMethodId: card.paymentMethodId,
    brand: card.brand,
    last4: card.last4,
    amount: intent.amount,
    installments: intent.installments,
    deadlineAt: new Date(realTimeMs() + ACQUIRER_DEADLINE * SECOND_MS),
    status: 'sent',
  });
  tx.enqueue({ kind: 'charge-reconciliation', key: intent.id, afterSeconds: ACQUIRER_DEADLINE + CHARGE_MARGIN });
  // The request that begins a scheduled charge is answered without its outcome.
  if (initiator === 'customer') tx.lease(attempt.id);
  return attempt;
}

/** Charges between the two transactions; idempotent by the attempt's id. */
function sendAttempt(
  deps: Deps,
  scope: Scope,
  { attempt, token, cvc, series }: OpenedCharge,
): Promise<AcquirerAnswer<ChargeAnswer>> {
  const { id: reference, invoiceId: orderId, initiator, amount, installments, deadlineAt } = attempt;
  const deadlineMs = deadlineAt.getTime();
  const request = { reference, orderId, initiator, token, cvc, amount, installments, series, deadlineMs };
  return deps.ask(scope, 'card', (acquirer, merchant) => acquirer.chargeCard(merchant, request));
}

/** A proof that the acquirer charged nothing counts as a decline that may be tried again (docs/product/cards.md#unknown-outcome). */
export const NEVER_CHARGED = { status: 'never_charged' } as const;
export type AttemptOutcome = ChargeOutcome | typeof NEVER_CHARGED;

/** A charge as it stands under the lock of its invoice. */
export interface ChargeRecord {
  readonly invoice: Invoice;
  readonly intent: PaymentIntent;
  readonly attempt: ChargeAttempt;
}

/** In one statement, for a renewal reads nothing else; an intent has no column that JSON would change. */
const readAttempt = keyed<AttemptRow>(
  'read_attempt',
  (isAsked) =>
    `SELECT ${attempts.columns('c')},
       (SELECT row_to_json(p) FROM (SELECT ${intents.columns('p')} FROM payment_intent p WHERE p.id = c.intent_id) p) AS intent,
       EXISTS(SELECT FROM pix_receipt r WHERE r.invoice_id = c.invoice_id AND r.intent_id IS NULL) AS "hasWaiting"
     FROM charge_attempt c WHERE ${isAsked('c.id')}`,
);

interface AttemptRow extends ChargeAttempt {
  intent: PaymentIntent;
  hasWaiting: boolean;
}

/** Names an attempt with what it hangs on. */
export type AttemptRef = Pick<ChargeAttempt, 'id' | 'intentId' | 'invoiceId'>;

/** The charge under the lock of its invoice. */
export async function readRecord(tx: Tx, ref: AttemptRef): Promise<ChargeRecord & { hasWaiting: boolean }> {
  // The lock is on the wire first, so the read behind it sees what its former holder committed.
  const [invoice, row] = await Promise.all([lockInvoice(tx, ref.invoiceId), tx.find(readAttempt, ref.id)]);
  if (row === undefined) throw new Error(`the attempt ${ref.id} is not in our books`);
  const { intent, hasWaiting, ...attempt } = row;
  return { invoice, intent: tx.keep(intents, intent), attempt: tx.keep(attempts, attempt), hasWaiting };
}

/** The second transaction: books what became of an attempt, once, whoever learnt it first; then decides what waited for it. */
export async function applyOutcome(tx: Tx, ref: AttemptRef, outcome: AttemptOutcome): Promise<ChargeRecord> {
  const { hasWaiting, ...record } = await readRecord(tx, ref);
  const { invoice, intent, attempt } = record;
  if (attempt.status !== 'sent') return record;
  const waiting = hasWaiting ? await undecidedReceipts(tx, invoice.id) : [];
  attempt.status = outcome.status;
  attempt.completedAt = tx.now;
  if (outcome.status === 'approved') await approve(tx, record, outcome);
  else await decline(tx, record, outcome);
  tx.writeRow(deleteReconciliations, intent.id);
  if (waiting.length === 0) return record;
  const unsettled = intent.status === 'failed' ? intent : null;
  await decideWaiting(tx, { invoice, intent: unsettled, qr: null, isConfirmed: false }, waiting);
  return record;
}

const deleteReconciliations = statement(
  'delete_reconciliations',
  `DELETE FROM outbox WHERE kind = 'charge-reconciliation' AND key = ANY (ARRAY(SELECT json_array_elements_text(:rows::json)))`,
);

/** A card that its buyer paid a subscription with is stored from now on. */
async function storeCharged(tx: Tx, id: string, origin: string | null): Promise<void> {
  const card = await tx.lock(paymentMethods, id);
  card.networkOrigin ??= origin;
  keepCard(tx, card);
}

/** The first charge that was approved is the origin of those that follow; of a card that is not stored there is no row. */
const keepOrigin = statement(
  'keep_network_origin',
  `UPDATE payment_method m SET network_origin = :origin WHERE m.id = :id AND ${mine('m')} AND m.network_origin IS NULL`,
);

async function approve(
  tx: Tx,
  { invoice, intent, attempt }: ChargeRecord,
  { origin = null }: { origin?: string | null },
): Promise<void> {
  settleIntent(tx, intent);
  const { paymentMethodId, installments, initiator, created: at } = attempt;
  if (invoice.subscriptionId != null && initiator === 'customer') await storeCharged(tx, paymentMethodId, origin);
  else if (origin !== null) tx.write(keepOrigin, { id: paymentMethodId, origin });
  await payInvoice(tx, invoice, { type: 'card', paymentMethodId, installments, initiator, at, late: lateOf(intent) });
}

/** Says what a declined charge changes of its invoice and its intent, before that is recorded. */
export const beforeDeclined = hook<(tx: Tx, record: ChargeRecord) => Promise<void>>('beforeDeclined');

type Refusal = Exclude<AttemptOutcome, { status: 'approved' }>;

async function decline(tx: Tx, record: ChargeRecord, outcome: Refusal): Promise<void> {
  const { invoice, intent, attempt } = record;
  const reason: DeclineReason = outcome.status === 'declined' ? outcome.reason : 'processing_error';
  attempt.declineReason = reason;
  attempt.acquirerCode = outcome.status === 'declined' ? outcome.code : null;
  attempt.isReversible = outcome.status === 'declined' ? outcome.isReversible : true;
  intent.status = nextStatus(intent, 'decline');
  intent.failedAt = tx.now;
  intent.declineReason = reason;
  if (invoice.subscriptionId != null && attempt.initiator === 'customer')
    letGo(tx, await tx.lock(paymentMethods, attempt.paymentMethodId));
  if (attempt.initiator === 'merchant' && invoice.firstDeclinedAt == null) {
    invoice.firstDeclinedAt = tx.now;
    invoice.firstDeclineReason = reason;
  }
  for (const prepare of tx.reactionsAt(beforeDeclined)) await prepare(tx, record);
  tx.record('payment_intent.failed', viewIntent(intent));
  tx.count((business) => business.declined(intent, reason));
  tx.record('invoice.payment_failed', viewInvoice(tx, invoice));
}

/** Tells an operator of an outcome that contradicts what is booked: money may have moved that nobody asks about any more. */
export function alarmIfContradicted(deps: Deps, { attempt }: ChargeRecord, outcome: AttemptOutcome): void {
  if (attempt.status === outcome.status) return;
  const told = { attempt: attempt.id, booked: attempt.status, told: outcome.status };
  raiseAlarm(deps, 'charge_outcome_contradicted', { ...told, message: 'an acquirer contradicts itself' });
}

const markUnknown = statement(
  'mark_attempt_unknown',
  `UPDATE charge_attempt SET unknown_at = now() WHERE id = :id AND status = 'sent' AND unknown_at IS NULL`,
);

/** Nobody knows what became of an attempt: its case finds out. */
function leaveToReconciliation(deps: Deps, scope: Scope, { id, intentId }: AttemptRef): Promise<void> {
  return deps.transaction(scope, async (tx) => {
    tx.write(markUnknown, { id });
    tx.enqueue({ kind: 'charge-reconciliation', key: intentId, afterSeconds: FIRST_LOOK });
  });
}

/** A charge that the first transaction has sent on its way. */
export interface OpenedCharge {
  readonly attempt: ChargeAttempt;
  readonly token: string;
  /** Of a buyer who is there; on its way to the acquirer alone. */
  readonly cvc: string | null;
  readonly series: ChargeSeries | null;
  /** Whose bill it pays: the subscription, or the invoice of none. */
  readonly of: string;
}

/** Sends a charge that a transaction has opened, and books what came of it; null: nobody knows, and its case finds out. */
export async function seeThrough<T>(
  deps: Deps,
  scope: Scope,
  opened: OpenedCharge,
  booked: (tx: Tx, record: ChargeRecord) => Promise<T>,
): Promise<T | null> {
  const { attempt } = opened;
  const answer = await sendAttempt(deps, scope, opened);
  if (!answer.known || answer.value.status === 'processing') {
    await leaveToReconciliation(deps, scope, attempt);
    return null;
  }
  const outcome = answer.value;
  const { record, result } = await deps.grouped(scope, opened.of, async (tx) => {
    const record = await applyOutcome(tx, attempt, outcome);
    return { record, result: await booked(tx, record) };
  });
  alarmIfContradicted(deps, record, outcome);
  return result;
}

/** Charges an invoice by schedule, on an intent of its own, which continues the count. */
export function openScheduled(
  tx: Tx,
  invoice: Invoice,
  { card, installments }: { card: ChargedCard; installments: number },
): OpenedCharge {
  // A reactivation charges once more than the schedule does.
  const most = Math.max(maxCharges(collectionDaysOf(invoice)), invoice.charges + 1);
  const intent = newIntent(tx, invoice, { method: null, installments, schedule: { made: invoice.charges, most } });
  intent.paymentMethodType = 'card';
  return sendScheduledAttempt(tx, { invoice, intent, card });
}

/** The next charge of the schedule, on the intent of the charges before it. */
export function reopenScheduled(
  tx: Tx,
  invoice: Invoice,
  { intent, card }: { intent: PaymentIntent; card: ChargedCard },
): OpenedCharge {
  // A reactivation charges once more than the schedule does.
  intent.maxAttempts = Math.max(intent.maxAttempts, invoice.charges + 1);
  return sendScheduledAttempt(tx, { invoice, intent, card });
}

/** What comes of the charge schedules the invoice again. */
function sendScheduledAttempt(
  tx: Tx,
  { invoice, intent, card }: { invoice: Invoice; intent: PaymentIntent; card: ChargedCard },
): OpenedCharge {
  invoice.charges += 1;
  invoice.nextChargeAt = null;
  park(invoice);
  const attempt = openAttempt(tx, intent, { card, initiator: 'merchant' });
  const { token, origin } = card;
  const series = { origin, isRetry: invoice.charges > 1 };
  return { attempt, token, cvc: null, series, of: billedOf(invoice) };
}

/** What came of a scheduled charge; `unknown` is found out by its case. */
export type ScheduledOutcome = 'approved' | 'declined' | 'unknown';

/** Sends a scheduled charge that a transaction has opened, and books what came of it. */
export async function sendScheduled(deps: Deps, scope: Scope, opened: OpenedCharge): Promise<ScheduledOutcome> {
  const status = await seeThrough(deps, scope, opened, async (_, { attempt }) => attempt.status);
  if (status === null) return 'unknown';
  return status === 'approved' ? 'approved' : 'declined';
}
