import type { Invoice as InvoiceView } from '../../contract/invoices.ts';
import { showDiscounts } from '../coupons/rules.ts';
import type { Links } from '../kernel/links.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Invoice, StoredCredit, StoredLine } from './entity.ts';
import { amountLate, lateOf, linesWithLate } from './late-fees.ts';
import { creditAmount, lineAmount, subtotalOf } from './rules.ts';

type Period = Pick<InvoiceView, 'period_start' | 'period_end'>;

/** An item of a subscription is billed for the period of its invoice. */
const asBilled = ({ kind = 'one_time', item, period: own }: StoredLine, period: Period) => ({
  kind,
  subscription_item: item ?? null,
  ...(kind === 'recurring' ? period : { period_start: own?.start ?? null, period_end: own?.end ?? null }),
});

/** Credits as an invoice, or a preview of one, shows them. */
export const viewCredits = (credits: readonly StoredCredit[]): InvoiceView['credits'] => ({
  object: 'list',
  data: credits.map(({ item, type, amount, description }) => ({
    object: 'invoice_credit',
    amount,
    description,
    invoice_item: item === '' ? null : item,
    type,
  })),
});

export const viewLines = (lines: readonly StoredLine[], period: Period): InvoiceView['line_items']['data'] =>
  lines.map((line) => ({
    object: 'item',
    price: line.price,
    quantity: line.quantity,
    unit_amount: line.unitAmount,
    amount: lineAmount(line),
    description: line.description,
    ...asBilled(line, period),
  }));

/** Of an invoice: what it asks for, and what came of that. */
function viewAmounts(invoice: Invoice, now: Timestamp) {
  return {
    amount_due: invoice.total,
    amount_paid: invoice.amountPaid,
    amount_refunded: invoice.amountRefunded,
    amount_disputed: invoice.amountDisputed,
    amount_late: amountLate(invoice, now),
    amount_remaining: invoice.total - invoice.amountPaid,
    total: invoice.total,
  };
}

/** The invoice as its retrieval answers it (docs/product/invoices.md#the-invoice). */
export function viewInvoice(
  { links, now }: { readonly links: Links; readonly now: Timestamp },
  invoice: Invoice,
): InvoiceView {
  const lines = linesWithLate(invoice, lateOf(invoice));
  const period = { period_start: invoice.periodStart ?? null, period_end: invoice.periodEnd ?? null };
  return {
    id: invoice.id,
    object: 'invoice',
    ...viewAmounts(invoice, now),
    subtotal: subtotalOf(lines),
    billing_reason: invoice.billingReason,
    created: invoice.created,
    credit_amount: creditAmount(invoice.credits),
    credits: viewCredits(invoice.credits),
    currency: 'brl',
    customer: invoice.customerId,
    cycle: invoice.cycle ?? null,
    customer_email: invoice.customerEmail ?? null,
    customer_name: invoice.customerName,
    description: invoice.description ?? null,
    discounts: { object: 'list', data: showDiscounts(invoice.discounts) },
    due_at: invoice.dueAt,
    external_code: invoice.externalCode ?? null,
    late_fees: invoice.lateFees ?? null,
    line_items: {
      object: 'list',
      data: viewLines(lines, period),
    },
    live_mode: invoice.liveMode,
    metadata: invoice.metadata,
    paid: invoice.status === 'paid',
    payment_intent: invoice.paymentIntentId ?? null,
    payment_url: invoice.finalizedAt == null ? null : links.payment(invoice),
    ...period,
    receipt_url: invoice.status === 'paid' ? links.receipt(invoice) : null,
    status: invoice.status,
    status_transitions: {
      finalized_at: invoice.finalizedAt ?? null,
      paid_at: invoice.paidAt ?? null,
      marked_uncollectible_at: invoice.markedUncollectibleAt ?? null,
      voided_at: invoice.voidedAt ?? null,
    },
    subscription: invoice.subscriptionId ?? null,
  };
}
