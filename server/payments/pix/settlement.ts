import type { PaymentIntent as PaymentIntentView } from '../../../contract/payments.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../../accounts/scope.ts';
import { acrossAccounts, mine, readIn, run, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { raiseAlarm } from '../../kernel/alarms.ts';
import { type CaseStep, DONE, HELD, LOOK_SECONDS } from '../../kernel/case-step.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { ACQUIRER_DEADLINE_MS } from '../acquirer/ask.ts';
import type { AcquirerAnswer, DebitFinding, PixCob, PixPayment } from '../acquirer/port.ts';
import { bookReturns } from '../disputes/book.ts';
import type { PaymentIntent, PixReceipt, QrCode } from '../entity.ts';
import { type Book, findIntent, findQr, lockBook } from '../intents/book.ts';
import { receipts } from '../intents/rows.ts';
import { nextLookSeconds, OPEN_ALARM, type QrState } from '../rules.ts';
import { viewIntent } from '../view.ts';
import { followDebit } from './debits.ts';
import { settleReceipt } from './receipts.ts';

/** What came of asking the acquirer about a QR code. */
type NoticeOutcome =
  | { readonly isKnown: false }
  | {
      readonly isKnown: true;
      /** Whether the acquirer told of a payment that our books had not decided on before. */
      readonly hadNewPayments: boolean;
      /** Whether a payment of the QR code is in our books. */
      readonly isReceived: boolean;
      /** Whether nothing is left to wait for: no confirmed payment, no receipt that waits for a charge. */
      readonly isClosed: boolean;
      /** The intent that was asked for, as it stands now. */
      readonly intent: PaymentIntentView;
    };

interface NoticeLook {
  invoiceId: string;
  intentId: string;
  confirmedAt: number | null;
  /** Of a debit by mandate. */
  dueOn: string | null;
  /** End-to-end ids of the receipts that are decided. */
  decided: string[];
  noticeId: number | null;
  noticeVersion: number | null;
}

const lookAtNotice = statement<NoticeLook>(
  'look_at_notice',
  `SELECT c.invoice_id AS "invoiceId", c.intent_id AS "intentId", c.confirmed_at AS "confirmedAt", c.due_on AS "dueOn",
     o.id AS "noticeId", o.version AS "noticeVersion",
     ARRAY(SELECT r.id FROM pix_receipt r WHERE r.txid = c.id AND r.intent_id IS NOT NULL) AS decided
   FROM pix_charge c LEFT JOIN outbox o ON o.kind = 'pix-settlement' AND o.key = c.id
   WHERE c.id = :txid AND ${mine('c')}`,
);

/** A QR code to ask about, and what a request has to say of its intent in the transaction that books the answer. */
interface Notice {
  readonly txid: string;
  readonly deadlineMs?: number;
  readonly answer?: (tx: Tx, intent: PaymentIntentView) => void;
  /** The intent that is answered; of the QR code unless told otherwise. */
  readonly intentId?: string;
}

/**
 * Does what a notice of the acquirer asks for, any number of times: asks the acquirer about the QR code and books each payment
 * once. The notice itself is not believed. Null: we have no such QR code.
 */
export async function handleNotice(
  deps: Deps,
  scope: Scope,
  { txid, deadlineMs = ACQUIRER_DEADLINE_MS, answer: tell = () => {}, intentId }: Notice,
): Promise<NoticeOutcome | null> {
  const [look] = await readIn(deps.pool, scope, lookAtNotice, { txid });
  if (look === undefined) return null;
  const answer = await deps.ask<'pix', PixCob | DebitFinding | null>(
    scope,
    'pix',
    (acquirer, merchant): Promise<AcquirerAnswer<PixCob | DebitFinding | null>> =>
      look.dueOn === null ? acquirer.findPix(merchant, txid) : acquirer.findDebit(merchant, txid),
    { deadlineMs },
  );
  if (!answer.known) return { isKnown: false };
  const told = {
    txid,
    look,
    shownId: intentId ?? look.intentId,
    payments: answer.value?.payments ?? [],
    isConcluded: answer.value?.status === 'concluded' || answer.value?.status === 'paid',
    debit: answer.value !== null && 'tries' in answer.value ? answer.value : null,
  };
  const newPayments = told.payments.filter((payment) => !look.decided.includes(payment.endToEndId));
  const settled = newPayments.filter((payment) => payment.settled);
  const isReturned = told.payments.some(({ returns }) => returns.length > 0);
  // The last payment goes with the end of the notice, unless what went back of it is to be booked between the two.
  const last = isReturned ? undefined : settled.pop();
  await bookFirst(deps, scope, { told, payments: settled });
  if (isReturned) await bookReturns(deps, scope, told.payments);
  const outcome = await deps.transaction(scope, async (tx) => {
    const closed = await closeNotice(tx, told, last);
    tell(tx, closed.intent);
    return closed;
  });
  return { isKnown: true, hadNewPayments: newPayments.length > 0, ...outcome };
}

/** Books the payments that come before the end of a notice. One transaction for each bounds what one writes; nearly always there is one payment. */
async function bookFirst(
  deps: Deps,
  scope: Scope,
  { told, payments }: { told: Told; payments: readonly PixPayment[] },
): Promise<void> {
  for (const payment of payments) await deps.transaction(scope, (tx) => bookNewPayment(tx, told, payment));
}

/** Has the case `pix-settlement` ask the acquirer later about a payment that it told us of and would not explain now. */
export function remindOfNotice(deps: Deps, scope: Scope, txid: string): Promise<void> {
  return deps.transaction(scope, async (tx) => tx.enqueue({ kind: 'pix-settlement', key: txid }));
}

interface Told {
  readonly txid: string;
  readonly look: NoticeLook;
  /** The intent that is shown once all is booked. */
  readonly shownId: string;
  readonly payments: readonly PixPayment[];
  /** Whether the acquirer says that it was paid, even if it does not show the payment yet. */
  readonly isConcluded: boolean;
  /** Of a debit by mandate, as the acquirer has it. */
  readonly debit: DebitFinding | null;
}

/** Everything of one QR code, read under the lock of its invoice. */
interface QrBook {
  readonly book: Book;
  readonly own: PaymentIntent;
  readonly qr: QrCode;
  readonly receipts: PixReceipt[];
}

const readReceipts = statement<PixReceipt>(
  'read_receipts',
  `SELECT ${receipts.columns('r')} FROM pix_receipt r WHERE r.txid = :txid`,
);

async function lockQrBook(tx: Tx, { txid, look }: Told): Promise<QrBook> {
  // The lock is on the wire first, so the read behind it sees what its former holder committed.
  const [book, found] = await Promise.all([lockBook(tx, look.invoiceId), tx.query(readReceipts, { txid })]);
  const known = found.map((receipt) => tx.keep(receipts, receipt));
  // The charge that waits is nearly always the one that was paid.
  if (book.intent?.id === look.intentId && book.qr?.id === txid)
    return { book, own: book.intent, qr: book.qr, receipts: known };
  const [intent, qr] = await Promise.all([findIntent(tx, look.intentId), findQr(tx, txid)]);
  if (intent === null || qr === null) throw new Error(`the QR code ${txid} lost its intent`);
  return { book, own: intent, qr, receipts: known };
}

/** Books one payment, if there is one, and whether the acquirer still has a confirmed one to settle. */
async function bookNewPayment(tx: Tx, told: Told, payment: PixPayment | undefined): Promise<QrBook> {
  const qrBook = await lockQrBook(tx, told);
  const { qr, receipts: known } = qrBook;
  const confirmedAt = qr.confirmedAt ?? null;
  if (payment !== undefined) await bookPayment(tx, qrBook, payment);
  const isBooked = ({ endToEndId }: PixPayment): boolean => known.some(({ id }) => id === endToEndId);
  if (told.payments.some((other) => !other.settled && !isBooked(other))) qr.confirmedAt = confirmedAt ?? tx.now;
  // An answer older than what another handler learnt meanwhile must not take that back.
  else if (payment !== undefined || confirmedAt === told.look.confirmedAt) qr.confirmedAt = null;
  return qrBook;
}

async function closeNotice(
  tx: Tx,
  told: Told,
  last: PixPayment | undefined,
): Promise<{ isClosed: boolean; isReceived: boolean; intent: PaymentIntentView }> {
  const { book, own, qr, receipts: known } = await bookNewPayment(tx, told, last);
  if (told.debit !== null) await followDebit(tx, { invoice: book.invoice, own, qr }, told.debit);
  const isReceived = known.length > 0;
  const isDecided = known.every(({ intentId }) => (intentId ?? null) !== null);
  const isClosed = (qr.confirmedAt ?? null) === null && isDecided && (isReceived || !told.isConcluded);
  if (isClosed) endNotice(tx, told.look);
  const shown = told.shownId === own.id ? own : await findIntent(tx, told.shownId);
  if (shown === null) throw new Error(`the QR code ${told.txid} lost the intent ${told.shownId}`);
  return { isClosed, isReceived, intent: viewIntent(shown) };
}

/** A later notice has another version or id: what it tells was perhaps not in the answer that we handled. */
const deleteNotice = statement('delete_notice', `DELETE FROM outbox WHERE id = :noticeId AND version = :noticeVersion`);

function endNotice(tx: Tx, { noticeId, noticeVersion }: NoticeLook): void {
  if (noticeId !== null) tx.write(deleteNotice, { noticeId, noticeVersion });
}

/** Books one payment once: its QR code has ended in whatever state it was, and what it is for is decided (docs/product/payments.md#receipts-and-surplus). */
async function bookPayment(tx: Tx, { book, own, qr, receipts: known }: QrBook, payment: PixPayment): Promise<void> {
  const receipt = known.find(({ id }) => id === payment.endToEndId);
  if (receipt?.intentId != null) return;
  // A bank whose clock is ahead makes no payment late.
  const paidAt = Math.min(payment.paidAt, tx.now);
  // First: what follows ends the QR codes that are not ended yet.
  qr.state = 'ended';
  const intentId = await settleReceipt(tx, { book, own, asked: own, amount: payment.amount, paidAt });
  if (receipt !== undefined) {
    receipt.intentId = intentId;
    return;
  }
  const { endToEndId: id, txid, amount } = payment;
  const { id: invoiceId } = book.invoice;
  known.push(tx.insert(receipts, { id, txid, invoiceId, amount, paidAt, intentId }));
}

export interface QrLook extends ScopeRow {
  invoiceId: string;
  intentStatus: string;
  state: QrState;
  confirmedAt: number | null;
  expiresAt: Timestamp;
  isDebit: boolean;
}

const lookAtQrOfCase = acrossAccounts<QrLook>(
  'look_at_qr_of_case',
  `SELECT ${scopeColumns('c')}, c.invoice_id AS "invoiceId", p.status AS "intentStatus", c.state,
     c.confirmed_at AS "confirmedAt", c.expires_at AS "expiresAt", c.due_on IS NOT NULL AS "isDebit"
   FROM pix_charge c JOIN payment_intent p ON p.id = c.intent_id JOIN account a ON a.id = c.account_id WHERE c.id = :txid`,
);

export async function lookUpQr(deps: Deps, txid: string): Promise<{ look: QrLook; scope: Scope } | null> {
  const [look] = await run(deps.pool, lookAtQrOfCase, { txid });
  return look === undefined ? null : { look, scope: scopeOf(look) };
}

/** The case `pix-settlement`: a notice of the acquirer that was not handled at once, or tells of a payment not settled yet. */
export async function pixSettlementStep(deps: Deps, txid: string): Promise<CaseStep> {
  const found = await lookUpQr(deps, txid);
  if (found === null) return DONE;
  if (found.look.heldAt !== null) return HELD;
  const notice = await handleNotice(deps, found.scope, { txid });
  if (notice === null || (notice.isKnown && notice.isClosed)) return DONE;
  if (!notice.isKnown) {
    alarmIfLongOver(deps, found, txid);
    return {
      done: false,
      dueInSeconds: LOOK_SECONDS,
      status: 'acquirer silent',
      note: 'The acquirer does not answer; it is asked again what was paid.',
    };
  }
  const confirmedAt = (await lookUpQr(deps, txid))?.look.confirmedAt ?? null;
  if (confirmedAt === null) {
    alarmIfLongOver(deps, found, txid);
    return { done: false, dueInSeconds: LOOK_SECONDS, ...waitingFor(notice) };
  }
  const waited = deps.clock.now(found.scope) - confirmedAt;
  if (waited >= OPEN_ALARM) {
    const message = 'the acquirer confirmed a payment and does not settle it';
    raiseAlarm(deps, 'pix_not_settled', { txid, waited, message });
  }
  return {
    done: false,
    dueInSeconds: nextLookSeconds(waited, LOOK_SECONDS),
    status: 'confirmed',
    note: 'The acquirer confirmed the payment and has not settled it yet.',
  };
}

/** Nobody knows what was paid of a QR code that ended a day ago. */
function alarmIfLongOver(deps: Deps, { look, scope }: { look: QrLook; scope: Scope }, txid: string): void {
  const waited = deps.clock.now(scope) - look.expiresAt;
  if (waited < OPEN_ALARM) return;
  raiseAlarm(deps, 'pix_not_settled', { txid, waited, message: 'the acquirer does not tell what was paid' });
}

/** A confirmed payment on a held clock; answers when to ask the acquirer again, in seconds, null once it is settled. */
export async function settleHeld(deps: Deps, txid: string): Promise<number | null> {
  const found = await lookUpQr(deps, txid);
  if (found === null) return null;
  const notice = await handleNotice(deps, found.scope, { txid });
  return notice === null || (notice.isKnown && notice.isClosed) ? null : LOOK_SECONDS;
}

/** What a notice that is neither closed nor confirmed waits for. */
const waitingFor = ({ isReceived }: { isReceived: boolean }): { status: string; note: string } =>
  isReceived
    ? {
        status: 'charge in process',
        note: 'Money came in while a charge of the invoice is at the acquirer; it is decided when that ends.',
      }
    : { status: 'not shown', note: 'The acquirer says that the QR code was paid, and does not show the payment yet.' };
