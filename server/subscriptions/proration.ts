import { type Cents, cents } from '../kernel/money.ts';

/** What of an amount for `days` falls on its first `gone` days: half a cent rounds up. */
function until(amount: Cents, gone: number, days: number): bigint {
  const whole = 2n * BigInt(days);
  return (2n * BigInt(amount) * BigInt(gone) + BigInt(days)) / whole;
}

/** The days of a period that something holds for, counted from its first: `from` is the first of them, `to` the one after. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** Of the whole period. */
  readonly days: number;
}

/**
 * What of an amount for a period falls on some of its days. It is rounded cumulatively, so that the parts of any cut of the period
 * sum to the amount (docs/design/subscriptions.md#proration).
 */
export function part(amount: Cents, { from, to, days }: Span): Cents {
  const isWithin = Number.isInteger(days) && days >= 1 && 0 <= from && from <= to && to <= days;
  if (!isWithin) throw new RangeError(`days ${from} to ${to} are none of a period of ${days}`);
  return cents(Number(until(amount, to, days) - until(amount, from, days)));
}

/** What the rest of a period comes to, of which `gone` days have passed. */
export const restOf = (amount: Cents, { gone, days }: { gone: number; days: number }): Cents =>
  part(amount, { from: gone, to: days, days });
