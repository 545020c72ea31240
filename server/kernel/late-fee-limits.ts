import type { LateFees } from '../../contract/late-fees.ts';
import { BillingError } from './errors.ts';

/** Most that Brazilian law lets a merchant ask of a consumer (docs/product/late-fees.md#legal-limits). */
const FINE_PERCENTAGE_MAX = 2;
const INTEREST_PERCENTAGE_MAX = 1;

/** Refuses more than the law lets a merchant ask; nothing lets one ask for more. */
export function checkLateFees(lateFees: LateFees | null | undefined, param: string): void {
  if (lateFees == null) return;
  const { fine_percentage: fine, interest_percentage: interest } = lateFees;
  refuseAbove(`${param}.fine_percentage`, { got: fine, most: FINE_PERCENTAGE_MAX, unit: 'percent of the bill' });
  refuseAbove(`${param}.interest_percentage`, {
    got: interest,
    most: INTEREST_PERCENTAGE_MAX,
    unit: 'percent a month',
  });
}

function refuseAbove(param: string, { got, most, unit }: { got: number; most: number; unit: string }): void {
  if (got <= most) return;
  const message = `${param} must be at most ${most} ${unit}, which is the legal limit, got ${got}`;
  throw new BillingError('LATE_FEES_ABOVE_LIMIT', { message, param });
}
