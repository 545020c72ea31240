import type { LateFees } from '../../contract/late-fees.ts';
import { lockRedemption, redeem, redeemedBy, releaseOf } from '../coupons/redemption.ts';
import { keyed, mine } from '../db/statement.ts';
import { giveBack, lockTaken } from '../invoice-items/pending.ts';
import type { Cents } from '../kernel/money.ts';
import { mergedDays, type OwnDays } from '../kernel/own-days.ts';
import { HOUR, MINUTE, realInstant, type Timestamp } from '../kernel/time.ts';
import { hook } from '../unit-of-work/hooks.ts';
import { type Change, type NewRow, table } from '../unit-of-work/table.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { collectionDaysOf, remindFrom } from './days.ts';
import { type Invoice, type InvoiceDiscount, InvoiceSchema, type StoredCredit, type StoredLine } from './entity.ts';
import type { LateAmounts } from './late-fees.ts';
import { nextInvoiceStatus, nextStep, type StepKind } from './rules.ts';
import { viewInvoice } from './view.ts';

/** The instant of the next step in real time follows from the account's. */
function wake(invoice: Invoice, { clock }: Change<Invoice>): void {
  invoice.wakeAt = invoice.stepAt == null ? null : realInstant(clock, invoice.stepAt);
}

/**
 * Invoices that were opened: what they are for never changes. Their statements (`lock_row_invoice`, `insert_row_invoice`,
 * `update_row_invoice`) are made in server/unit-of-work/table.ts.
 */
const invoices = table(InvoiceSchema, {
  updatesFirst: true,
  fixed: [
    'customerId',
    'customerName',
    'customerEmail',
    'subscriptionId',
    'billingReason',
    'externalCode',
    'description',
    'lineItems',
    'credits',
    'metadata',
    'payableUntil',
    'finalizedAt',
  ],
  derive: wake,
});

/** Drafts, which may change until they are opened. */
export const drafts = table(InvoiceSchema, {
  variant: 'draft',
  fixed: ['customerId', 'customerName', 'customerEmail', 'subscriptionId', 'billNumber', 'billingReason'],
  derive: wake,
});

/** Whatever a payment changes of a subscription, the subscription is locked before its invoices (docs/design/transactions.md#locks). */
const lockSubscriptionOfInvoice = keyed<{ id: string }>(
  'lock_subscription_of_invoice',
  (isAsked) =>
    `SELECT s.id FROM subscription s
     WHERE ${mine('s')} AND s.id = ANY (ARRAY(SELECT i.subscription_id FROM invoice i WHERE ${isAsked('i.id')} AND ${mine('i')}))
     ORDER BY s.id FOR UPDATE`,
);

/**
 * The invoice under the one lock of its charges. Every change of its intents, QR codes, receipts and refund parts is made
 * under it, so those rows need none of their own. A statement sent behind it sees what its former holder committed.
 */
export async function lockInvoice(tx: Tx, id: string): Promise<Invoice> {
  const [, invoice] = await Promise.all([tx.find(lockSubscriptionOfInvoice, id), tx.lock(invoices, id)]);
  await lockRedemption(tx, redeemedBy(invoice));
  await lockTaken(tx, invoice);
  return invoice;
}

/** What an invoice is made of. */
export interface Bill {
  readonly id: string;
  readonly buyer: { readonly id: string; readonly name: string; readonly email: string | null };
  readonly lineItems: StoredLine[];
  readonly discounts: InvoiceDiscount[];
  readonly credits?: StoredCredit[] | undefined;
  readonly total: Cents;
  readonly dueAt: Timestamp;
  readonly externalCode?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly metadata?: Record<string, unknown>[] | undefined;
  /** From then on it takes no payment; none: it takes payment as long as it is open. */
  readonly payableUntil?: Timestamp | undefined;
  /** Null: it stands alone. */
  readonly cycle: BilledCycle | null;
}

/** Tells of what an invoice was made for: after the invoice itself, and before its payment where it comes to nothing. */
export type Announce = (invoice: Invoice) => void;

/** The cycle of a subscription that an invoice bills; a change and an end bill none. */
export interface BilledCycle {
  readonly subscriptionId: string;
  readonly number: number | null;
  /** Its number among the bills of the subscription's cycles. */
  readonly bill: number | null;
  readonly billingReason: 'subscription_create' | 'subscription_cycle' | 'subscription_change' | 'subscription_end';
  /** Null until the first payment says when it begins. */
  readonly period: { readonly start: Timestamp; readonly end: Timestamp } | null;
  readonly collection: 'awaited' | 'renewal' | 'final';
  /** What the subscription says that late payment costs; none: what its account asks. */
  readonly lateFees: LateFees | null;
  /** The days of collection that the subscription has of its own. */
  readonly ownDays: OwnDays | null;
  /** Reminders that are not to be sent. */
  readonly reminders: number;
  /** When a stored card is charged for it by itself. */
  readonly nextChargeAt?: Timestamp | null | undefined;
}

