import type { SubscriptionStatus } from '../../contract/subscriptions.ts';
import type { TrialEndBehavior } from '../../contract/trials.ts';
import { type InstallmentTerms, installmentsAllowed, type Recurrence } from '../catalog/rules.ts';
import { STEP_RANKS } from '../invoices/rules.ts';
import { civilDay, daysBefore, isoDate, TIME_ZONE } from '../kernel/brazil.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Cents } from '../kernel/money.ts';
import { DAY, HOUR, SECOND_MS, type Timestamp } from '../kernel/time.ts';

export type SubscriptionAction =
  | ('ask' | 'begin_trial' | 'activate' | 'suspend' | 'reactivate')
  | ('pause' | 'resume' | 'end');

/** Every move a subscription can make (docs/product/subscriptions.md#moves); a move not listed cannot happen. */
export const subscriptionMoves = {
  scheduled: { ask: 'pending', begin_trial: 'trialing', activate: 'active', end: 'inactive' },
  pending: { begin_trial: 'trialing', activate: 'active', end: 'inactive' },
  trialing: { ask: 'pending', activate: 'active', pause: 'paused', end: 'inactive' },
  active: { suspend: 'suspended', pause: 'paused', end: 'inactive' },
  paused: { resume: 'active', suspend: 'suspended', end: 'inactive' },
  suspended: { reactivate: 'pending', end: 'inactive' },
  inactive: {},
} as const satisfies Record<SubscriptionStatus, Partial<Record<SubscriptionAction, SubscriptionStatus>>>;

/** Where an action leads from a status; 409 INVALID_STATE when it leads nowhere. */
export function nextSubscriptionStatus(
  { id, status }: { id: string; status: SubscriptionStatus },
  action: SubscriptionAction,
): SubscriptionStatus {
  const moves: Partial<Record<SubscriptionAction, SubscriptionStatus>> = subscriptionMoves[status];
  const next = moves[action];
  if (next === undefined)
    throw new BillingError('INVALID_STATE', { message: `${id} is ${status}: "${action}" leads nowhere from there` });
  return next;
}

/** What says whether a card is stored for a subscription with nothing charged. */
interface CardWaiting {
  readonly status: SubscriptionStatus;
  readonly cycle: number;
  readonly trialEndBehavior?: TrialEndBehavior | null | undefined;
  readonly trialStartAt?: Timestamp | null | undefined;
}

/** Its trial begins with a card, and has not begun: it has no invoice to pay. */
export const waitsForCard = ({ status, trialEndBehavior, trialStartAt }: CardWaiting): boolean =>
  status === 'pending' && trialEndBehavior != null && trialStartAt == null;

/** Its trial ended without a card, and a card is what has its first cycle begin. */
export const resumesByCard = ({ status, cycle }: CardWaiting): boolean => status === 'paused' && cycle === 0;

/** Whether its checkout stores a card: it has no invoice to pay yet. */
export const storesCard = (subscription: CardWaiting): boolean =>
  subscription.status === 'trialing' ||
  subscription.status === 'scheduled' ||
  waitsForCard(subscription) ||
  resumesByCard(subscription);

/** Another card is for renewals: the first payment brings its own, and what ended has none to come. */
export function refuseUnlessRenewing(subscription: { id: string; status: SubscriptionStatus; cycle: number }): void {
  const { id, status, cycle } = subscription;
  if (status === 'active' || status === 'suspended' || ((status === 'pending' || status === 'paused') && cycle > 0))
    return;
  throw new BillingError('INVALID_STATE', { message: `${id} ${notRenewing[status]?.(id) ?? `is ${status}`}` });
}

const notRenewing: Partial<Record<SubscriptionStatus, (id: string) => string>> = {
  pending: (id) =>
    `waits for its first payment: pay it by POST /api/v1/subscriptions/${id}/checkout, which stores the card`,
  trialing: () => 'is trialing: its first bill comes at the end of the trial, and is charged to a card that is stored',
  paused: () => 'is paused since its trial ended without a card: a card that is stored has its first cycle begin',
  scheduled: () => 'is scheduled: its first bill comes when it begins, and is charged to a card that is stored',
  inactive: () => 'has ended: create a subscription anew',
};

const durations = {
  /** No contract takes it and the database refuses it: tests without that constraint watch cycles in real time. */
  second: (count: number) => ({ seconds: count }),
  day: (count: number) => ({ days: count }),
  week: (count: number) => ({ weeks: count }),
  month: (count: number) => ({ months: count }),
} as const satisfies Record<Recurrence['interval'] | 'second', (count: number) => Temporal.DurationLike>;

/**
 * When the n-th cycle after the anchor's begins, the anchor's own being the 0th: the same time of day, and the same day of
 * the month or its last one. Computed from the anchor, so that 31 January comes back in March.
 */
