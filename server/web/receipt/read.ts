import type { InvoiceStatus } from '../../../contract/invoices.ts';
import type { LateFees } from '../../../contract/late-fees.ts';
import type { CardBrand } from '../../../contract/payment-methods.ts';
import type { BuyerView, ReceiptView, RefundView, SellerView } from '../../../web/page/receipt-data.ts';
import { ACCOUNT_LOOK } from '../../accounts/look.ts';
import { openedCustomer } from '../../customers/personal.ts';
import { phoneInWords } from '../../customers/phone.ts';
import { maskedTaxId, taxIdInWords } from '../../customers/tax-id.ts';
import { hangsOn } from '../../db/months.ts';
import { acrossAccounts, run } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import type { InvoiceDiscount, StoredCredit, StoredLine } from '../../invoices/entity.ts';
import { lateOf, linesWithLate } from '../../invoices/late-fees.ts';
import type { AccountLook } from '../../kernel/account.ts';
import { cents, split } from '../../kernel/money.ts';
import { maskedEmail, oneLine } from '../../kernel/text.ts';
import type { Timestamp } from '../../kernel/time.ts';
import { viewItems } from '../bill-items.ts';
import { LOGOS } from '../logos.ts';
import { viewLogo } from '../look.ts';

interface RefundRow {
  readonly amount: number;
  readonly created: Timestamp;
  readonly completedAt: Timestamp | null;
}

interface ReceiptRow {
  readonly id: string;
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly status: InvoiceStatus;
  readonly look: AccountLook;
  readonly externalCode: string | null;
  readonly description: string | null;
  readonly lineItems: StoredLine[];
  readonly lateFees: LateFees | null;
  readonly lateFine: number;
  readonly lateInterest: number;
  readonly discounts: InvoiceDiscount[];
  readonly credits: StoredCredit[];
  readonly total: number;
  readonly amountPaid: number;
  readonly amountRefunded: number;
  readonly paidAt: Timestamp | null;
  readonly periodStart: Timestamp | null;
  readonly periodEnd: Timestamp | null;
  readonly buyerName: string;
  readonly buyerEmail: string | null;
  readonly customerId: string;
  readonly personal: Buffer | null;
  readonly isAnonymized: boolean;
  readonly intentId: string | null;
  readonly method: 'pix' | 'card' | null;
  readonly installments: number | null;
  readonly brand: CardBrand | null;
  readonly last4: string | null;
  readonly endToEndId: string | null;
  readonly txid: string | null;
  readonly pixPaidAt: Timestamp | null;
  readonly refunds: RefundRow[];
}

/** A row with what is sealed of its buyer. */
type OpenRow = ReceiptRow & { readonly identifier: string | null };

/** The invoice with the look of its merchant, its customer `c`, the charge `s` that settled it with the attempt `t` or the money `r` that did, and what went back. */
const readRow = acrossAccounts<ReceiptRow>(
  'read_receipt_of_invoice',
  `SELECT i.id, i.account_id AS "accountId", i.live_mode AS "liveMode", i.status, ${ACCOUNT_LOOK}, i.external_code AS "externalCode", i.description,
     i.line_items AS "lineItems", i.late_fees AS "lateFees", i.late_fine AS "lateFine", i.late_interest AS "lateInterest", i.discounts, i.credits, i.total, i.amount_paid AS "amountPaid", i.amount_refunded AS "amountRefunded",
     i.paid_at AS "paidAt", i.period_start AS "periodStart", i.period_end AS "periodEnd",
     i.customer_name AS "buyerName", i.customer_email AS "buyerEmail", c.id AS "customerId", c.personal,
     c.anonymized_at IS NOT NULL AS "isAnonymized",
     s.id AS "intentId", s.payment_method_type AS method, s.installments, t.brand, t.last4,
     r.id AS "endToEndId", r.txid, r.paid_at AS "pixPaidAt",
     (SELECT coalesce(json_agg(json_build_object('amount', p.amount, 'created', p.created, 'completedAt', p.completed_at) ORDER BY p.id), '[]')
      FROM refund_part p WHERE p.intent_id = s.id AND p.status <> 'failed') AS refunds
   FROM invoice i JOIN account_look look ON look.account_id = i.account_id AND look.live_mode = i.live_mode JOIN customer c ON c.id = i.customer_id
   LEFT JOIN payment_intent s ON s.id = i.payment_intent_id
   LEFT JOIN charge_attempt t ON ${hangsOn('ca_', 't.intent_id', 's.id')} AND t.status = 'approved'
   LEFT JOIN pix_receipt r ON r.intent_id = s.id
   WHERE i.id = :invoiceId AND i.status <> 'draft'`,
);

