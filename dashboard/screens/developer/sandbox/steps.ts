import { type DateTimeDuration, fromAbsolute } from '@internationalized/date';
import { TIME_ZONE } from '../../../texts/format.ts';

const MS_IN_SECOND = 1_000;

/** How far a press moves the clock. */
export const steps = {
  hour: { hours: 1 },
  day: { days: 1 },
  week: { days: 7 },
  month: { months: 1 },
  year: { years: 1 },
} as const satisfies Record<string, DateTimeDuration>;

export type StepName = keyof typeof steps;

export const stepNames = Object.keys(steps) as StepName[];

/** An instant later by the calendar of Brasília. Unix seconds. */
export const later = (at: number, by: DateTimeDuration): number =>
  Math.floor(
    fromAbsolute(at * MS_IN_SECOND, TIME_ZONE)
      .add(by)
      .toDate()
      .getTime() / MS_IN_SECOND,
  );

/** As far as the service takes a clock at once. */
export const isWithinReach = (to: number, now: number): boolean => to > now && to <= later(now, { years: 2 });