/** An invoice that nobody has been told of yet. */
function newInvoice({ buyer, cycle, ...bill }: Bill): NewRow<Invoice> {
  return {
    id: bill.id,
    customerId: buyer.id,
    customerName: buyer.name,
    customerEmail: buyer.email,
    subscriptionId: cycle?.subscriptionId ?? null,
    cycle: cycle?.number ?? null,
    billNumber: cycle?.bill ?? null,
    status: 'draft',
    billingReason: cycle?.billingReason ?? (bill.payableUntil === undefined ? 'manual' : 'checkout_session'),
    total: bill.total,
    externalCode: bill.externalCode ?? null,
    description: bill.description ?? null,
    lineItems: bill.lineItems,
    discounts: bill.discounts,
    credits: bill.credits ?? [],
    metadata: bill.metadata ?? [],
    lateFees: cycle?.lateFees ?? null,
    dueAt: bill.dueAt,
    payableUntil: bill.payableUntil ?? null,
    periodStart: cycle?.period?.start ?? null,
    periodEnd: cycle?.period?.end ?? null,
    collection: cycle?.collection ?? 'once',
    reminders: cycle?.reminders ?? 0,
    nextChargeAt: cycle?.nextChargeAt ?? null,
  };
}

/** An invoice that its merchant may still change. */
export function prepare(tx: Tx, bill: Bill): Invoice {
  const invoice = tx.insert(invoices, newInvoice(bill));
  tx.record('invoice.created', viewInvoice(tx, invoice));
  return invoice;
}

/** An invoice that waits for its payment and for the first step of its collection; paid at once when it comes to nothing. */
export function issue(tx: Tx, bill: Bill, announce?: Announce): Invoice {
  const invoice = tx.insert(invoices, newInvoice(bill));
  open(tx, invoice, { announced: 'invoice.created', announce, ownDays: bill.cycle?.ownDays ?? {} });
  return invoice;
}

/** Opens a draft for payment: what it is for never changes from here on. Nobody could pay it before, so it is not due before either. */
export function finalize(tx: Tx, invoice: Invoice): void {
  invoice.dueAt = Math.max(invoice.dueAt, tx.now);
  open(tx, invoice, { announced: 'invoice.finalized', ownDays: {} });
}

interface Opening {
  readonly announced: 'invoice.created' | 'invoice.finalized';
  readonly announce?: Announce | undefined;
  readonly ownDays: OwnDays;
}

function open(tx: Tx, invoice: Invoice, { announced, announce, ownDays }: Opening): void {
  invoice.status = nextInvoiceStatus(invoice, 'finalize');
  invoice.finalizedAt = tx.now;
  // What takes payment until a deadline alone is never paid late.
  if (invoice.payableUntil == null) invoice.lateFees ??= tx.scope.account.lateFees;
  else invoice.lateFees = null;
  invoice.collectionDays = mergedDays(tx.scope.account, ownDays);
  if (invoice.collection === 'once') remindFrom(invoice, tx.now);
  schedule(invoice, tx.now);
  tx.record(announced, viewInvoice(tx, invoice));
  announce?.(invoice);
  if (invoice.total === 0) markPaid(tx, invoice);
}

/** Gives an open invoice that nobody was charged for another discount; one that comes to nothing is paid. */
export function discountOpen(
  tx: Tx,
  invoice: Invoice,
  { discounts, total }: { discounts: InvoiceDiscount[]; total: Cents },
): void {
  Object.assign(invoice, { discounts, total });
  tx.record('invoice.updated', viewInvoice(tx, invoice));
  if (total === 0) markPaid(tx, invoice);
}

/** How an invoice is paid. */
export interface PaymentMade {
  readonly type: 'pix' | 'card' | 'pix_automatico';
  /** The payment method that a card is known by. */
  readonly paymentMethodId: string | null;
  readonly installments: number;
  /** A merchant's is a scheduled charge of a stored card, which no customer chose for it. */
  readonly initiator: 'customer' | 'merchant';
  /** When the buyer paid, as far as that is told. */
  readonly at: Timestamp;
  /** What was paid beside the total, as it was charged late. */
  readonly late: LateAmounts;
}

