import type { Collection } from '@fatura/sdk';

export type Stage = Collection['stages'][number];

/** The days of the account. */
export type StepDays = Pick<Collection, 'charge_days' | 'overdue_day' | 'suspend_day' | 'cancel_day'>;

/** What happens on a day of collection. */
export type Happening = 'charge' | 'overdue' | 'suspend' | 'cancel';

/** What comes next for the invoices of a stage by itself, and on which day after the due date; null: nothing. */
export function nextOf(
  { id, from_day: from }: Stage,
  { charge_days, overdue_day, suspend_day, cancel_day }: StepDays,
): { readonly day: number; readonly what: readonly Happening[] } | null {
  if (id === 'suspended' || from === null) return { day: cancel_day, what: ['cancel'] };
  const all: readonly (readonly [number, Happening])[] = [
    ...charge_days.map((day) => [day, 'charge'] as const),
    [overdue_day, 'overdue'],
    [suspend_day, 'suspend'],
  ];
  const ahead = all.filter(([day]) => day > from);
  if (ahead.length === 0) return null;
  const day = Math.min(...ahead.map(([at]) => at));
  return { day, what: ahead.filter(([at]) => at === day).map(([, what]) => what) };
}

/** The stage that the address names; without one the first where money is. */
export const stageOf = (stages: readonly Stage[], asked: string | undefined): Stage | undefined =>
  stages.find(({ id }) => id === asked) ?? stages.find(({ count }) => count > 0) ?? stages[0];
