import type { PaymentIntent as PaymentIntentView } from '../../../contract/payments.ts';
import { readIn } from '../../db/database.ts';
import { mine, statement } from '../../db/statement.ts';
import type { Scope, Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { ACQUIRER_DEADLINE_MS, askAcquirer } from '../acquirer/ask.ts';
import type { AcquirerAnswer, PixCob, PixPayment } from '../acquirer/port.ts';
import type { PaymentIntent, PixReceipt, QrCode } from '../entity.ts';
import { type Book, findIntent, findQr, lockBook } from '../intents/book.ts';
import { receipts } from '../intents/rows.ts';
import { viewIntent } from '../view.ts';
import { settleReceipt } from './receipts.ts';

/** What came of asking the bank about a QR code. */
export type NoticeOutcome =
  | { readonly isKnown: false }
  | {
      readonly isKnown: true;
      /** Whether the bank told of a payment that our books had not decided on before. */
      readonly hadNews: boolean;
      /** Whether a payment of the QR code is in our books. */
      readonly isReceived: boolean;
      /** Whether nothing is left to wait for: no confirmed payment, no receipt that waits for a charge. */
      readonly isClosed: boolean;
      /** The intent of the QR code, as it stands now. */
      readonly intent: PaymentIntentView;
    };

interface Look {
  invoiceId: string;
  intentId: string;
  confirmedAt: number | null;
  /** End-to-end ids of the receipts that are decided. */
  decided: string[];
  noticeId: number | null;
  noticeVersion: number | null;
}

const lookAtQr = statement<Look>(
  'look_at_notice',
  `SELECT c.invoice_id AS "invoiceId", c.intent_id AS "intentId", c.confirmed_at AS "confirmedAt",
     o.id AS "noticeId", o.version AS "noticeVersion",
     ARRAY(SELECT r.id FROM pix_receipt r WHERE r.txid = c.id AND r.intent_id IS NOT NULL) AS decided
   FROM pix_charge c LEFT JOIN outbox o ON o.kind = 'pix-settlement' AND o.key = c.id
   WHERE c.id = :txid AND ${mine('c')}`,
);

/** A QR code to ask about, and what a request has to say of its intent in the transaction that books the answer. */
export interface Notice {
  readonly txid: string;
  readonly deadlineMs?: number;
  readonly answer?: (tx: Tx, intent: PaymentIntentView) => void;
}

/**
 * Does what a notice of the bank asks for, any number of times: asks the bank about the QR code and books each payment
 * once. The notice itself is not believed. Null: we have no such QR code.
 */
export async function handleNotice(
  deps: Deps,
  scope: Scope,
  { txid, deadlineMs = ACQUIRER_DEADLINE_MS, answer: tell = () => {} }: Notice,
): Promise<NoticeOutcome | null> {
  const [look] = await readIn(deps.pool, scope, lookAtQr, { txid });
  if (look === undefined) return null;
  const answer: AcquirerAnswer<PixCob | null> = await askAcquirer(
    deps,
    scope,
    (bank, merchant) => bank.findPix(merchant, txid),
    { deadlineMs },
  );
  if (!answer.known) return { isKnown: false };
  await deps.failpoint?.('settlement.before-settle');
  const told = {
    txid,
    look,
    payments: answer.value?.payments ?? [],
    isConcluded: answer.value?.status === 'concluded',
  };
  const news = told.payments.filter((payment) => !look.decided.includes(payment.endToEndId));
  const settled = news.filter((payment) => payment.settled);
  // One transaction for each payment bounds what one writes; nearly always there is one.
  for (const payment of settled.slice(0, -1)) {
    await deps.transaction(scope, (tx) => bookAnswer(tx, told, payment));
    await deps.failpoint?.('settlement.between-payments');
  }
  const outcome = await deps.transaction(scope, async (tx) => {
    const closed = await closeNotice(tx, told, settled.at(-1));
    tell(tx, closed.intent);
    return closed;
  });
  await deps.failpoint?.('settlement.after-settle');
  return { isKnown: true, hadNews: news.length > 0, ...outcome };
}

/** Has the case `pix-settlement` ask the bank later about a payment that it told us of and would not explain now. */
export function remindOfNotice(deps: Deps, scope: Scope, txid: string): Promise<void> {
  return deps.transaction(scope, async (tx) => tx.enqueue({ kind: 'pix-settlement', key: txid }));
}

interface Told {
  readonly txid: string;
  readonly look: Look;
  readonly payments: readonly PixPayment[];
  /** Whether the bank says that it was paid, even if it does not show the payment yet. */
  readonly isConcluded: boolean;
}

/** Everything of one QR code, read under the lock of its invoice. */
interface Page {
  readonly book: Book;
  readonly own: PaymentIntent;
  readonly qr: QrCode;
  readonly receipts: PixReceipt[];
}

const readReceipts = statement<PixReceipt>(
  'read_receipts',
  `SELECT ${receipts.columns('r')} FROM pix_receipt r WHERE r.txid = :txid`,
);

async function openPage(tx: Tx, { txid, look }: Told): Promise<Page> {
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

/** Books one payment, if there is one, and whether the bank still has a confirmed one to settle. */
async function bookAnswer(tx: Tx, told: Told, payment: PixPayment | undefined): Promise<Page> {
  const page = await openPage(tx, told);
  const { qr, receipts: known } = page;
  const confirmedAt = qr.confirmedAt ?? null;
  if (payment !== undefined) await bookPayment(tx, page, payment);
  const isBooked = ({ endToEndId }: PixPayment): boolean => known.some(({ id }) => id === endToEndId);
  if (told.payments.some((other) => !other.settled && !isBooked(other))) qr.confirmedAt = confirmedAt ?? tx.now;
  // An answer older than what another handler learnt meanwhile must not take that back.
  else if (payment !== undefined || confirmedAt === told.look.confirmedAt) qr.confirmedAt = null;
  return page;
}

async function closeNotice(
  tx: Tx,
  told: Told,
  last: PixPayment | undefined,
): Promise<{ isClosed: boolean; isReceived: boolean; intent: PaymentIntentView }> {
  const { own, qr, receipts: known } = await bookAnswer(tx, told, last);
  const isReceived = known.length > 0;
  const isDecided = known.every(({ intentId }) => (intentId ?? null) !== null);
  const isClosed = (qr.confirmedAt ?? null) === null && isDecided && (isReceived || !told.isConcluded);
  if (isClosed) endNotice(tx, told.look);
  return { isClosed, isReceived, intent: viewIntent(own) };
}

/** A later notice has another version or id: what it tells was perhaps not in the answer that we handled. */
const deleteNotice = statement('delete_notice', `DELETE FROM outbox WHERE id = :noticeId AND version = :noticeVersion`);

function endNotice(tx: Tx, { noticeId, noticeVersion }: Look): void {
  if (noticeId !== null) tx.write(deleteNotice, { noticeId, noticeVersion });
}

/** Books one payment once: its QR code has ended in whatever state it was, and what it is for is decided (docs/product/payments.md#receipts-and-surplus). */
async function bookPayment(tx: Tx, { book, own, qr, receipts: known }: Page, payment: PixPayment): Promise<void> {
  const receipt = known.find(({ id }) => id === payment.endToEndId);
  if (receipt?.intentId != null) return;
  // First: what follows ends the QR codes that are not ended yet.
  qr.state = 'ended';
  const intentId = await settleReceipt(tx, { book, own, amount: payment.amount, paidAt: payment.paidAt });
  if (receipt !== undefined) {
    receipt.intentId = intentId;
    return;
  }
  const { accountId, liveMode } = tx.scope;
  const { endToEndId: id, txid, amount, paidAt } = payment;
  const { id: invoiceId } = book.invoice;
  known.push(
    tx.insert(receipts, { id, accountId, liveMode, created: tx.now, txid, invoiceId, amount, paidAt, intentId }),
  );
}
