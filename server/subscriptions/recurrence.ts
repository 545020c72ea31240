import type { BilledPrice, Recurrence } from '../catalog/rules.ts';
import { BillingError } from '../kernel/errors.ts';

const recurrenceText = ({ interval, intervalCount }: Recurrence): string => `every ${intervalCount} ${interval}`;

/** All items of a subscription are billed at once. */
export function refuseOtherIntervals(sold: readonly { readonly price: BilledPrice; readonly param: string }[]): void {
  const [first] = sold;
  if (first === undefined) return;
  for (const { price, param } of sold) {
    if (recurrenceText(price) === recurrenceText(first.price)) continue;
    const message = `${param}: ${price.id} renews ${recurrenceText(price)}, ${first.price.id} ${recurrenceText(first.price)}; a subscription has one recurrence`;
    throw new BillingError('INTERVALS_DIFFER', { message, param });
  }
}

/** Whether two prices renew at other times. */
export const renewsOtherwise = (one: Recurrence, other: Recurrence): boolean =>
  recurrenceText(one) !== recurrenceText(other);
