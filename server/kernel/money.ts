declare const centsBrand: unique symbol;

/** An amount of money: a safe, non-negative integer of centavos. */
export type Cents = number & { readonly [centsBrand]: true };

export const BASIS_POINTS_IN_PERCENT = 100;
const BASIS_POINTS_IN_WHOLE = 10_000;
const PERCENTAGE_MAX = 100;
const PARTS_MAX = 1_000;

/** Asserts that a number is a whole, non-negative, exactly representable amount of cents. */
export function cents(value: number): Cents {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`an amount must be a whole number of cents from 0 up, got ${value}`);
  }
  return (value === 0 ? 0 : value) as Cents; // the brand; −0 becomes 0, so that JSON and equality see one zero
}

/** Whether a percentage lies in 0 to 100 and has at most two decimals, so that it converts exactly. */
export function isExactPercentage(percentage: number): boolean {
  // A double equals n / 100 only if it is the one nearest to that two-decimal number: 12.34 is, 12.340000000000002 is not.
  const inRange = percentage >= 0 && percentage <= PERCENTAGE_MAX;
  return inRange && Math.round(percentage * BASIS_POINTS_IN_PERCENT) / BASIS_POINTS_IN_PERCENT === percentage;
}

/** A percentage of an amount, half a cent rounding up, computed in whole basis points without floating error. */
export function percentOfHalfUp(amount: Cents, percentage: number): Cents {
  if (!isExactPercentage(percentage)) {
    throw new RangeError(`a percentage must be 0 to ${PERCENTAGE_MAX} with at most two decimals, got ${percentage}`);
  }
  const basisPoints = Math.round(percentage * BASIS_POINTS_IN_PERCENT);
  const rest = amount % BASIS_POINTS_IN_WHOLE;
  const whole = (amount - rest) / BASIS_POINTS_IN_WHOLE;
  // Split so that no product leaves the safe integers: whole × bp ≤ amount, rest × bp < 10^8.
  const ofRest = Math.floor((rest * basisPoints + BASIS_POINTS_IN_WHOLE / 2) / BASIS_POINTS_IN_WHOLE);
  return cents(whole * basisPoints + ofRest);
}

/** Splits so that the parts sum to the total; the first parts carry the odd cents. */
export function split(total: Cents, parts: number): Cents[] {
  if (!Number.isInteger(parts) || parts < 1 || parts > PARTS_MAX) {
    throw new RangeError(`an amount splits into 1 to ${PARTS_MAX} parts, got ${parts}`);
  }
  const base = Math.floor(total / parts);
  const odd = total - base * parts;
  return Array.from({ length: parts }, (_, i) => cents(i < odd ? base + 1 : base));
}
