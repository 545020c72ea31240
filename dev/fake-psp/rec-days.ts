import type { Period } from './rec-entries.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Brasília keeps UTC−3 all year. */
const OFFSET_MS = 3 * HOUR_MS;

/** The civil day of an instant in Brasília, `YYYY-MM-DD`. */
export const dayOf = (atMs: number): string => new Date(atMs - OFFSET_MS).toISOString().slice(0, 10);

/** An hour of a day in Brasília. Unix milliseconds. */
export const hourOf = (day: string, hour: number): number =>
  Date.parse(`${day}T00:00:00Z`) + OFFSET_MS + hour * HOUR_MS;

/** Whole days from one day to another. */
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY_MS;

const MONTHS: Readonly<Record<Exclude<Period, 'SEMANAL'>, number>> = {
  MENSAL: 1,
  TRIMESTRAL: 3,
  SEMESTRAL: 6,
  ANUAL: 12,
};
const WEEK_DAYS = 7;

/** Which cycle of a recurrence a day lies in, counted from its first day. */
export function cycleOf({ startsOn, period }: { startsOn: string; period: Period }, day: string): number {
  if (period === 'SEMANAL') return Math.floor(daysBetween(startsOn, day) / WEEK_DAYS);
  const [fromYear = 0, fromMonth = 0, fromDay = 0] = startsOn.split('-').map(Number);
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const lastOfMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const whole = (year - fromYear) * 12 + month - fromMonth - (date < Math.min(fromDay, lastOfMonth) ? 1 : 0);
  return Math.floor(whole / MONTHS[period]);
}
