import { civilDay, daysBefore, isoDate } from '../../../kernel/brazil.ts';
import { DAY, HOUR, type Timestamp } from '../../../kernel/time.ts';
import type { CivilDay, MandatePeriod } from '../port.ts';

/** The hours and days of Pix Automático, as the bank of the sandbox keeps them (docs/design/acquirer.md#mandates). */

/** A debit is instructed so many days before its day. */
const EARLIEST_DAYS = 10;
const LATEST_DAYS = 2;
/** Debited at this hour of its day, and told at the other that it could not be. */
const PAID_HOUR = 6;
const REFUSED_HOUR = 21;
/** Of the day before: until then a debit is taken back, and a further day asked for. */
const CLOSING_HOUR = 22;
const RETRY_DAYS = 7;

const daysBetween = (from: CivilDay, to: CivilDay): number =>
  Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(to), { largestUnit: 'days' }).days;

const hourOf = (day: CivilDay, hour: number): Timestamp => civilDay(day).from + hour * HOUR;

export const paidAt = (day: CivilDay): Timestamp => hourOf(day, PAID_HOUR);
export const refusedAt = (day: CivilDay): Timestamp => hourOf(day, REFUSED_HOUR);
export const closesAt = (day: CivilDay): Timestamp => hourOf(daysBefore(day, 1), CLOSING_HOUR);
/** The last day of which nothing changes any more; from its hour on the next day is closed as well. */
export const lastClosedDay = (now: Timestamp): CivilDay => isoDate(now + DAY - CLOSING_HOUR * HOUR);

/** Whether a debit of a day is instructed neither too early nor too late. */
export function isInstructedInTime(dueOn: CivilDay, now: Timestamp): boolean {
  const ahead = daysBetween(isoDate(now), dueOn);
  return ahead >= LATEST_DAYS && ahead <= EARLIEST_DAYS;
}

/** Whether a debit may be tried again on a day that is not closed yet. */
export const isRetryDay = (dueOn: CivilDay, day: CivilDay, now: Timestamp): boolean =>
  now < closesAt(day) && daysBetween(dueOn, day) > 0 && daysBetween(dueOn, day) <= RETRY_DAYS;

/** Whether no further day can be asked for. */
export const areRetriesOver = (dueOn: CivilDay, now: Timestamp): boolean =>
  daysBetween(dueOn, isoDate(now)) > RETRY_DAYS;

const WEEK_DAYS = 7;
const MONTHS: Readonly<Record<Exclude<MandatePeriod, 'week'>, number>> = { month: 1, quarter: 3, half: 6, year: 12 };

/** Which cycle of a mandate a day lies in, counted from its first day. */
export function cycleOf({ startsOn, period }: { startsOn: CivilDay; period: MandatePeriod }, day: CivilDay): number {
  if (period === 'week') return Math.floor(daysBetween(startsOn, day) / WEEK_DAYS);
  const [first, at] = [Temporal.PlainDate.from(startsOn), Temporal.PlainDate.from(day)];
  const { months } = first.until(at, { largestUnit: 'months' });
  // From the 31st a month ends on the last day of the next one, which is a day too few for `until`.
  const isOnLastDay = Temporal.PlainDate.compare(first.add({ months: months + 1 }), at) <= 0;
  return Math.floor((isOnLastDay ? months + 1 : months) / MONTHS[period]);
}
