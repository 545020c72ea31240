import type { InvoiceStatus } from '../../contract/invoices.ts';
import type { LateFees } from '../../contract/late-fees.ts';
import type { LineKind } from '../../contract/lines.ts';
import { daysLate } from '../kernel/bank-days.ts';
import { civilDay, inPercent, isoDate } from '../kernel/brazil.ts';
import { BASIS_POINTS_IN_PERCENT, type Cents, cents, percentOfHalfUp } from '../kernel/money.ts';
import type { Timestamp } from '../kernel/time.ts';
import { isLateKind, type LateKind, subtotalOf } from './rules.ts';

/** What late payment costs. */
export interface LateAmounts {
  readonly fine: Cents;
  readonly interest: Cents;
}

export const NOTHING_LATE: LateAmounts = { fine: cents(0), interest: cents(0) };

export const lateTotal = ({ fine, interest }: LateAmounts): Cents => cents(fine + interest);

/** What of an invoice says what it costs to pay it late. */
export interface Lateable {
  readonly total: number;
  readonly lineItems: readonly { readonly kind?: LineKind; readonly quantity: number; readonly unitAmount: number }[];
  readonly dueAt: Timestamp;
  readonly lateFees?: LateFees | null | undefined;
}

/** Basis points of a whole, times the thirty days of a month of interest. */
const WHOLE_MONTH = 300_000n;

/** Simple interest for so many days, half a cent rounding up. */
function interestOf(amount: Cents, percentage: number, days: number): Cents {
  const basisPoints = BigInt(Math.round(percentage * BASIS_POINTS_IN_PERCENT));
  const twice = 2n * BigInt(amount) * basisPoints * BigInt(days);
  return cents(Number((twice + WHOLE_MONTH) / (2n * WHOLE_MONTH)));
}

/** What a bill asks for itself: nothing is asked for late fees that were not paid in time. */
const baseOf = ({ total, lineItems }: Lateable): Cents =>
  cents(Math.max(0, total - subtotalOf(lineItems.filter(({ kind }) => isLateKind(kind)))));

/** What payment at an instant costs beside the total (docs/product/late-fees.md#what-it-comes-to). */
export function lateAmounts(invoice: Lateable, at: Timestamp): LateAmounts {
  const { lateFees, dueAt } = invoice;
  if (lateFees == null || at <= dueAt) return NOTHING_LATE;
  const days = daysLate(dueAt, at);
  if (days <= lateFees.grace_days) return NOTHING_LATE;
  const base = baseOf(invoice);
  return {
    fine: percentOfHalfUp(base, lateFees.fine_percentage),
    interest: interestOf(base, lateFees.interest_percentage, days),
  };
}

/** What a charge asks for beside the total that its buyer makes at an instant: what is asked for later is no part of it. */
export const lateAtPayment = (invoice: Lateable, at: Timestamp): LateAmounts =>
  invoice.lateFees?.collect === 'at_payment' ? lateAmounts(invoice, at) : NOTHING_LATE;

/** What its buyer pays of an open invoice by hand at an instant. */
export const leftToPay = (invoice: Lateable & { readonly amountPaid: number }, at: Timestamp): Cents =>
  cents(invoice.total - invoice.amountPaid + lateTotal(lateAtPayment(invoice, at)));

/** When an amount that is charged by PIX ends to hold, of what could be paid until `expiresAt`: as the day ends whose amount it is. */
export function lateHoldsUntil(invoice: Lateable, now: Timestamp, expiresAt: Timestamp): Timestamp {
  if (invoice.lateFees?.collect !== 'at_payment') return expiresAt;
  const asked = lateTotal(lateAmounts(invoice, now));
  let { to } = civilDay(isoDate(now));
  while (to < expiresAt && lateTotal(lateAmounts(invoice, to)) === asked) ({ to } = civilDay(isoDate(to)));
  return Math.min(to, expiresAt);
}

const CLOSED: readonly InvoiceStatus[] = ['draft', 'paid', 'void'];

/** What payment now would cost, at once or by the next bill: a standalone invoice has no next bill. */
export function amountLate(
  invoice: Lateable & { readonly status: InvoiceStatus; readonly subscriptionId?: string | null | undefined },
  now: Timestamp,
): Cents {
  const { status, lateFees, subscriptionId } = invoice;
  const isAsked = lateFees?.collect === 'at_payment' || subscriptionId != null;
  return CLOSED.includes(status) || !isAsked ? cents(0) : lateTotal(lateAmounts(invoice, now));
}

/** A line of what it cost that a bill was late. */
interface LateLine {
  readonly kind: LateKind;
  readonly unitAmount: Cents;
  readonly description: string;
}

/** What was asked for, or will be; `of` names the bill where another one asks. */
export const lateLines = ({ fine, interest }: LateAmounts, terms: LateFees, of = ''): LateLine[] =>
  [
    {
      kind: 'late_fine' as const,
      unitAmount: fine,
      description: `Multa por atraso${of} (${inPercent(terms.fine_percentage)})`,
    },
    {
      kind: 'late_interest' as const,
      unitAmount: interest,
      description: `Juros por atraso${of} (${inPercent(terms.interest_percentage)} ao mês)`,
    },
  ].filter(({ unitAmount }) => unitAmount > 0);

/** A late fee as a line of the bill that was late: under the price of its first line. */
interface PricedLateLine extends LateLine {
  readonly price: string;
  readonly quantity: 1;
}

/** The lines of a bill with those of what is paid beside them, as it is late. */
export function linesWithLate<Line extends { readonly price: string }>(
  { lineItems, lateFees }: { readonly lineItems: readonly Line[]; readonly lateFees?: LateFees | null | undefined },
  late: LateAmounts,
): readonly (Line | PricedLateLine)[] {
  const [first] = lineItems;
  if (lateFees == null || first === undefined) return lineItems;
  return [
    ...lineItems,
    ...lateLines(late, lateFees).map((line) => ({ price: first.price, quantity: 1 as const, ...line })),
  ];
}

/** What a charge asks for beside the total of its invoice, or what was paid of an invoice beside that. */
export const lateOf = ({ lateFine, lateInterest }: { lateFine: number; lateInterest: number }): LateAmounts => ({
  fine: cents(lateFine),
  interest: cents(lateInterest),
});
