import type { InvoiceStatus } from '../../contract/invoices.ts';
import { type DiscountInput, type LineKind, lateKinds } from '../../contract/lines.ts';
import { type CollectionDays, daysAfter, REMINDERS_MAX, remindsAt, suspendsAt } from '../kernel/collection-days.ts';
import { BillingError } from '../kernel/errors.ts';
import { isLetterHour, nextLetterHour } from '../kernel/letter-hours.ts';
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
  readonly kind?: LineKind;
  /** The charge that waited for the bill. */
  readonly invoiceItem?: string;
}

export const lineAmount = (line: PricedLine): Cents => cents(line.unitAmount * line.quantity);

export function subtotalOf(lines: readonly PricedLine[]): Cents {
  return cents(lines.reduce((sum, line) => sum + lineAmount(line), 0));
}

export const creditAmount = (credits: readonly { readonly amount: number }[]): Cents =>
  cents(credits.reduce((sum, { amount }) => sum + amount, 0));

/** A discount to apply; one of a coupon stands before the others. */
export type AppliedDiscountInput = DiscountInput & {
  /** Of a coupon: the prices of the lines that it takes something off; null: of all but setup fees. */
  readonly coupon?: { readonly prices: readonly string[] | null };
};

function offOf(running: Cents, discount: DiscountInput): Cents {
  return discount.type === 'percentage' ? percentOfHalfUp(running, discount.percentage) : cents(discount.amount_cents);
}

export type LateKind = (typeof lateKinds)[number];

/** Whether a line is of late fees. */
export const isLateKind = (kind: string | undefined): kind is LateKind => lateKinds.some((late) => late === kind);

/** A line that discounts are taken off: what waited for a bill is none, nor is a setup fee, unless a coupon names its price. */
const isDiscounted = ({ kind, invoiceItem }: PricedLine): boolean => invoiceItem === undefined && kind !== 'setup';

/** What a discount takes off, what it would take off more than there is, and what the former ones left. */
interface TakenOff {
  readonly off: Cents;
  readonly asked: Cents;
  readonly left: Cents;
}

/** What a coupon takes off, of which some off setup fees: never more than the lines it applies to come to. */
function offByCoupon(lines: readonly PricedLine[], discount: AppliedDiscountInput): { off: Cents; ofSetup: Cents } {
  const prices = discount.coupon?.prices ?? null;
  const isNamed = ({ price }: PricedLine): boolean => price !== undefined && prices?.includes(price) === true;
  const base = subtotalOf(lines.filter((line) => isDiscounted(line) && (prices === null || isNamed(line))));
  const setup = subtotalOf(lines.filter((line) => line.kind === 'setup' && isNamed(line)));
  const upTo = (subtotal: Cents): Cents => cents(Math.min(subtotal, offOf(subtotal, discount)));
  const off = upTo(cents(base + setup));
  return { off, ofSetup: cents(off - upTo(base)) };
}

/**
 * What each discount takes off some lines, each on what the former ones left and never more than that; what they leave of the
 * discounted lines (`net`), and of all (docs/product/invoices.md#discounts-and-total).
 */
export function takeOff(
  lines: readonly PricedLine[],
  discounts: readonly AppliedDiscountInput[],
): { offs: TakenOff[]; net: Cents; total: Cents } {
  let net = subtotalOf(lines.filter(isDiscounted));
  let others = subtotalOf(lines.filter((line) => !isDiscounted(line)));
  const offs = discounts.map((discount): TakenOff => {
    const left = net;
    if (discount.coupon === undefined) {
      const asked = offOf(net, discount);
      const off = cents(Math.min(asked, net));
      net = cents(net - off);
      return { off, asked, left };
    }
    const { off, ofSetup } = offByCoupon(lines, discount);
    net = cents(net - (off - ofSetup));
    others = cents(others - ofSetup);
    return { off, asked: off, left };
  });
  return { offs, net, total: cents(net + others) };
}

