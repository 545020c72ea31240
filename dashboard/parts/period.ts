import { type CalendarDate, endOfMonth, parseDate, startOfMonth } from '@internationalized/date';
import { useRead } from '../api/queries.ts';
import { useScope } from '../api/session.ts';
import { TIME_ZONE } from '../texts/format.ts';
import { CHOSEN_DAYS, type MovingPeriod, movingPeriod } from './period-names.ts';

/** Days of the calendar of Brasília, both of them within. */
export interface Days {
  readonly from: CalendarDate;
  readonly until: CalendarDate;
}

const MS_IN_SECOND = 1_000;

const periods: Readonly<Record<MovingPeriod, (day: CalendarDate) => Days>> = {
  today: (day) => ({ from: day, until: day }),
  yesterday: (day) => ({ from: day.subtract({ days: 1 }), until: day.subtract({ days: 1 }) }),
  last7: (day) => ({ from: day.subtract({ days: 6 }), until: day }),
  last30: (day) => ({ from: day.subtract({ days: 29 }), until: day }),
  thisMonth: (day) => ({ from: startOfMonth(day), until: day }),
  lastMonth: (day) => {
    const month = day.subtract({ months: 1 });
    return { from: startOfMonth(month), until: endOfMonth(month) };
  },
};

function chosenDays(text: string): Days | null {
  const [, from, until] = CHOSEN_DAYS.exec(text) ?? [];
  if (from === undefined || until === undefined) return null;
  try {
    return { from: parseDate(from), until: parseDate(until) };
  } catch {
    return null; // 2026-02-31
  }
}

/** The days of a period of an address; null where it names none. */
export function daysOf(period: string | undefined, day: CalendarDate): Days | null {
  if (period === undefined) return null;
  const moving = movingPeriod(period);
  return moving === undefined ? chosenDays(period) : periods[moving](day);
}

export const periodText = ({ from, until }: Days): string => `${from}_${until}`;

const secondsOf = (day: CalendarDate): number => Math.floor(day.toDate(TIME_ZONE).getTime() / MS_IN_SECOND);

/** The first and the last second of the days, as the API takes them. */
export const secondsOfDays = ({ from, until }: Days): { gte: number; lte: number } => ({
  gte: secondsOf(from),
  lte: secondsOf(until.add({ days: 1 })) - 1,
});

/** Unix seconds as a day of Brasília. */
export const dayOf = (at: number): CalendarDate =>
  parseDate(new Intl.DateTimeFormat('en-CA', { timeZone: TIME_ZONE }).format(new Date(at * MS_IN_SECOND)));

/** The present instant: the sandbox's is that of its test clock. Unix seconds; undefined until that is known. */
export function useNow(): number | undefined {
  const isSandbox = useScope().mode === 'sandbox';
  const { data } = useRead(['now'], async (fatura, options) => (await fatura.testClock.retrieve(options)).now, {
    enabled: isSandbox,
  });
  return isSandbox ? data : Math.floor(Date.now() / MS_IN_SECOND);
}

/** The present day in Brasília. */
export function useToday(): CalendarDate | undefined {
  const now = useNow();
  return now === undefined ? undefined : dayOf(now);
}
