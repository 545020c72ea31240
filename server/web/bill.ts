import type { InvoiceStatus } from '../../contract/invoices.ts';
import type { PaymentIntentStatus } from '../../contract/payments.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../accounts/scope.ts';
import { run, statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { StoredLine } from '../invoices/entity.ts';
import { isDayOver } from '../kernel/brazil.ts';
import type { Timestamp } from '../kernel/time.ts';
import { UNSETTLED } from '../payments/intents/book.ts';
import { qrImage } from '../payments/pix/image.ts';
import { acceptsPayment, type QrState, qrUse } from '../payments/rules.ts';

interface BillRow extends ScopeRow {
  id: string;
  status: InvoiceStatus;
  lineItems: StoredLine[];
  total: number;
  amountPaid: number;
  amountRefunded: number;
  dueAt: Timestamp;
  paidAt: Timestamp | null;
  intentStatus: PaymentIntentStatus | null;
  isConfirmed: boolean;
  state: QrState | null;
  expiresAt: Timestamp | null;
  copyPaste: string | null;
}

/** A QR code that can be paid now. */
export interface StandingQr {
  readonly image: string;
  readonly copyPaste: string;
  readonly expiresAt: Timestamp;
}

/** `confirmed`: the acquirer has the money and has not settled it; `processing`: a charge by card is at the acquirer. */
export type Standing = 'payable' | 'confirmed' | 'processing' | 'paid' | 'void';

/** An invoice as its buyer sees it. */
export interface Bill extends Pick<BillRow, 'id' | 'liveMode' | 'lineItems' | 'dueAt' | 'paidAt'> {
  readonly merchant: string;
  /** The account and mode that whoever holds the link acts in. */
  readonly scope: Scope;
  readonly standing: Standing;
  readonly isLate: boolean;
  /** What is left to pay while it is payable, else what it comes to. */
  readonly amount: number;
  readonly amountRefunded: number;
  readonly qr: StandingQr | null;
}

const readBill = statement<BillRow>(
  'read_bill',
  `SELECT i.id, ${scopeColumns('i')}, i.status, i.line_items AS "lineItems",
     i.total, i.amount_paid AS "amountPaid", i.amount_refunded AS "amountRefunded", i.due_at AS "dueAt", i.paid_at AS "paidAt",
     p.status AS "intentStatus", c.state, c.expires_at AS "expiresAt", c.copy_paste AS "copyPaste",
     EXISTS(SELECT FROM pix_charge q WHERE q.invoice_id = i.id AND q.confirmed_at IS NOT NULL) AS "isConfirmed"
   FROM invoice i JOIN account a ON a.id = i.account_id
   LEFT JOIN payment_intent p ON p.invoice_id = i.id AND p.status IN ${UNSETTLED}
   LEFT JOIN pix_charge c ON c.intent_id = p.id
   WHERE i.id = :invoiceId AND i.status <> 'draft'`,
);

function standingOf({ status, isConfirmed, intentStatus }: BillRow): Standing {
  if (!acceptsPayment(status)) return status === 'paid' ? 'paid' : 'void';
  if (isConfirmed) return 'confirmed';
  return intentStatus === 'processing' ? 'processing' : 'payable';
}

async function standingQr({ state, expiresAt, copyPaste }: BillRow, now: Timestamp): Promise<StandingQr | null> {
  if (state === null || expiresAt === null || copyPaste === null) return null;
  if (qrUse({ state, expiresAt }, now) !== 'hand_out') return null;
  return { image: await qrImage(copyPaste), copyPaste, expiresAt };
}

/** The invoice of a link; null where there is none, or only a draft. */
export async function findBill(deps: Deps, invoiceId: string): Promise<Bill | null> {
  const [row] = await run(deps.pool, readBill, { invoiceId });
  if (row === undefined) return null;
  const scope = scopeOf(row);
  const now = deps.clock.now(scope);
  const { id, liveMode, lineItems, dueAt, paidAt, total, amountPaid, amountRefunded } = row;
  const standing = standingOf(row);
  return {
    merchant: scope.account.name,
    ...{ id, liveMode, lineItems, dueAt, paidAt, amountRefunded, scope, standing },
    isLate: isDayOver(dueAt, now),
    amount: standing === 'paid' ? amountPaid : total - amountPaid,
    qr: standing === 'payable' ? await standingQr(row, now) : null,
  };
}
