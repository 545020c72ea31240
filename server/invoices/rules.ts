import type { InvoiceStatus } from '../../contract/invoices.ts';
import type { DiscountInput, LineKind } from '../../contract/lines.ts';
import { type CollectionDays, daysAfter, suspendsAt } from '../kernel/collection-days.ts';
import { BillingError } from '../kernel/errors.ts';
import { type Cents, cents, percentOfHalfUp } from '../kernel/money.ts';
import type { Timestamp } from '../kernel/time.ts';

export type InvoiceAction = 'finalize' | 'pay' | 'void' | 'mark_uncollectible';

/** Every move an invoice can make (docs/product/invoices.md#moves); a move not listed cannot happen. */
export const invoiceMoves = {
  draft: { finalize: 'open', void: 'void' },
  open: { pay: 'paid', void: 'void', mark_uncollectible: 'uncollectible' },
  uncollectible: { pay: 'paid', void: 'void' },
  paid: {},
  void: {},
} as const satisfies Record<InvoiceStatus, Partial<Record<InvoiceAction, InvoiceStatus>>>;

/** Where an action leads from a status; 409 INVALID_STATE when it leads nowhere. */
export function nextInvoiceStatus(
  invoice: { id: string; status: InvoiceStatus },
  action: InvoiceAction,
): InvoiceStatus {
  const moves: Partial<Record<InvoiceAction, InvoiceStatus>> = invoiceMoves[invoice.status];
  const next = moves[action];
  if (next === undefined) {
    const verb = action.replace('_', ' ');
    throw new BillingError('INVALID_STATE', {
      message: `${invoice.id} is ${invoice.status}: it cannot be changed by ${verb}`,
    });
  }
  return next;
}

interface PricedLine {
  readonly price?: string;
  readonly quantity: number;
  readonly unitAmount: number;
}

export const lineAmount = (line: PricedLine): Cents => cents(line.unitAmount * line.quantity);

export function subtotalOf(lines: readonly PricedLine[]): Cents {
  return cents(lines.reduce((sum, line) => sum + lineAmount(line), 0));
}

export const creditAmount = (credits: readonly { readonly amount: number }[]): Cents =>
  cents(credits.reduce((sum, { amount }) => sum + amount, 0));

/** A discount to apply; one of a coupon stands before the others. */
export type AppliedDiscountInput = DiscountInput & {
  /** Of a coupon: the prices of the lines that it takes something off; null: all of them. */
  readonly coupon?: { readonly prices: readonly string[] | null };
};

function discountOf(running: Cents, discount: DiscountInput): Cents {
  return discount.type === 'percentage' ? percentOfHalfUp(running, discount.percentage) : cents(discount.amount_cents);
}

/**
 * What a coupon takes off the lines it applies to, never more than there is: as the first of the discounts, so that nothing was
 * taken off them yet.
 */
function offByCoupon(lines: readonly PricedLine[], discount: AppliedDiscountInput): Cents {
  const prices = discount.coupon?.prices ?? null;
  const applied = prices === null ? lines : lines.filter(({ price }) => price !== undefined && prices.includes(price));
  const base = subtotalOf(applied);
  return cents(Math.min(base, discountOf(base, discount)));
}

/** Subtotal less the discounts, each on what the former ones left; 422 when one takes more than that (docs/product/invoices.md#discounts-and-total). */
export function totalOf(
  lines: readonly PricedLine[],
  discounts: readonly AppliedDiscountInput[],
  param: string,
): Cents {
  let running = subtotalOf(lines);
  let asked = 0;
  for (const discount of discounts) {
    if (discount.coupon !== undefined) {
      running = cents(running - offByCoupon(lines, discount));
      continue;
    }
    const off = discountOf(running, discount);
    if (off > running) {
      throw new BillingError('DISCOUNT_EXCEEDS_SUBTOTAL', {
        message: `${param}[${asked}] takes ${off} cents off, ${running} are left of the subtotal`,
        param: `${param}[${asked}]`,
      });
    }
    running = cents(running - off);
    asked += 1;
  }
  return running;
}

/** A line that discounts are taken off: what waited for a bill, such as its setup fee, is none. */
export const isDiscounted = ({ kind, invoiceItem }: { kind?: LineKind; invoiceItem?: string }): boolean =>
  invoiceItem === undefined && kind !== 'setup';

/** The total of lines of which only some are discounted. */
export function discountedTotal(
  lines: readonly (PricedLine & Parameters<typeof isDiscounted>[0])[],
  discounts: readonly AppliedDiscountInput[],
  param: string,
): Cents {
  const others = lines.filter((line) => !isDiscounted(line));
  return cents(totalOf(lines.filter(isDiscounted), discounts, param) + subtotalOf(others));
}

