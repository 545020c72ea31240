import { DAY, type Timestamp } from './time.ts';

/** How an account collects: days after an invoice is due, and after a period began for the charges of its card (docs/product/collection.md#days). */
export interface CollectionDays {
  readonly overdueDays: number;
  readonly suspendDays: number;
  readonly cancelDays: number;
  readonly retryDays: readonly number[];
}

export const daysAfter = (at: Timestamp, days: number): Timestamp => at + Math.round(days * DAY);

/** When a renewal that is not paid suspends its subscription. */
export const suspendsAt = (dueAt: Timestamp, { suspendDays }: Pick<CollectionDays, 'suspendDays'>): Timestamp =>
  daysAfter(dueAt, suspendDays);