/** What lines come to less their discounts; 422 when one that no coupon gives takes more than the former ones left. */
export function totalOf(
  lines: readonly PricedLine[],
  discounts: readonly AppliedDiscountInput[],
  param: string,
): Cents {
  const { offs, total } = takeOff(lines, discounts);
  const inline = offs.filter((_, at) => discounts[at]?.coupon === undefined);
  for (const [at, { asked, left }] of inline.entries()) {
    if (asked <= left) continue;
    throw new BillingError('DISCOUNT_EXCEEDS_SUBTOTAL', {
      message: `${param}[${at}] takes ${asked} cents off, ${left} are left of the subtotal`,
      param: `${param}[${at}]`,
    });
  }
  return total;
}

/** What collection does with an open invoice, in the order of what falls at one instant (docs/product/collection.md#order-at-one-instant). */
export const stepKinds = ['charge', 'debit', 'mark_overdue', 'suspend', 'cancel', 'remind'] as const;
export type StepKind = (typeof stepKinds)[number];

/** Their places among what falls at one instant: charges, overdue, suspension or cancellation; cycles come after, then e-mails. */
export const STEP_RANKS: Readonly<Record<StepKind, number>> = {
  charge: 1,
  debit: 1,
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
 * How an open invoice is collected: `once`: it is reminded of and told overdue; `awaited`: its subscription, or a change of it, waits for it and
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
  /** When the acquirer is asked next about its debit by mandate. */
  readonly debitLookAt?: Timestamp | null | undefined;
  /** Reminders that were sent, or are not to be sent. */
  readonly reminders: number;
}

/** Nothing is reminded of, as of a bill that a card is charged for. */
export const NO_REMINDERS = REMINDERS_MAX;

/** By which days an invoice is collected, seen from an instant. */
interface Seen {
  readonly days: CollectionDays;
  readonly now: Timestamp;
}

const steps: Readonly<Record<StepKind, (invoice: Collected, seen: Seen) => Timestamp | null>> = {
  charge: ({ nextChargeAt }) => nextChargeAt ?? null,
  debit: ({ debitLookAt }) => debitLookAt ?? null,
  mark_overdue: ({ dueAt, overdueAt }, { days }) => (overdueAt == null ? daysAfter(dueAt, days.overdueDays) : null),
  suspend: ({ dueAt }, { days }) => suspendsAt(dueAt, days),
  cancel: ({ dueAt }, { days }) => daysAfter(dueAt, days.cancelDays),
  remind: ({ dueAt, reminders }, { days, now }) => {
    const day = days.reminderDays[reminders];
    if (day === undefined) return null;
    const at = remindsAt(dueAt, day);
    // One that is late, as after an outage or of a bill made at night, waits for the morning.
    return at <= now && !isLetterHour(now) ? nextLetterHour(now) : at;
  },
};

const stepsOf: Readonly<Record<Collection, readonly StepKind[]>> = {
  once: ['mark_overdue', 'remind'],
  awaited: ['charge'],
  renewal: ['charge', 'debit', 'mark_overdue', 'suspend', 'remind'],
  suspended: ['cancel'],
  final: ['charge', 'mark_overdue', 'remind'],
};

/** What is done with an open invoice next; null: nothing, by itself. */
export function nextStep(invoice: Collected, seen: Seen): Step | null {
  let next: Step | null = null;
  for (const step of stepsOf[invoice.collection]) {
    const at = steps[step](invoice, seen);
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
export const remindersPast = (dueAt: Timestamp, { days, now }: Seen): number =>
  days.reminderDays.filter((day) => remindsAt(dueAt, day) <= now).length;

/** Whose bill an invoice is: the subscription, or the invoice of none. */
export const billedOf = ({
  id,
  subscriptionId,
}: {
  readonly id: string;
  readonly subscriptionId?: string | null | undefined;
}): string => subscriptionId ?? id;