export function cycleStart(anchor: Timestamp, { interval, intervalCount }: Recurrence, n: number): Timestamp {
  const from = Temporal.Instant.fromEpochMilliseconds(anchor * SECOND_MS).toZonedDateTimeISO(TIME_ZONE);
  const civil = from.toPlainDateTime().add(durations[interval](intervalCount * n));
  const start = civil.toZonedDateTime(TIME_ZONE, { disambiguation: 'compatible' });
  return Math.floor(start.epochMilliseconds / SECOND_MS);
}

export interface Period {
  readonly start: Timestamp;
  readonly end: Timestamp;
}

/** The n-th cycle after the anchor's; each begins where the one before ends. */
export const cyclePeriod = (anchor: Timestamp, recurrence: Recurrence, n: number): Period => ({
  start: cycleStart(anchor, recurrence, n),
  end: cycleStart(anchor, recurrence, n + 1),
});

/** A first invoice, and one of a reactivated subscription, waits so long for its payment (docs/product/subscriptions.md#first-payment). */
export const PENDING_SECONDS = 7 * DAY;

/**
 * What the calendar brings a subscription: `end` of one that was not paid in time or ends by wish, `renew` with a charge of its card,
 * `bill` ahead of a period that is paid by PIX, `start_period` of a period that was billed ahead, `pause` that was asked for the end
 * of a period, and `resume` of one that is paused; `start` of one that was scheduled, and of a trial that `tell_trial` tells its end
 * ahead, and `end_trial`; `tell_renewal` of one that is told ahead; `lapse_change` of a change that was not paid in time.
 */
export const dueKinds = [
  ...([
    'end',
    'renew',
    'bill',
    'start_period',
    'pause',
    'resume',
    'start',
    'tell_trial',
    'tell_renewal',
    'end_trial',
    'lapse_change',
  ] as const),
] as const;
export type DueKind = (typeof dueKinds)[number];

/** Their places among what falls at one instant: an end is one of collection's, cycles come after its steps (docs/product/collection.md#order-at-one-instant). */
const DUE_RANKS: Readonly<Record<DueKind, number>> = {
  end: 3,
  start: 3,
  lapse_change: 3,
  renew: 4,
  bill: 4,
  start_period: 4,
  pause: 4,
  resume: 4,
  end_trial: 4,
  tell_trial: 6,
  tell_renewal: 6,
};

export interface Due {
  readonly due: DueKind;
  readonly at: Timestamp;
}

/** What of a subscription says what it waits for. */
export interface Calendared {
  readonly status: SubscriptionStatus;
  readonly paymentMethodType?: 'pix' | 'card' | 'pix_automatico' | null | undefined;
  /** The number of the current cycle. */
  readonly cycle: number;
  /** The number of the newest cycle that an invoice was made for. */
  readonly billedCycle: number;
  readonly currentPeriodStart?: Timestamp | null | undefined;
  readonly currentPeriodEnd?: Timestamp | null | undefined;
  readonly pendingUntil?: Timestamp | null | undefined;
  /** When it ends by wish. */
  readonly cancelAt?: Timestamp | null | undefined;
  /** Since when it is paused; of an active one: when its pause begins. */
  readonly pausedAt?: Timestamp | null | undefined;
  readonly resumesAt?: Timestamp | null | undefined;
  /** When one that is scheduled begins. */
  readonly startsAt?: Timestamp | null | undefined;
  readonly trialEndAt?: Timestamp | null | undefined;
  /** Whether the end of the trial was told ahead. */
  readonly trialTold?: boolean | undefined;
  /** Whether its buyer is told ahead of its renewals. */
  readonly tellsRenewal?: boolean | undefined;
  /** The cycle whose end was told ahead. */
  readonly renewalTold?: number | undefined;
  /** How many bills were made, and how many of them each discount lasts. */
  readonly bills?: number | undefined;
  readonly discounts?: readonly { readonly cycles: number | null }[] | undefined;
  /** When the change lapses that waits for its payment, by the end of the period. */
  readonly changeLapsesAt?: Timestamp | null | undefined;
}

/** Whether its buyer pays its bills by hand: neither a card nor a mandate is charged for them. */
export const isPaidByHand = ({ paymentMethodType }: Pick<Calendared, 'paymentMethodType'>): boolean =>
  paymentMethodType == null || paymentMethodType === 'pix';

/** The end of a trial is told so long ahead, or at once where it is nearer (docs/product/subscriptions.md#trials). */
export const TRIAL_TOLD_AHEAD = 3 * DAY;

/** What falls due of a trial next. */
function dueOfTrial({ trialEndAt: end, trialTold }: Calendared, cancelAt: Timestamp): Due | null {
  if (end == null) return null;
  const toldAt = trialTold === true ? Number.POSITIVE_INFINITY : end - TRIAL_TOLD_AHEAD;
  if (toldAt < Math.min(end, cancelAt)) return { due: 'tell_trial', at: toldAt };
  return cancelAt <= end ? { due: 'end', at: cancelAt } : { due: 'end_trial', at: end };
}

/** A bill that is paid by PIX comes so long before its period, but not before the current one (docs/product/subscriptions.md#renewal-by-pix). */
const BILLED_AHEAD = 3 * DAY;

