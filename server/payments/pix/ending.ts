import { mine, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { lockInvoice } from '../../invoices/life.ts';
import { type CaseStep, DONE, LOOK_SECONDS } from '../../kernel/case-step.ts';
import type { BillingError } from '../../kernel/errors.ts';
import { HOUR } from '../../kernel/time.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { ACQUIRER_DEADLINE_MS, acquirerUnavailable, timeBudget } from '../acquirer/ask.ts';
import type { QrCode } from '../entity.ts';
import { type Book, findQr, paymentInProgress } from '../intents/book.ts';
import { isUnsettled } from '../rules.ts';
import { handleNotice, lookUpQr, type QrLook, remindOfNotice } from './settlement.ts';

/** QR codes that checkouts make meanwhile are ended as well; a third one stands, and the caller is sent back. */
const ENDINGS_MAX = 2;

/** A QR code that nobody is given any more, and the invoice that it is of. */
interface RetiredQr {
  readonly invoiceId: string;
  readonly txid: string;
  /** Whether it is a debit by mandate. */
  readonly isDebit: boolean;
}

/** A QR code that was retired, and whether the acquirer could be told. */
interface EndedQr {
  readonly txid: string;
  readonly isEndedAtAcquirer: boolean;
}

/** QR codes that were retired in this transaction: they have to be ended at the acquirer before the change is made. */
export class QrsInTheWay {
  readonly qrs: readonly RetiredQr[];
  constructor(qrs: readonly RetiredQr[]) {
    this.qrs = qrs;
  }
}

/** The QR codes that were ended for a change so far. */
export class EndedQrs {
  readonly #of: string;
  readonly #byInvoice = new Map<string, EndedQr>();
  #endings = 0;

  constructor(of: string) {
    this.#of = of;
  }

  /** Takes in what was retired by one transaction and ended after it. */
  add(ended: ReadonlyMap<string, EndedQr>): void {
    this.#endings += 1;
    for (const [invoiceId, qr] of ended) this.#byInvoice.set(invoiceId, qr);
  }

  /** The invoices whose QR codes were ended. */
  get invoices(): readonly string[] {
    return [...this.#byInvoice.keys()];
  }

  /** The QR code of an invoice that nobody can pay any more, by the word of the acquirer. */
  txidOf(invoiceId: string): string | null {
    const qr = this.#byInvoice.get(invoiceId);
    return qr?.isEndedAtAcquirer === true ? qr.txid : null;
  }

  /** Retires the QR codes that stand in the way of a change of these invoices; null: none does. */
  retireRest(tx: Tx, books: readonly Book[]): QrsInTheWay | null {
    const standing = books.flatMap(({ invoice, qr }) => {
      const isInTheWay = qr !== null && qr.state !== 'ended' && qr.id !== this.#byInvoice.get(invoice.id)?.txid;
      return isInTheWay ? [{ invoiceId: invoice.id, qr }] : [];
    });
    if (standing.length === 0) return null;
    if (this.#endings === ENDINGS_MAX) throw paymentInProgress(`${this.#of} gets one new QR code after another`);
    for (const book of books) refuseWhileRetrying(book);
    for (const { qr } of standing) retireQr(tx, qr);
    return new QrsInTheWay(
      standing.map(({ invoiceId, qr }) => ({ invoiceId, txid: qr.id, isDebit: qr.dueOn != null })),
    );
  }
}

/** Whether another day is being asked for, nobody knows yet. */
function refuseWhileRetrying({ invoice, intent, qr }: Book): void {
  if (qr?.dueOn != null && qr.state === 'creating' && (intent?.attempts ?? 0) > 0)
    throw paymentInProgress(`Another day for the debit of ${invoice.id} is being asked for`);
}

interface QrEnding<T> {
  /** What the change is of, for the refusal. */
  readonly of: string;
  /** Makes the change under the lock, or answers the QR codes in its way, which it has retired. Run again when they are ended. */
  readonly change: (tx: Tx, ended: EndedQrs) => Promise<T | QrsInTheWay>;
  /** The refusal where a QR code turns out to be paid. */
  readonly whenPaid: (invoiceId: string) => BillingError;
  /** Whether the change is made although the acquirer does not answer: the case `pix-expiry` tells it later. */
  readonly whenSilent: 'change' | 'refuse';
  readonly remainingMs?: () => number;
}

/**
 * Makes a change that a payment of a standing QR code would contradict: the QR code is retired and ended at the acquirer
 * first, with no transaction open; a QR code that is paid settles, and the change is refused.
 */
export async function endingQrs<T>(
  deps: Deps,
  scope: Scope,
  { of, change, whenPaid, whenSilent, remainingMs = timeBudget(ACQUIRER_DEADLINE_MS) }: QrEnding<T>,
): Promise<T> {
  const ended = new EndedQrs(of);
  for (;;) {
    const result = await deps.transaction(scope, (tx) => change(tx, ended));
    if (!(result instanceof QrsInTheWay)) return result;
    const newly = new Map<string, EndedQr>();
    let refusal: BillingError | null = null;
    for (const { invoiceId, txid, isDebit } of result.qrs) {
      const end = await endQrAtAcquirer(deps, scope, { txid, isDebit, remainingMs });
      if (end === 'paid') refusal = whenPaid(invoiceId);
      else if (isDebit && end !== 'ended') {
        await restoreDebit(deps, scope, txid);
        refusal = debitInProgress(invoiceId);
      } else if (end === 'acquirer_silent' && whenSilent === 'refuse')
        refusal = acquirerUnavailable('The acquirer cannot be reached to end the open QR code');
      if (refusal !== null) break;
      newly.set(invoiceId, { txid, isEndedAtAcquirer: end === 'ended' });
    }
    if (refusal !== null) throw refusal;
    ended.add(newly);
  }
}

/** Longer than any request takes. */
const ORPHANED_AFTER_SECONDS = 60;

/** The QR code is never handed out again; should this process end before the acquirer is asked to end it, the case asks it. */
function retireQr(tx: Tx, qr: QrCode): void {
  qr.state = 'retiring';
  tx.enqueue({ kind: 'pix-expiry', key: qr.id, afterSeconds: ORPHANED_AFTER_SECONDS });
}

/**
 * `ended`: nobody can pay it any more, and its charge still waits; `paid`: somebody has, and that is booked or will be;
 * `too_late`: it is a debit that the bank of the payer will try.
 */
type QrEnd = 'ended' | 'paid' | 'too_late' | 'acquirer_silent';

const debitInProgress = (invoiceId: string): BillingError =>
  paymentInProgress(`The debit of ${invoiceId} is scheduled and cannot be cancelled now`);

/** Asks the acquirer to end a retired QR code. One that is paid settles. */
export async function endQrAtAcquirer(
  deps: Deps,
  scope: Scope,
  { txid, isDebit, remainingMs }: { txid: string; isDebit: boolean; remainingMs: () => number },
): Promise<QrEnd> {
  if (isDebit) return endDebit(deps, scope, { txid, remainingMs });
  const answer = await deps.ask(scope, 'pix', (acquirer, merchant) => acquirer.expirePix(merchant, txid), {
    deadlineMs: remainingMs(),
  });
  if (!answer.known) return 'acquirer_silent';
  if (answer.value === 'expired') return 'ended';
  const notice = await handleNotice(deps, scope, { txid, deadlineMs: remainingMs() });
  if (notice?.isKnown === true && notice.isReceived) return isUnsettled(notice.intent.status) ? 'ended' : 'paid';
  // It is paid and not shown yet: its case asks until it is.
  await remindOfNotice(deps, scope, txid);
  return 'paid';
}

const restore = statement(
  'restore_debit',
  `UPDATE pix_charge c SET state = 'active' WHERE c.id = :txid AND ${mine('c')} AND c.state = 'retiring'`,
);

/** A debit that was to be cancelled goes on. */
const restoreDebit = (deps: Deps, scope: Scope, txid: string): Promise<void> =>
  deps.transaction(scope, async (tx) => tx.write(restore, { txid }));

/** Cancels a debit by mandate. One that its bank will try goes on; where no try is to come, nothing is debited any more. */
async function endDebit(
  deps: Deps,
  scope: Scope,
  { txid, remainingMs }: { txid: string; remainingMs: () => number },
): Promise<QrEnd> {
  const answer = await deps.ask(scope, 'pix', (acquirer, merchant) => acquirer.cancelDebit(merchant, txid), {
    deadlineMs: remainingMs(),
  });
  if (!answer.known) return 'acquirer_silent';
  if (answer.value === 'cancelled' || answer.value === 'ended') return 'ended';
  const notice = await handleNotice(deps, scope, { txid, deadlineMs: remainingMs() });
  if (notice?.isKnown !== true) return 'acquirer_silent';
  if (notice.isReceived) return isUnsettled(notice.intent.status) ? 'ended' : 'paid';
  return notice.intent.status === 'failed' ? 'ended' : 'too_late';
}

/** The case `pix-expiry`: a QR code that nobody may pay any more is ended at the acquirer. */
export async function pixExpiryStep(deps: Deps, txid: string): Promise<CaseStep> {
  const found = await lookUpQr(deps, txid);
  if (found === null) return DONE;
  const { look, scope } = found;
  if (look.isDebit) return debitExpiryStep(deps, scope, { txid, look });
  const isInUse = look.intentStatus === 'pending' && (look.state === 'creating' || look.state === 'active');
  if (isInUse) return DONE;
  const answer = await deps.ask(scope, 'pix', (acquirer, merchant) => acquirer.expirePix(merchant, txid));
  if (!answer.known) {
    return {
      done: false,
      dueInSeconds: LOOK_SECONDS,
      status: 'acquirer silent',
      note: 'The acquirer does not answer; it is asked again to end the QR code.',
    };
  }
  if (answer.value === 'alreadyPaid') {
    const notice = await handleNotice(deps, scope, { txid });
    if (notice?.isKnown !== true || !notice.isReceived) await remindOfNotice(deps, scope, txid);
    if (notice?.isKnown !== true) return DONE;
  }
  await markEnded(deps, scope, { txid, invoiceId: look.invoiceId });
  return DONE;
}

/** The same of a debit by mandate. One that its bank will try goes on; it is asked about until its outcome where another charge took over. */
async function debitExpiryStep(
  deps: Deps,
  scope: Scope,
  { txid, look }: { txid: string; look: QrLook },
): Promise<CaseStep> {
  const waits = look.intentStatus === 'scheduled' || look.intentStatus === 'pending' || look.intentStatus === 'failed';
  if (waits && (look.state === 'creating' || look.state === 'active')) return DONE;
  const end = await endDebit(deps, scope, { txid, remainingMs: timeBudget(ACQUIRER_DEADLINE_MS) });
  if (end === 'acquirer_silent') {
    const note = 'The acquirer does not answer; it is asked again to cancel the debit.';
    return { done: false, dueInSeconds: LOOK_SECONDS, status: 'acquirer silent', note };
  }
  if (end === 'too_late' && waits) await restoreDebit(deps, scope, txid);
  else if (end === 'too_late') {
    const note = 'The bank will try the debit, which nothing waits for any more; what comes of it goes back.';
    return { done: false, dueInSeconds: HOUR, status: 'debit to come', note };
  } else await markEnded(deps, scope, { txid, invoiceId: look.invoiceId });
  return DONE;
}

/** Nobody can pay it any more, or somebody has: what came in is booked by its notice. */
async function markEnded(
  deps: Deps,
  scope: Scope,
  { txid, invoiceId }: { txid: string; invoiceId: string },
): Promise<void> {
  await deps.transaction(scope, async (tx) => {
    const [, qr] = await Promise.all([lockInvoice(tx, invoiceId), findQr(tx, txid)]);
    if (qr !== null) qr.state = 'ended';
  });
}
