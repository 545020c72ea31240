import type { DeclineReason } from '../../../contract/errors.ts';
import { hangsOn } from '../../db/months.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { collectionDaysOf } from '../../invoices/days.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { lockInvoice, schedule } from '../../invoices/life.ts';
import { purposeOf } from '../../invoices/purpose.ts';
import { viewInvoice } from '../../invoices/view.ts';
import type { CollectionDays } from '../../kernel/collection-days.ts';
import { MINUTE, type Timestamp } from '../../kernel/time.ts';
import { hook } from '../../unit-of-work/hooks.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import type { CivilDay, DebitFinding } from '../acquirer/port.ts';
import type { PaymentIntent, QrCode } from '../entity.ts';
import { findIntent, findQr, newIntent, newQr } from '../intents/book.ts';
import { bookTry, scheduleTry } from '../intents/debit-tries.ts';
import { isUnsettled, nextStatus, type QrState } from '../rules.ts';
import { viewIntent } from '../view.ts';
import { DEBIT_TRIES_MAX, debitEndsAt, nextDebitLook, nextTry, retryAskedAt, triedAt } from './debit-days.ts';

/** A charge that the mandate of a subscription pays on a civil day; the step `debit` of its invoice instructs the acquirer. */
export function openDebit(
  tx: Tx,
  invoice: Invoice,
  { mandateId, dueOn }: { mandateId: string; dueOn: CivilDay },
): void {
  const intent = newIntent(tx, invoice, { method: 'pix', debit: { mandateId, dueOn, most: DEBIT_TRIES_MAX } });
  newQr(tx, intent, debitEndsAt(dueOn), dueOn);
  invoice.debitLookAt = tx.now;
  schedule(invoice, tx.now);
}

/** A debit with what says of it what is to be done next. */
export interface DebitLook {
  readonly txid: string;
  readonly invoiceId: string;
  readonly intentId: string;
  readonly state: QrState;
  readonly dueOn: CivilDay;
  readonly amount: number;
  readonly bankRef: string;
  readonly lineItems: Invoice['lineItems'];
  readonly intentStatus: PaymentIntent['status'];
  readonly scheduledFor: CivilDay;
  /** By which its invoice is collected. */
  readonly days: CollectionDays;
}

const lookAtDebit = statement<DebitLook>(
  'look_at_debit',
  `SELECT c.id AS txid, c.invoice_id AS "invoiceId", c.intent_id AS "intentId", c.state, c.due_on AS "dueOn", c.amount,
     m.bank_ref AS "bankRef", i.line_items AS "lineItems", p.status AS "intentStatus", p.scheduled_for AS "scheduledFor", i.collection_days AS days
   FROM payment_intent p JOIN pix_charge c ON ${hangsOn('', 'c.intent_id', 'p.id')} JOIN mandate m ON m.id = p.mandate_id JOIN invoice i ON i.id = p.invoice_id
   WHERE ${hangsOn('pi_', 'p.invoice_id', ':invoiceId')} AND p.status IN ('pending', 'scheduled', 'failed') AND ${mine('p')}`,
);

/** The debit that an invoice waits for; null: none does. */
export const findDebitOf = async (deps: Deps, scope: Scope, invoiceId: string): Promise<DebitLook | null> =>
  (await readIn(deps.pool, scope, lookAtDebit, { invoiceId }))[0] ?? null;

/** Of the text that the payer's bank shows. */
const NOTE_MAX = 140;

/** What became of asking an acquirer to do something with a debit. */
type Instructed = 'booked' | 'silent';

/** Instructs the acquirer, any number of times; what it refuses outright has failed for good. */
export async function instructDebit(deps: Deps, scope: Scope, look: DebitLook): Promise<Instructed> {
  const { txid, bankRef, amount, dueOn } = look;
  const note = purposeOf(look.lineItems).slice(0, NOTE_MAX);
  // Whether a former step was heard is not known.
  const request = { txid, bankRef, amount, dueOn, note, isRepeat: true };
  const answer = await deps.ask(scope, 'pix', (acquirer, merchant) => acquirer.instruct(merchant, request));
  if (!answer.known && answer.why !== 'refused') return 'silent';
  const finding = answer.known ? answer.value : { status: 'refused' as const, tries: [] };
  await deps.transaction(scope, async (tx) => {
    const record = await lockDebit(tx, look);
    if (record !== null) await followDebit(tx, record, finding);
    // It was given up meanwhile: the acquirer is told so.
    else tx.enqueue({ kind: 'pix-expiry', key: txid });
  });
  return 'booked';
}

/** Notes that another day is being asked for, until the acquirer answers; false: somebody else decided on the debit. */
const beginRetry = (deps: Deps, scope: Scope, look: DebitLook): Promise<boolean> =>
  deps.transaction(scope, async (tx) => {
    const record = await lockDebit(tx, look);
    if (record?.own.status !== 'failed') return false;
    record.qr.state = 'creating';
    return true;
  });

/** Asks for another day, any number of times. `refused`: the acquirer takes that day no more. */
export async function askForRetry(
  deps: Deps,
  scope: Scope,
  { look, date }: { look: DebitLook; date: CivilDay },
): Promise<'asked' | 'refused' | 'silent'> {
  if (!(await beginRetry(deps, scope, look))) return 'asked';
  const of = { txid: look.txid, date };
  const answer = await deps.ask(scope, 'pix', (acquirer, merchant) => acquirer.retryDebit(merchant, of));
  if (!answer.known) return 'silent';
  if (answer.value === 'asked')
    await deps.transaction(scope, async (tx) => {
      const record = await lockDebit(tx, look);
      if (record !== null) await scheduleDebit(tx, record, date);
      else tx.enqueue({ kind: 'pix-expiry', key: look.txid });
    });
  return answer.value;
}