/** One that is debited comes five civil days before, in the morning: its debit is told to the bank at least two days ahead. */
const DEBIT_BILLED_DAYS = 5;
const DEBIT_BILLED_HOUR = 9;

const billedForDebitAt = (end: Timestamp): Timestamp =>
  civilDay(daysBefore(isoDate(end), DEBIT_BILLED_DAYS)).from + DEBIT_BILLED_HOUR * HOUR;

/** A renewal of a year or longer, or of another price than before, is told so long ahead (docs/product/mail.md#what-happened). */
export const RENEWAL_TOLD_AHEAD = 7 * DAY;

const LONG: Readonly<Record<Recurrence['interval'], number>> = { day: 365, week: 52, month: 12 };

/** Whether something renews so rarely that its buyer is told ahead. */
export const isLong = ({ interval, intervalCount }: Recurrence): boolean => intervalCount >= LONG[interval];

/** Whether the next bill is the first without a discount: the buyer is told ahead, where the period is longer than that. */
export function losesDiscount(subscription: Calendared): boolean {
  const { bills, discounts = [], cycle, billedCycle } = subscription;
  const { currentPeriodStart: start, currentPeriodEnd: end } = subscription;
  if (start == null || end == null || end - RENEWAL_TOLD_AHEAD <= start || billedCycle > cycle) return false;
  return discounts.some(({ cycles }) => cycles !== null && cycles === bills);
}

/** What falls due of a subscription next by itself; null: nothing does. One without a method is billed as by PIX. */
export function nextDue(subscription: Calendared): Due | null {
  const { status, cycle, billedCycle, paymentMethodType } = subscription;
  const { currentPeriodStart: start, currentPeriodEnd: end, pendingUntil } = subscription;
  const cancelAt = subscription.cancelAt ?? Number.POSITIVE_INFINITY;
  if (status === 'scheduled') return subscription.startsAt == null ? null : { due: 'start', at: subscription.startsAt };
  if (status === 'trialing') return dueOfTrial(subscription, cancelAt);
  if (status === 'pending') return pendingUntil == null ? null : { due: 'end', at: Math.min(pendingUntil, cancelAt) };
  if (status === 'suspended') return Number.isFinite(cancelAt) ? { due: 'end', at: cancelAt } : null;
  if (status === 'paused') return nextOfPaused(cancelAt, subscription.resumesAt ?? Number.POSITIVE_INFINITY);
  if (status !== 'active' || start == null || end == null) return null;
  const lapsesAt = subscription.changeLapsesAt ?? Number.POSITIVE_INFINITY;
  if (lapsesAt <= cancelAt && lapsesAt <= end) return { due: 'lapse_change', at: lapsesAt };
  if (cancelAt <= end) return { due: 'end', at: cancelAt };
  if (subscription.pausedAt != null && subscription.pausedAt <= end) return { due: 'pause', at: subscription.pausedAt };
  const next = nextCycle({ start, end, isBilled: billedCycle > cycle, paidBy: paymentMethodType ?? null });
  const tells = subscription.tellsRenewal === true || losesDiscount(subscription);
  const isTold = !tells || subscription.renewalTold === cycle;
  const tellAt = Math.max(end - RENEWAL_TOLD_AHEAD, start);
  return !isTold && tellAt < next.at ? { due: 'tell_renewal', at: tellAt } : next;
}

/** What begins the next cycle, or bills it ahead. */
function nextCycle({
  start,
  end,
  isBilled,
  paidBy,
}: Period & { readonly isBilled: boolean; readonly paidBy: Calendared['paymentMethodType'] }): Due {
  if (isBilled) return { due: 'start_period', at: end };
  if (paidBy === 'card') return { due: 'renew', at: end };
  const at = paidBy === 'pix_automatico' ? billedForDebitAt(end) : end - BILLED_AHEAD;
  return { due: 'bill', at: Math.max(at, start) };
}

function nextOfPaused(cancelAt: Timestamp, resumesAt: Timestamp): Due | null {
  const at = Math.min(cancelAt, resumesAt);
  if (!Number.isFinite(at)) return null;
  return { due: cancelAt <= resumesAt ? 'end' : 'resume', at };
}

/** Installments of a renewal: those of the first charge, as far as the rules still allow them (docs/product/subscriptions.md#installments-of-renewals). */
export const renewalInstallments = (first: number, terms: InstallmentTerms, total: Cents): number =>
  Math.min(first, installmentsAllowed(terms, total));

const caseOf = (column: string, ranks: Readonly<Record<string, number>>): string =>
  `CASE ${column} ${Object.entries(ranks)
    .map(([kind, rank]) => `WHEN '${kind}' THEN ${rank}`)
    .join(' ')} END`;

/** SQL for the place of a step, and of what the calendar brings, among what falls at one instant (docs/product/collection.md#order-at-one-instant). */
export const stepRank = (column: string): string => caseOf(column, STEP_RANKS);
export const dueRank = (column: string): string => caseOf(column, DUE_RANKS);