type Paying = (tx: Tx, invoice: Invoice, payment: PaymentMade) => Promise<void>;

/** Completes an invoice that is about to be paid, such as by the period that its payment begins. */
export const beforePaid = hook<Paying>('beforePaid');
/** Does what follows once the payment is recorded. */
export const afterPaid = hook<Paying>('afterPaid');

/** Pays an invoice with all that follows from it (docs/product/invoices.md#moves): the invoice's event, then the reactions'. */
export async function payInvoice(tx: Tx, invoice: Invoice, payment: PaymentMade): Promise<void> {
  for (const complete of tx.reactionsAt(beforePaid)) await complete(tx, invoice, payment);
  const { fine, interest } = payment.late;
  invoice.lateFine = fine;
  invoice.lateInterest = interest;
  invoice.total += fine + interest;
  markPaid(tx, invoice);
  for (const follow of tx.reactionsAt(afterPaid)) await follow(tx, invoice, payment);
}

/** An invoice of 0 comes here without the hooks, for it has no payment: what its subscription needs is done by whoever issues it. */
function markPaid(tx: Tx, invoice: Invoice): void {
  invoice.status = nextInvoiceStatus(invoice, 'pay');
  invoice.amountPaid = invoice.total;
  invoice.paidAt = tx.now;
  endCollection(tx, invoice);
  tx.record('invoice.paid', viewInvoice(tx, invoice));
  redeem(tx, invoice);
}

/** Cancels an invoice whose charges are out of the way; `amount_remaining` stays. */
export function voidInvoice(tx: Tx, invoice: Invoice): void {
  invoice.status = nextInvoiceStatus(invoice, 'void');
  invoice.voidedAt = tx.now;
  endCollection(tx, invoice);
  tx.record('invoice.voided', viewInvoice(tx, invoice));
  // Made anew, it is paid by the other.
  if (!invoice.superseded) releaseOf(tx, invoice);
  giveBack(tx, invoice);
}

/** Gives up an invoice whose charges are out of the way; a late payment still pays it. */
export function markUncollectible(tx: Tx, invoice: Invoice): void {
  invoice.status = nextInvoiceStatus(invoice, 'mark_uncollectible');
  invoice.markedUncollectibleAt = tx.now;
  endCollection(tx, invoice);
  tx.record('invoice.marked_uncollectible', viewInvoice(tx, invoice));
}

/** Tells that an invoice is unpaid; its next step is what comes after that. */
export function tellOverdue(tx: Tx, invoice: Invoice): void {
  invoice.overdueAt = tx.now;
  tx.record('invoice.overdue', viewInvoice(tx, invoice));
  schedule(invoice, tx.now);
}

/** Nothing is done by itself with an invoice that is not open any more. */
function endCollection(tx: Tx, invoice: Invoice): void {
  invoice.nextChargeAt = null;
  invoice.debitLookAt = null;
  invoice.step = null;
  invoice.stepAt = null;
  const { inCase, subscriptionId } = invoice;
  if (inCase && subscriptionId != null) tx.enqueue({ kind: 'collection', key: subscriptionId });
  invoice.inCase = false;
}

/** Says on an open invoice what is done with it next. */
export function schedule(invoice: Invoice, now: Timestamp): void {
  const next = invoice.status === 'open' ? nextStep(invoice, { days: collectionDaysOf(invoice), now }) : null;
  invoice.step = next?.step ?? null;
  invoice.stepAt = next?.at ?? null;
}

/** Whether this is what is to be done with the invoice now. */
export const isDue = ({ status, step, stepAt }: Invoice, wanted: StepKind, now: Timestamp): boolean =>
  status === 'open' && step === wanted && stepAt != null && stepAt <= now;

/** What decides on the invoice is in flight: it is scheduled again by what comes of that. */
export function park(invoice: Invoice): void {
  invoice.step = null;
  invoice.stepAt = null;
}

/** Shortest and longest wait for something that nobody tells of, on the account's clock. */
const PAUSE_MIN = MINUTE;
const PAUSE_MAX = HOUR;

/** The step that is due waits: as long again as it has waited already, so that what lasts is looked at ever more rarely. */
export function postpone(invoice: Invoice, now: Timestamp): void {
  const waited = now - (nextStep(invoice, { days: collectionDaysOf(invoice), now })?.at ?? now);
  invoice.stepAt = now + Math.min(PAUSE_MAX, Math.max(PAUSE_MIN, waited));
}