interface DebitRecord {
  readonly invoice: Invoice;
  readonly own: PaymentIntent;
  readonly qr: QrCode;
}

/** The debit under the lock of its invoice; null: somebody else decided on it. */
async function lockDebit(tx: Tx, { invoiceId, intentId, txid }: DebitLook): Promise<DebitRecord | null> {
  const [invoice, own, qr] = await Promise.all([
    lockInvoice(tx, invoiceId),
    findIntent(tx, intentId),
    findQr(tx, txid),
  ]);
  if (own === null || qr === null) throw new Error(`the debit ${txid} lost its intent`);
  return isUnsettled(own.status) && qr.state !== 'retiring' && qr.state !== 'ended' ? { invoice, own, qr } : null;
}

/** Does what follows once a debit is scheduled for a day, or failed. */
export const debitMoved =
  hook<(tx: Tx, debit: { readonly invoice: Invoice; readonly intent: PaymentIntent }) => Promise<void>>('debitMoved');

/** What the acquirer's books say of a debit that nobody paid, to ours; a payment is booked by itself. */
export async function followDebit(
  tx: Tx,
  record: DebitRecord,
  { status, tries }: Pick<DebitFinding, 'status' | 'tries'>,
): Promise<void> {
  const { own, qr } = record;
  if (status === 'paid' || !isUnsettled(own.status) || own.status === 'processing') return;
  const last = tries.at(-1) ?? null;
  // An answer older than the day that was asked for since.
  if (own.status === 'scheduled' && last !== null && last.date < (own.scheduledFor ?? '')) return;
  const goesOn = status === 'waiting' || status === 'scheduled';
  if (goesOn) await scheduleDebit(tx, record, last?.date ?? qr.dueOn ?? '');
  else {
    if (status !== 'unpaid') qr.state = 'ended';
    await failDebit(tx, record, last?.code ?? null);
  }
}

async function scheduleDebit(tx: Tx, { invoice, own, qr }: DebitRecord, day: CivilDay): Promise<void> {
  if (qr.state === 'creating') qr.state = 'active';
  if (own.status !== 'scheduled') {
    own.status = nextStatus(own, 'schedule');
    own.attempts += 1;
    own.scheduledFor = day;
    own.scheduledAt = tx.now;
    own.nextAttempt = null;
    own.declineReason = null;
    scheduleTry(tx, own);
    tx.record('payment_intent.scheduled', viewIntent(own));
    for (const tell of tx.reactionsAt(debitMoved)) await tell(tx, { invoice, intent: own });
  }
  lookAgain(tx, invoice, nextDebitLook({ scheduledAt: own.scheduledAt ?? tx.now, day }, tx.now));
}

function lookAgain(tx: Tx, invoice: Invoice, at: Timestamp): void {
  invoice.debitLookAt = at;
  schedule(invoice, tx.now);
}

/** What banks say when an account has too little. */
const NO_MONEY = 'AM02';

const reasonOf = (code: string | null): DeclineReason => {
  if (code === null) return 'processing_error';
  return code === NO_MONEY ? 'insufficient_funds' : 'issuer_declined';
};

/** A try failed: the step `debit` asks for another day, or has the invoice paid otherwise. */
async function failDebit(tx: Tx, { invoice, own, qr }: DebitRecord, code: string | null): Promise<void> {
  const next = nextTryOf(tx, { invoice, own, qr });
  if (own.status !== 'failed') {
    const reason = reasonOf(code);
    if (own.status === 'pending') own.attempts += 1;
    bookTry(tx, own, { status: 'failed', declineReason: reason, acquirerCode: code });
    own.status = nextStatus(own, 'decline');
    own.failedAt = tx.now;
    own.declineReason = reason;
    own.nextAttempt = next === null ? null : triedAt(next);
    if (invoice.firstDeclinedAt == null)
      Object.assign(invoice, { firstDeclinedAt: tx.now, firstDeclineReason: reason });
    if (invoice.subscriptionId != null) {
      invoice.inCase = true;
      tx.enqueue({ kind: 'collection', key: invoice.subscriptionId });
    }
    tx.record('payment_intent.failed', viewIntent(own));
    tx.count((business) => business.declined(own, reason));
    tx.record('invoice.payment_failed', viewInvoice(tx, invoice));
    for (const tell of tx.reactionsAt(debitMoved)) await tell(tx, { invoice, intent: own });
  }
  lookAgain(tx, invoice, next === null ? tx.now : Math.max(tx.now, retryAskedAt(next)));
}

function nextTryOf(tx: Tx, { invoice, own: { scheduledFor }, qr: { state, dueOn } }: DebitRecord): CivilDay | null {
  if (state === 'ended' || dueOn == null) return null;
  return nextTry({ dueOn, lastOn: scheduledFor ?? dueOn }, collectionDaysOf(invoice), tx.now);
}

/** An acquirer that does not answer about a debit is asked again so soon. */
export const DEBIT_SILENT = 10 * MINUTE;
