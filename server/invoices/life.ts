import { hook } from '../db/hooks.ts';
import type { Tx } from '../db/tx.ts';
import type { Cents } from '../kernel/money.ts';
import type { Timestamp } from '../kernel/time.ts';
import { schedule } from './collection/schedule.ts';
import type { Invoice, StoredDiscount, StoredLine } from './entity.ts';
import { invoices } from './rows.ts';
import { nextInvoiceStatus } from './rules.ts';
import { viewInvoice } from './view.ts';

/** What an invoice is made of. */
export interface Bill {
  readonly id: string;
  readonly buyer: { readonly id: string; readonly name: string; readonly email: string | null };
  readonly lineItems: StoredLine[];
  readonly discounts: StoredDiscount[];
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

/** The cycle of a subscription that an invoice bills. */
export interface BilledCycle {
  readonly subscriptionId: string;
  readonly number: number;
  readonly billingReason: 'subscription_create' | 'subscription_cycle';
  /** Null until the first payment says when it begins. */
  readonly period: { readonly start: Timestamp; readonly end: Timestamp } | null;
  readonly collection: 'awaited' | 'renewal';
  /** Reminders that are not to be sent. */
  readonly reminders: number;
}

/** An invoice that nobody has been told of yet. */
function draft(tx: Tx, { buyer, cycle, ...bill }: Bill): Invoice {
  return {
    id: bill.id,
    accountId: tx.scope.accountId,
    liveMode: tx.scope.liveMode,
    created: tx.now,
    customerId: buyer.id,
    customerName: buyer.name,
    customerEmail: buyer.email,
    subscriptionId: cycle?.subscriptionId ?? null,
    cycle: cycle?.number ?? null,
    status: 'draft',
    billingReason: cycle?.billingReason ?? (bill.payableUntil === undefined ? 'manual' : 'checkout_session'),
    total: bill.total,
    amountPaid: 0,
    amountRefunded: 0,
    paymentIntentId: null,
    externalCode: bill.externalCode ?? null,
    description: bill.description ?? null,
    lineItems: bill.lineItems,
    discounts: bill.discounts,
    metadata: bill.metadata ?? [],
    dueAt: bill.dueAt,
    payableUntil: bill.payableUntil ?? null,
    periodStart: cycle?.period?.start ?? null,
    periodEnd: cycle?.period?.end ?? null,
    finalizedAt: null,
    paidAt: null,
    markedUncollectibleAt: null,
    voidedAt: null,
    collection: cycle?.collection ?? 'once',
    charges: 0,
    nextChargeAt: null,
    reminders: cycle?.reminders ?? 0,
    overdueAt: null,
    inCase: false,
    step: null,
    stepAt: null,
    wakeAt: null,
  };
}

/** An invoice that its merchant may still change. */
export function prepare(tx: Tx, bill: Bill): Invoice {
  const invoice = tx.insert(invoices, draft(tx, bill));
  tx.record('invoice.created', viewInvoice(invoice));
  return invoice;
}

/** An invoice that waits for its payment and for the first step of its collection; paid at once when it comes to nothing. */
export function issue(tx: Tx, bill: Bill, announce?: Announce): Invoice {
  const invoice = tx.insert(invoices, draft(tx, bill));
  open(tx, invoice, 'invoice.created', announce);
  return invoice;
}

/** Opens a draft for payment: what it is for never changes from here on. Nobody could pay it before, so it is not due before either. */
export function finalize(tx: Tx, invoice: Invoice): void {
  invoice.dueAt = Math.max(invoice.dueAt, tx.now);
  open(tx, invoice, 'invoice.finalized');
}

function open(tx: Tx, invoice: Invoice, announced: 'invoice.created' | 'invoice.finalized', announce?: Announce): void {
  invoice.status = nextInvoiceStatus(invoice, 'finalize');
  invoice.finalizedAt = tx.now;
  schedule(invoice, tx.scope.account);
  tx.record(announced, viewInvoice(invoice));
  announce?.(invoice);
  if (invoice.total === 0) markPaid(tx, invoice);
}

/** How an invoice is paid. */
export interface PaymentMade {
  readonly type: 'pix' | 'card';
  /** The payment method that a card is known by. */
  readonly paymentMethodId: string | null;
  readonly installments: number;
  /** A merchant's is a scheduled charge of a stored card, which no customer chose for it. */
  readonly initiator: 'customer' | 'merchant';
}

type Paying = (tx: Tx, invoice: Invoice, payment: PaymentMade) => Promise<void>;

/** Completes an invoice that is about to be paid, such as by the period that its payment begins. */
export const beforePaid = hook<Paying>('beforePaid');
/** Does what follows once the payment is recorded. */
export const afterPaid = hook<Paying>('afterPaid');

/** Pays an invoice with all that follows from it (docs/product/invoices.md#moves): the invoice's event, then the reactions'. */
export async function payInvoice(tx: Tx, invoice: Invoice, payment: PaymentMade): Promise<void> {
  for (const complete of tx.reactionsAt(beforePaid)) await complete(tx, invoice, payment);
  markPaid(tx, invoice);
  for (const follow of tx.reactionsAt(afterPaid)) await follow(tx, invoice, payment);
}

function markPaid(tx: Tx, invoice: Invoice): void {
  invoice.status = nextInvoiceStatus(invoice, 'pay');
  invoice.amountPaid = invoice.total;
  invoice.paidAt = tx.now;
  endCollection(tx, invoice);
  tx.record('invoice.paid', viewInvoice(invoice));
}

/** Cancels an invoice whose charges are out of the way; `amount_remaining` stays. */
export function voidInvoice(tx: Tx, invoice: Invoice): void {
  invoice.status = nextInvoiceStatus(invoice, 'void');
  invoice.voidedAt = tx.now;
  endCollection(tx, invoice);
  tx.record('invoice.voided', viewInvoice(invoice));
}

/** Gives up an invoice whose charges are out of the way; a late payment still pays it. */
export function markUncollectible(tx: Tx, invoice: Invoice): void {
  invoice.status = nextInvoiceStatus(invoice, 'mark_uncollectible');
  invoice.markedUncollectibleAt = tx.now;
  endCollection(tx, invoice);
  tx.record('invoice.marked_uncollectible', viewInvoice(invoice));
}

/** Tells that an invoice is unpaid; its next step is what comes after that. */
export function tellOverdue(tx: Tx, invoice: Invoice): void {
  invoice.overdueAt = tx.now;
  tx.record('invoice.overdue', viewInvoice(invoice));
  schedule(invoice, tx.scope.account);
}

/** Nothing is done by itself with an invoice that is not open any more. */
function endCollection(tx: Tx, invoice: Invoice): void {
  invoice.nextChargeAt = null;
  invoice.step = null;
  invoice.stepAt = null;
  const { inCase, subscriptionId } = invoice;
  if (inCase && subscriptionId != null) tx.enqueue({ kind: 'collection', key: subscriptionId });
  invoice.inCase = false;
}
