import { statement } from '../../db/statement.ts';
import { lateOf, lateTotal } from '../../invoices/late-fees.ts';
import { payInvoice } from '../../invoices/life.ts';
import type { Timestamp } from '../../kernel/time.ts';
import { MERGE_ASKED } from '../../unit-of-work/facts.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import type { PaymentIntent, PixReceipt } from '../entity.ts';
import { type Book, discardUnsettled, findIntent, findQr, newIntent, settleIntent } from '../intents/book.ts';
import { bookTry } from '../intents/debit-tries.ts';
import { receipts } from '../intents/rows.ts';
import { returnSurplus } from '../refunds/parts.ts';
import { decideReceipt, type ReceiptDecision } from '../rules.ts';

/** Money that came in, and what it may be for; `own` is null when another charge took over from `asked`, that of its QR code. */
interface Claim {
  readonly book: Book;
  readonly own: PaymentIntent | null;
  readonly asked: PaymentIntent;
  readonly amount: number;
  readonly paidAt: Timestamp;
}

/** Does what the money is for; answers the intent that its receipt belongs to, null while that cannot be told. */
export async function settleReceipt(tx: Tx, claim: Claim): Promise<string | null> {
  const { book, own, asked, amount, paidAt } = claim;
  const decision = decideReceipt({
    own: own?.status ?? 'discarded',
    unsettled: book.intent?.status ?? null,
    invoice: book.invoice.status,
    isWhole: amount === book.invoice.total + lateTotal(lateOf(asked)),
    isInTime: paidAt <= (book.invoice.payableUntil ?? paidAt),
  });
  return settlements[decision](tx, claim);
}

const settlements: Record<ReceiptDecision, (tx: Tx, claim: Claim) => Promise<string | null>> = {
  settles_intent: async (tx, { book, own, paidAt: at }) => {
    if (own === null) throw new Error('a discarded charge cannot settle');
    if (own.mandateId != null) bookTry(tx, own, { status: 'paid' });
    else tx.count((business) => business.qrCode('paid', own));
    settleIntent(tx, own);
    await payInvoice(tx, book.invoice, { ...(own.mandateId == null ? BY_PIX : BY_MANDATE), at, late: lateOf(own) });
    return own.id;
  },
  settles_invoice: async (tx, { book, asked, paidAt: at }) => {
    const late = lateOf(asked);
    // Another QR code settled the invoice: the QR code that stands must not be paid as well.
    discardUnsettled(tx, book, null);
    const intent = newIntent(tx, book.invoice, { method: 'pix', late });
    tx.count((business) => business.qrCode('paid', intent));
    settleIntent(tx, intent);
    await payInvoice(tx, book.invoice, { ...BY_PIX, at, late });
    return intent.id;
  },
  surplus: async (tx, { book, amount }) => {
    const intent = newIntent(tx, book.invoice, { method: 'pix', amount, surplus: true });
    tx.count((business) => business.qrCode('late', intent));
    settleIntent(tx, intent);
    returnSurplus(tx, { intent, parts: [] });
    return intent.id;
  },
  undecided: async () => null,
};

/** What its mandate pays chooses no method. */
const BY_MANDATE = { type: 'pix_automatico', paymentMethodId: null, installments: 1, initiator: 'merchant' } as const;

const BY_PIX = { type: 'pix', paymentMethodId: null, installments: 1, initiator: 'customer' } as const;

/** Decided in one transaction; the rest goes to the cases of their QR codes. */
const WAITING_MAX = 10;

const readUndecided = statement<PixReceipt>(
  'read_undecided_receipts',
  `SELECT ${receipts.columns('r')} FROM pix_receipt r WHERE r.invoice_id = :invoiceId AND r.intent_id IS NULL
   ORDER BY r.id LIMIT ${WAITING_MAX + 1}`,
);

const askForUndecided = statement(
  'ask_for_undecided_receipts',
  `INSERT INTO outbox (kind, key, account_id, live_mode)
   SELECT DISTINCT 'pix-settlement', r.txid, r.account_id, r.live_mode FROM pix_receipt r WHERE r.invoice_id = :invoiceId AND r.intent_id IS NULL
   ${MERGE_ASKED}`,
);

/** Receipts that came while a charge of the invoice was at the acquirer, to be read behind the lock of the invoice. */
export async function undecidedReceipts(tx: Tx, invoiceId: string): Promise<PixReceipt[]> {
  const found = await tx.query(readUndecided, { invoiceId });
  return found.map((receipt) => tx.keep(receipts, receipt));
}

/** The charge whose QR code was paid. */
async function chargeOf(tx: Tx, { txid }: PixReceipt): Promise<PaymentIntent> {
  const qr = await findQr(tx, txid);
  const intent = qr === null ? null : await findIntent(tx, qr.intentId);
  if (intent === null) throw new Error(`the QR code ${txid} lost its intent`);
  return intent;
}

/** Decides on receipts that waited for a charge, now that its outcome is known (docs/product/payments.md#receipts-and-surplus); `book` is as that left it. */
export async function decideWaiting(tx: Tx, book: Book, waiting: readonly PixReceipt[]): Promise<void> {
  for (const receipt of waiting.slice(0, WAITING_MAX)) {
    const { amount, paidAt } = receipt;
    const asked = await chargeOf(tx, receipt);
    receipt.intentId = await settleReceipt(tx, { book, own: null, asked, amount, paidAt });
  }
  if (waiting.length > WAITING_MAX) tx.write(askForUndecided, { invoiceId: book.invoice.id });
}
