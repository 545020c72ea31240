import { civilDaysBetween } from '../kernel/brazil.ts';
import type { Timestamp } from '../kernel/time.ts';

/** What of a subscription says how much of its period is served. */
export interface ServedPeriod {
  readonly currentPeriodStart?: Timestamp | null | undefined;
  readonly currentPeriodEnd?: Timestamp | null | undefined;
  /** The days of a period that was paused, by the dates that it was billed for. */
  readonly periodDays?: number | null | undefined;
  /** The days that a paused one keeps. */
  readonly daysLeft?: number | null | undefined;
}

/** The civil days of the current period; a pause in it adds none (docs/product/subscriptions.md#pause). */
export function periodDays({
  currentPeriodStart: start,
  currentPeriodEnd: end,
  periodDays: days,
}: ServedPeriod): number {
  if (days != null) return days;
  return start == null || end == null ? 0 : civilDaysBetween(start, end);
}

/** The civil days of the current period that are still to be served, the present one among them. */
export function daysToServe(period: ServedPeriod, now: Timestamp): number {
  const { currentPeriodEnd: end, daysLeft } = period;
  if (daysLeft != null) return daysLeft;
  if (end == null) return 0;
  return Math.min(periodDays(period), Math.max(0, civilDaysBetween(now, end)));
}

/** The civil days of the current period that were served before the present one. */
export const daysGone = (period: ServedPeriod, now: Timestamp): number => periodDays(period) - daysToServe(period, now);
