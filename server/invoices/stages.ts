import type { CollectionDays } from '../kernel/collection-days.ts';

/** Where late invoices are that did not suspend their subscription. */
export interface Stage {
  readonly id: string;
  /** Days after the due date. */
  readonly fromDay: number;
  /** The day on which the next one begins; null: none does. */
  readonly untilDay: number | null;
}

export const SUSPENDED = 'suspended';

const idOf = (day: number): string => `day_${day}`;

/** The stages of lateness of an account: one begins with the due date, and one with each day of collection. */
export function stagesOf({ overdueDays, retryDays, cancelDays }: CollectionDays): readonly Stage[] {
  const starts = [...new Set([0, overdueDays, ...retryDays, cancelDays])].toSorted((one, other) => one - other);
  return starts.map((fromDay, nth) => ({ id: idOf(fromDay), fromDay, untilDay: starts[nth + 1] ?? null }));
}