/** What collection does with an open invoice, in the order of what falls at one instant (docs/product/collection.md#order-at-one-instant). */
export const stepKinds = ['charge', 'mark_overdue', 'suspend', 'cancel', 'remind'] as const;
export type StepKind = (typeof stepKinds)[number];

/** Their places among what falls at one instant: charges, overdue, suspension or cancellation; cycles come after, then e-mails. */
export const STEP_RANKS: Readonly<Record<StepKind, number>> = {
  charge: 1,
  mark_overdue: 2,
  suspend: 3,
  cancel: 3,
  remind: 5,
};

interface Step {
  readonly step: StepKind;
  readonly at: Timestamp;
}

/**
 * How an open invoice is collected: `once`: it is only told when it is overdue; `awaited`: its subscription, or a change of it, waits for it and
 * ends by itself, and a card may be charged for it once; `renewal`: charged, reminded of, told overdue, at last it suspends its subscription; `suspended`: it has; `final`: as a renewal, of a subscription that
 * has ended and is not suspended any more.
 */
export const collections = ['once', 'awaited', 'renewal', 'suspended', 'final'] as const;
type Collection = (typeof collections)[number];

export interface Collected {
  readonly collection: Collection;
  readonly dueAt: Timestamp;
  readonly overdueAt?: Timestamp | null | undefined;
  readonly nextChargeAt?: Timestamp | null | undefined;
  /** Reminders that were sent, or are not to be sent. */
  readonly reminders: number;
}

/** Days after the due date of an invoice at which its buyer is written to (docs/product/mail.md#reminders). */
export const reminderDays = [-3, 0, 1, 3, 7] as const;

export type ReminderDay = (typeof reminderDays)[number];

/** Nothing is reminded of, as of a bill that a card is charged for. */
export const NO_REMINDERS = reminderDays.length;

const steps: Readonly<Record<StepKind, (invoice: Collected, days: CollectionDays) => Timestamp | null>> = {
  charge: ({ nextChargeAt }) => nextChargeAt ?? null,
  mark_overdue: ({ dueAt, overdueAt }, { overdueDays }) => (overdueAt == null ? daysAfter(dueAt, overdueDays) : null),
  suspend: ({ dueAt }, days) => suspendsAt(dueAt, days),
  cancel: ({ dueAt }, { cancelDays }) => daysAfter(dueAt, cancelDays),
  remind: ({ dueAt, reminders }) => {
    const day = reminderDays[reminders];
    return day === undefined ? null : daysAfter(dueAt, day);
  },
};

const stepsOf: Readonly<Record<Collection, readonly StepKind[]>> = {
  once: ['mark_overdue'],
  awaited: ['charge'],
  renewal: ['charge', 'mark_overdue', 'suspend', 'remind'],
  suspended: ['cancel'],
  final: ['charge', 'mark_overdue', 'remind'],
};

/** What is done with an open invoice next; null: nothing, by itself. */
export function nextStep(invoice: Collected, days: CollectionDays): Step | null {
  let next: Step | null = null;
  for (const step of stepsOf[invoice.collection]) {
    const at = steps[step](invoice, days);
    if (at !== null && (next === null || at < next.at)) next = { step, at };
  }
  return next;
}

/** When a card is charged for a renewal by itself: as its period begins and days later (docs/product/collection.md#charges-by-schedule). */
const chargeInstants = (dueAt: Timestamp, { retryDays }: CollectionDays): Timestamp[] =>
  [0, ...retryDays].map((day) => daysAfter(dueAt, day)).toSorted((one, other) => one - other);

/** Most charges of one renewal by itself. */
export const maxCharges = ({ retryDays }: CollectionDays): number => 1 + retryDays.length;

/** The first scheduled charge that is still ahead; null: none is, or it was charged as often as it may be. */
export const nextCharge = (
  { dueAt, charges }: { readonly dueAt: Timestamp; readonly charges: number },
  days: CollectionDays,
  now: Timestamp,
): Timestamp | null =>
  charges < maxCharges(days) ? (chargeInstants(dueAt, days).find((at) => at > now) ?? null) : null;

/** The number of reminders behind us: those overtaken by an outage are left out, for the newest says it all. */
export const remindersPast = (dueAt: Timestamp, now: Timestamp): number =>
  reminderDays.filter((day) => daysAfter(dueAt, day) <= now).length;
