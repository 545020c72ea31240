import type { DeclineReason } from '../../contract/errors.ts';
import type { BillingReason } from '../../contract/invoices.ts';
import type { LateFees } from '../../contract/late-fees.ts';
import type { CheckoutInput } from '../../contract/payment-methods.ts';
import type { PaymentIntentStatus } from '../../contract/payments.ts';
import type { Method, Standing, SuspensionView } from '../../web/page/page-data.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../accounts/scope.ts';
import { installmentsAllowed, installmentTerms } from '../catalog/rules.ts';
import { hangsOn } from '../db/months.ts';
import { acrossAccounts, run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { leftToPay } from '../invoices/late-fees.ts';
import { firstPriceOf } from '../invoices/lines.ts';
import { civilDay, isDayOver } from '../kernel/brazil.ts';
import { BillingError } from '../kernel/errors.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import { DECLINES_MAX, declinesOf } from '../payments/card/declines.ts';
import { UNSETTLED } from '../payments/intents/book.ts';
import { debitClosesAt } from '../payments/pix/debit-days.ts';
import { acceptsPayment, type QrState, qrUse } from '../payments/rules.ts';
import { checkoutInvoice } from '../subscriptions/mandates/checkout.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { type Billed, viewBill } from './bill-items.ts';
import { lateNotice } from './late-notice.ts';
import { type MandateColumns, mandateColumns, mandateVersion, offeredMandate } from './mandate-offer.ts';
import { idOfLink } from './page-requests.ts';
import type { FoundPurchase, PurchaseSource } from './purchase.ts';
import { joined, noticeOf, readNoticedOfInvoice } from './subscription-notice.ts';

interface BillRow extends ScopeRow, MandateColumns, Billed {
  id: string;
  description: string | null;
  amountRefunded: number;
  /** What its subscription says of its bills to come. */
  renewalLateFees: LateFees | null;
  paidAt: Timestamp | null;
  closedAt: Timestamp | null;
  paidMethod: Method | null;
  paidInstallments: number | null;
  intentId: string | null;
  intentStatus: PaymentIntentStatus | null;
  declineReason: DeclineReason | null;
  isOfBuyer: boolean | null;
  isUnknown: boolean | null;
  isConfirmed: boolean;
  declines: number;
  state: QrState | null;
  expiresAt: Timestamp | null;
  copyPaste: string | null;
  txid: string | null;
  /** The day of its debit. */
  scheduledFor: string | null;
  billingReason: BillingReason;
  cardInstallmentsEnabled: boolean | null;
  maxCardInstallments: number | null;
  recurringInterval: 'day' | 'week' | 'month' | null;
  recurringIntervalCount: number | null;
  customerId: string;
  /** The card that was declined last by schedule, also where the buyer has another charge by now; null: it is not suspended. */
  suspended: SuspensionView | null;
  /** Whether its subscription is in a minimum term. */
  keepsCard: boolean;
  isBound: boolean;
}

const IS_CONFIRMED = `EXISTS(SELECT FROM pix_charge q WHERE ${hangsOn('', 'q.invoice_id', 'i.id')} AND q.confirmed_at IS NOT NULL)`;

/** The invoice with its unsettled charge `p`, that one's QR code and newest attempt, the charge `s` that settled it, and its first price. */
const readBill = acrossAccounts<BillRow>(
  'read_bill',
  `SELECT i.id, ${scopeColumns('i')}, i.status, i.description, i.line_items AS "lineItems", i.discounts, i.credits,
     i.total, i.amount_paid AS "amountPaid", i.amount_refunded AS "amountRefunded", i.due_at AS "dueAt", i.late_fees AS "lateFees", i.late_fine AS "lateFine", i.late_interest AS "lateInterest", b.late_fees AS "renewalLateFees", i.paid_at AS "paidAt",
     coalesce(i.paid_at, i.voided_at, i.marked_uncollectible_at) AS "closedAt",
     CASE WHEN s.mandate_id IS NULL THEN s.payment_method_type ELSE 'pix_automatico' END AS "paidMethod", s.installments AS "paidInstallments",
     p.id AS "intentId", p.status AS "intentStatus", p.late_fine AS "askedFine", p.late_interest AS "askedInterest", p.decline_reason AS "declineReason", p.scheduled_for AS "scheduledFor",
     t.initiator = 'customer' AS "isOfBuyer", t.unknown_at IS NOT NULL AS "isUnknown", ${IS_CONFIRMED} AS "isConfirmed",
     ${declinesOf('i.id')} AS declines, c.state, c.expires_at AS "expiresAt", c.copy_paste AS "copyPaste", c.id AS txid,
     r.card_installments_enabled AS "cardInstallmentsEnabled", r.max_card_installments AS "maxCardInstallments",
     i.subscription_id IS NOT NULL AS "keepsCard", i.customer_id AS "customerId",
     CASE WHEN b.status = 'suspended' THEN json_build_object('brand', k.brand, 'last4', k.last4, 'reason', k.decline_reason) END AS suspended,
     i.billing_reason AS "billingReason", b.term_cycles IS NOT NULL AS "isBound", ${mandateColumns},
     r.recurring_interval AS "recurringInterval", r.recurring_interval_count AS "recurringIntervalCount"
   FROM invoice i JOIN account a ON a.id = i.account_id
   LEFT JOIN payment_intent p ON ${hangsOn('pi_', 'p.invoice_id', 'i.id')} AND p.status IN ${UNSETTLED}
   LEFT JOIN pix_charge c ON ${hangsOn('', 'c.intent_id', 'p.id')}
   LEFT JOIN LATERAL (SELECT g.initiator, g.unknown_at FROM charge_attempt g WHERE ${hangsOn('ca_', 'g.intent_id', 'p.id')} ORDER BY g.id DESC LIMIT 1) t ON true
   LEFT JOIN payment_intent s ON s.id = i.payment_intent_id
   LEFT JOIN subscription b ON b.id = i.subscription_id
   LEFT JOIN LATERAL (SELECT g.brand, g.last4, g.decline_reason FROM charge_attempt g WHERE ${hangsOn('ca_', 'g.invoice_id', 'i.id')} AND g.initiator = 'merchant' AND g.status = 'declined' ORDER BY g.id DESC LIMIT 1) k ON true
   LEFT JOIN mandate m ON m.id = b.mandate_id
   ${firstPriceOf('i', 'r')}
   WHERE i.id = :invoiceId AND i.status <> 'draft'`,
);

function standingOf(row: BillRow, now: Timestamp): Standing {
  const { status, isConfirmed, intentStatus, isUnknown, scheduledFor } = row;
  if (!acceptsPayment(status)) return status === 'paid' ? 'paid' : 'void';
  if (isConfirmed) return 'confirmed';
  if (isScheduled(row) && scheduledFor !== null && debitClosesAt(scheduledFor) <= now) return 'scheduled';
  if (intentStatus !== 'processing') return 'payable';
  return isUnknown === true ? 'unknown' : 'processing';
}

/** A debit that failed is no more to come until another day is asked for. */
const isScheduled = ({ intentStatus }: BillRow): boolean => intentStatus === 'scheduled' || intentStatus === 'pending';

const debitedOn = (row: BillRow): Timestamp | null =>
  row.scheduledFor !== null && isScheduled(row) ? civilDay(row.scheduledFor).from : null;

/** The bill of a cycle brings a mandate, as its subscription renews. */
function mandateOf(row: BillRow, now: Timestamp): FoundPurchase['mandate'] {
  const { billingReason, recurringInterval: interval, recurringIntervalCount: intervalCount, txid } = row;
  const isOfCycle = billingReason === 'subscription_create' || billingReason === 'subscription_cycle';
  if (!isOfCycle || interval === null || intervalCount === null) return null;
  return offeredMandate(row, { recurrence: { interval, intervalCount }, journey: 'first_payment', txid }, now);
}

function standingQr({ state, expiresAt, copyPaste }: BillRow, now: Timestamp): FoundPurchase['qr'] {
  if (state === null || expiresAt === null || copyPaste === null) return null;
  return qrUse({ state, expiresAt }, now) === 'hand_out' ? { copyPaste, expiresAt } : null;
}

function installmentsMaxOf(row: BillRow, now: Timestamp): number {
  const { cardInstallmentsEnabled, maxCardInstallments, recurringInterval, recurringIntervalCount } = row;
  if (cardInstallmentsEnabled === null || maxCardInstallments === null) return 1;
  const price = { cardInstallmentsEnabled, maxCardInstallments, recurringInterval, recurringIntervalCount };
  return installmentsAllowed(installmentTerms(price), leftToPay(row, now));
}

interface Shown {
  readonly scope: FoundPurchase['scope'];
  readonly now: Timestamp;
  /** Where its receipt is, once it is paid. */
  readonly receipt: string;
}

function purchaseOf(row: BillRow, { scope, now, receipt }: Shown): FoundPurchase {
  const { id, description, amountRefunded, dueAt, paidAt, closedAt } = row;
  const standing = standingOf(row, now);
  const isPayable = standing === 'payable';
  const qr = isPayable ? standingQr(row, now) : null;
  const isDeclined = isPayable && row.intentStatus === 'failed' && row.isOfBuyer === true;
  return {
    ...{ id, description, scope, standing, amountRefunded, dueAt, paidAt, closedAt, qr },
    leadsTo: null,
    invoiceId: id,
    merchant: scope.account.name,
    kind: 'invoice',
    links: null,
    takesCode: false,
    endsAt: null,
    renewal: null,
    customerId: row.customerId,
    subscriptionId: null,
    suspended: isPayable ? row.suspended : null,
    keepsCard: row.keepsCard,
    ...viewBill(row, { isPayable, now }),
    isLate: isDayOver(dueAt, now),
    paidBy: paidByOf(row),
    receipt: standing === 'paid' ? receipt : null,
    mandate: isPayable ? mandateOf(row, now) : null,
    debitedOn: debitedOn(row),
    hadQr: isPayable && qr === null && row.copyPaste !== null,
    intentId: row.intentId,
    installmentsMax: installmentsMaxOf(row, now),
    declined: isDeclined ? row.declineReason : null,
    cardsExhausted: isPayable && row.declines >= DECLINES_MAX,
    renewedBy: null,
  };
}

function paidByOf({ status, paidMethod: method, paidInstallments }: BillRow): FoundPurchase['paidBy'] {
  return status !== 'paid' || method === null ? null : { method, installments: paidInstallments ?? 1 };
}

/** A page outlasts its closed invoice by so much (docs/product/payment-page.md#standings). */
const SHOWN_AFTER_CLOSE = 30 * DAY;

/** Charges the invoice of a purchase. */
export async function payBill(
  deps: Deps,
  scope: Scope,
  { purchase: { id, invoiceId }, checkout }: { purchase: FoundPurchase; checkout: CheckoutInput },
): Promise<void> {
  if (invoiceId === null) throw new BillingError('INVALID_STATE', { message: `${id} has no buyer yet` });
  await checkoutInvoice(deps, scope, { invoiceId, checkout });
}

/**
 * What late payment costs: of it, or of the bills to come where the first one of a subscription cannot be paid late. Nobody asks
 * for what the next bill would ask of one that has no next.
 */
function toldFeesOf({ lateFees, renewalLateFees, billingReason }: BillRow, { account }: Scope): LateFees | null {
  if (billingReason === 'subscription_create') return lateFees ?? renewalLateFees ?? account.lateFees;
  const isStandalone = billingReason === 'manual' || billingReason === 'checkout_session';
  return isStandalone && lateFees?.collect === 'next_invoice' ? null : lateFees;
}

/** An invoice as its buyer sees it, on a page from which `receipt` leads to its receipt; null where there is none, or only a draft. */
export async function readPurchase(
  deps: Pick<Deps, 'pool' | 'clock'>,
  { invoiceId, receipt }: { invoiceId: string; receipt: string },
): Promise<FoundPurchase | null> {
  const [row] = await run(deps.pool, readBill, { invoiceId });
  if (row === undefined) return null;
  const scope = scopeOf(row);
  const now = deps.clock.now(scope);
  const [bound] = row.isBound ? await run(deps.pool, readNoticedOfInvoice, { invoiceId }) : [];
  const notice = joined([noticeOf(bound, now), acceptsPayment(row.status) ? lateNotice(toldFeesOf(row, scope)) : null]);
  return { ...purchaseOf(row, { scope, now, receipt }), notice };
}

/** Text that is another one as soon as the invoice `i` stands otherwise, of an invoice joined by `VERSION_JOINS`. */
export const VERSION = `concat_ws(' ', i.status, i.amount_refunded, p.id, p.status, p.decline_reason, c.id, c.state, ${IS_CONFIRMED}, ${mandateVersion('i.subscription_id')},
     (SELECT max(g.unknown_at) FROM charge_attempt g WHERE ${hangsOn('ca_', 'g.intent_id', 'p.id')}))`;
export const VERSION_JOINS = `LEFT JOIN payment_intent p ON ${hangsOn('pi_', 'p.invoice_id', 'i.id')} AND p.status IN ${UNSETTLED}
   LEFT JOIN pix_charge c ON ${hangsOn('', 'c.intent_id', 'p.id')}`;

const readVersions = acrossAccounts<{ id: string; version: string }>(
  'read_bill_versions',
  `SELECT i.id, ${VERSION} AS version FROM invoice i ${VERSION_JOINS} WHERE i.id = ANY (:ids)`,
);

/** Invoices by their payment links; a draft has no page. */
export function createInvoiceSource(deps: Deps): PurchaseSource {
  const idOf: PurchaseSource['idOf'] = ({ invoice: id, signature }) => idOfLink(deps, 'invoice', { id, signature });
  return {
    idOf,
    async find(link) {
      const id = idOf(link);
      if (id === null) return 'not_found';
      // Relative, so that it holds behind a proxy that serves us under a path of its own.
      const purchase = await readPurchase(deps, { invoiceId: id, receipt: `./${link.signature}/receipt` });
      if (purchase === null) return 'not_found';
      const { closedAt, scope } = purchase;
      return closedAt !== null && closedAt + SHOWN_AFTER_CLOSE < deps.clock.now(scope) ? 'gone' : purchase;
    },
    pay: (scope, purchase, checkout) => payBill(deps, scope, { purchase, checkout }),
    async fill() {
      throw new BillingError('INVALID_STATE', { message: 'An invoice has its buyer' });
    },
    async versions(ids) {
      const rows = await run(deps.pool, readVersions, { ids });
      return new Map(rows.map(({ id, version }) => [id, version]));
    },
  };
}