/** Where a text has nothing that can be seen. */
const NOTHING = '–';

const plain = (text: string): string => oneLine(text.normalize('NFC')) || NOTHING;

const plainOrNull = (text: string | null): string | null => (text === null ? null : plain(text));

/** From the address of a receipt. */
const LOGOS_FROM_RECEIPT = `../../../${LOGOS}`;

const viewSeller = (look: AccountLook): SellerView => {
  const { name, taxId, supportEmail, supportPhone, color } = look;
  return {
    name: plain(name),
    logo: viewLogo(look, LOGOS_FROM_RECEIPT),
    taxId: taxId === null ? null : taxIdInWords(taxId),
    email: plainOrNull(supportEmail),
    phone: supportPhone === null ? null : phoneInWords(supportPhone),
    color,
  };
};

const viewBuyer = ({ buyerName, identifier, buyerEmail }: OpenRow): BuyerView => ({
  name: plain(buyerName),
  taxId: identifier === null ? null : maskedTaxId(identifier),
  email: buyerEmail === null ? null : maskedEmail(plain(buyerEmail)),
});

function viewPayment(row: ReceiptRow): ReceiptView['payment'] {
  const { intentId: id, method, brand, last4, endToEndId, txid } = row;
  if (id === null || method === null) return null;
  if (method === 'pix') return { method, id, endToEndId, txid };
  return { method, id, brand, last4, installments: split(cents(row.amountPaid), row.installments ?? 1) };
}

const viewRefund = ({ amount, created, completedAt }: RefundRow): RefundView => ({
  amount,
  isDone: completedAt !== null,
  at: completedAt ?? created,
});

function viewReceipt(row: OpenRow, paidAt: Timestamp): ReceiptView {
  const { periodStart: start, periodEnd: end } = row;
  const { lines, subtotal, discounts } = viewItems(linesWithLate(row, lateOf(row)), row.discounts, row.credits);
  return {
    invoiceId: row.id,
    externalCode: plainOrNull(row.externalCode),
    isSandbox: !row.liveMode,
    seller: viewSeller(row.look),
    buyer: row.isAnonymized ? null : viewBuyer(row),
    description: plainOrNull(row.description),
    lines: lines.map((line) => ({ ...line, description: plain(line.description) })),
    subtotal,
    discounts: discounts.map((discount) => ({ ...discount, description: plainOrNull(discount.description) })),
    total: row.total,
    amountPaid: row.amountPaid,
    amountRefunded: row.amountRefunded,
    // The instant that the buyer's bank shows as well; ours may come later.
    paidAt: row.pixPaidAt ?? paidAt,
    payment: viewPayment(row),
    period: start === null || end === null ? null : { start, end },
    refunds: row.refunds.map(viewRefund),
  };
}

/** The receipt of an invoice, and whose invoice that is. */
export interface FoundReceipt {
  readonly of: { readonly accountId: string; readonly liveMode: boolean };
  readonly receipt: ReceiptView | 'unpaid';
}

/** What an invoice has to show for its payment; null where there is no invoice, or only a draft. */
export async function readReceipt(
  { pool, secretBox }: Pick<Deps, 'pool' | 'secretBox'>,
  invoiceId: string,
): Promise<FoundReceipt | null> {
  const [row] = await run(pool, readRow, { invoiceId });
  if (row === undefined) return null;
  const { accountId, liveMode, paidAt } = row;
  const of = { accountId, liveMode };
  if (paidAt === null) return { of, receipt: 'unpaid' };
  const { identifier } = openedCustomer({ ...row, id: row.customerId }, secretBox);
  return { of, receipt: viewReceipt({ ...row, identifier }, paidAt) };
}
