import type { MinimumTermInput, penaltyTypes } from '../../contract/minimum-term.ts';
import type { SubscriptionStatus } from '../../contract/subscriptions.ts';
import { civilDaysBetween } from '../kernel/brazil.ts';
import { BASIS_POINTS_IN_PERCENT, type Cents, cents, percentOfHalfUp } from '../kernel/money.ts';
import type { Timestamp } from '../kernel/time.ts';
import { daysToServe, type ServedPeriod } from './days.ts';
import { decide, type Items } from './decide.ts';
import type { SubscriptionDiscount } from './discounts.ts';
import { restOf } from './proration.ts';
import { cyclePeriod, cycleStart, type Period } from './rules.ts';

/** What of a subscription says what its minimum term is, and where it is in it. */
export interface Termed extends ServedPeriod {
  readonly status: SubscriptionStatus;
  readonly billingCycleAnchor: Timestamp;
  readonly anchorCycle: number;
  readonly cycle: number;
  readonly billedCycle: number;
  readonly bills: number;
  readonly discounts: readonly SubscriptionDiscount[];
  termCycles?: number | null | undefined;
  termCyclesLeft?: number | null | undefined;
  termDays?: number | null | undefined;
  penaltyType?: (typeof penaltyTypes)[number] | null | undefined;
  penaltyValue?: number | null | undefined;
}

export interface Bound {
  readonly subscription: Termed;
  readonly items: Items;
}

/** The minimum term that a subscription is in; null: it is in none. */
interface Term {
  readonly cycles: number;
  readonly cyclesLeft: number;
  readonly days: number | null;
  readonly type: (typeof penaltyTypes)[number];
  readonly value: number;
}

function termOf(subscription: Termed): Term | null {
  const { termCycles: cycles, termCyclesLeft: cyclesLeft, termDays: days = null, penaltyType: type } = subscription;
  const { penaltyValue: value } = subscription;
  if (cycles == null || cyclesLeft == null || type == null || value == null) return null;
  return { cycles, cyclesLeft, days, type, value };
}

/** A minimum term as it is stored with its subscription: a percentage in basis points. */
export const storedTerm = ({ cycles, penalty_type: type, penalty_value: value }: MinimumTermInput) => ({
  termCycles: cycles,
  termCyclesLeft: cycles,
  penaltyType: type,
  penaltyValue: type === 'declining_amount' ? value : Math.round(value * BASIS_POINTS_IN_PERCENT),
});

/** When the minimum term ends; null: it has not begun, or there is none. */
export function termEnd({ subscription, items: [{ price }] }: Bound): Timestamp | null {
  const { billingCycleAnchor, anchorCycle, cycle, termCyclesLeft, termDays } = subscription;
  if (termCyclesLeft == null || termDays == null) return null;
  return cycleStart(billingCycleAnchor, price, cycle - anchorCycle + 1 + termCyclesLeft);
}

/** What bills of the subscription, from a number on, come to by the terms of now. */
function billsOf(
  items: Items,
  discounts: readonly SubscriptionDiscount[],
  { from, count }: { from: number; count: number },
): Cents {
  const bills = Array.from(
    { length: count },
    (_, k) => decide({ items, discounts, bill: from + k, pending: [] }).total,
  );
  return cents(bills.reduce((sum, total) => sum + total, 0));
}

/**
 * What an end at an instant costs before the minimum term is over (docs/product/subscriptions.md#minimum-term). Cycles that have begun
 * are billed and no part of it.
 */
export function penaltyAt({ subscription, items }: Bound, now: Timestamp): Cents {
  const term = termOf(subscription);
  if (term === null || term.days === null || subscription.status === 'inactive') return cents(0);
  const { cyclesLeft, type, value, days } = term;
  if (type === 'remaining_percentage') {
    const { bills, billedCycle, cycle, discounts } = subscription;
    const from = bills + 1 - (billedCycle - cycle);
    return percentOfHalfUp(billsOf(items, discounts, { from, count: cyclesLeft }), value / BASIS_POINTS_IN_PERCENT);
  }
  const end = termEnd({ subscription, items }) ?? now;
  const left = daysToServe(subscription, now) + civilDaysBetween(subscription.currentPeriodEnd ?? end, end);
  return restOf(cents(value), { gone: Math.max(0, days - left), days });
}

/**
 * What a change for less costs within the minimum term: the percent of what the cycles left bring less, from the one on with which it begins to
 * hold (docs/product/subscriptions.md#minimum-term).
 */
export function penaltyOfLess(
  { subscription, items }: Bound,
  { after, skipped }: { after: Items; skipped: number },
): Cents {
  const term = termOf(subscription);
  if (term === null || term.days === null || term.type !== 'remaining_percentage') return cents(0);
  const { bills, billedCycle, cycle, discounts } = subscription;
  const count = Math.max(0, term.cyclesLeft - skipped);
  const cycles = { from: bills + 1 - (billedCycle - cycle) + skipped, count };
  const less = billsOf(items, discounts, cycles) - billsOf(after, discounts, cycles);
  return percentOfHalfUp(cents(Math.max(0, less)), term.value / BASIS_POINTS_IN_PERCENT);
}

const TERM_CYCLES_MAX = 36;

/** The next cycle is of another interval: the minimum term has as many of these as reach its end. */
export function recountTerm(bound: Bound, { items: [{ price }], start }: { items: Items; start: Timestamp }): void {
  const { subscription } = bound;
  const end = termEnd(bound);
  if (end === null || subscription.termCyclesLeft == null || subscription.termCyclesLeft === 0) return;
  let cycles = 1;
  while (cycles < TERM_CYCLES_MAX && cycleStart(start, price, cycles) < end) cycles += 1;
  subscription.termCyclesLeft = cycles;
  subscription.termCycles = Math.max(cycles, subscription.termCycles ?? 0);
}

/** A cycle begins: it is one of the minimum term, or that is over. */
export function countTerm({ subscription, items: [{ price }] }: Bound, { start }: Period): void {
  const term = termOf(subscription);
  if (term === null) return;
  if (term.days === null) subscription.termDays = civilDaysBetween(start, cycleStart(start, price, term.cycles));
  if (term.cyclesLeft > 0) subscription.termCyclesLeft = term.cyclesLeft - 1;
  else {
    const none = { termCycles: null, termCyclesLeft: null, termDays: null, penaltyType: null, penaltyValue: null };
    Object.assign(subscription, none);
  }
}

/** What an end would cost as soon as the first payment has begun the term. */
export function penaltyOnceBegun({ subscription, items }: Bound, now: Timestamp): Cents {
  const period = cyclePeriod(now, items[0].price, 0);
  const begun: Termed = {
    ...subscription,
    ...{ status: 'active', billingCycleAnchor: now, anchorCycle: 1, cycle: 1, billedCycle: 1, bills: 1 },
    ...{ currentPeriodStart: period.start, currentPeriodEnd: period.end },
  };
  countTerm({ subscription: begun, items }, period);
  return penaltyAt({ subscription: begun, items }, now);
}
