import { civilDaysBetween, isoDate } from './brazil.ts';
import type { Timestamp } from './time.ts';

/** National bank holidays of a fixed date, as ANBIMA lists them. */
const FIXED = ['01-01', '04-21', '05-01', '09-07', '10-12', '11-02', '11-15', '11-20', '12-25'];

/** Days from Easter Sunday: Carnival Monday and Tuesday, Good Friday, Corpus Christi. */
const FROM_EASTER = [-48, -47, -2, 60];

const SATURDAY = 6;

/** Easter Sunday of the Gregorian calendar, by the method of Meeus, Jones and Butcher. */
function easterOf(year: number): Temporal.PlainDate {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const ofCentury = year % 100;
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  const days = epact + weekday - 7 * late + 114;
  return Temporal.PlainDate.from({ year, month: Math.floor(days / 31), day: (days % 31) + 1 });
}

const isHoliday = (date: Temporal.PlainDate): boolean =>
  FIXED.includes(date.toString().slice(-'01-01'.length)) ||
  FROM_EASTER.includes(easterOf(date.year).until(date, { largestUnit: 'day' }).days);

/** Whether banks work on a civil day: it is no Saturday, no Sunday and no national holiday. */
export const isBankDay = (date: Temporal.PlainDate): boolean => date.dayOfWeek < SATURDAY && !isHoliday(date);

/** The first bank day from a civil day on. */
export function bankDayFrom(date: Temporal.PlainDate): Temporal.PlainDate {
  let day = date;
  while (!isBankDay(day)) day = day.add({ days: 1 });
  return day;
}

/**
 * How many civil days late a payment is. What is due while banks are closed is paid in time until the end of the next bank
 * day; later than that it is as late as from its due date.
 */
export function daysLate(dueAt: Timestamp, paidAt: Timestamp): number {
  const late = civilDaysBetween(dueAt, paidAt);
  if (late <= 0) return 0;
  const excusedUntil = bankDayFrom(Temporal.PlainDate.from(isoDate(dueAt)));
  return Temporal.PlainDate.compare(Temporal.PlainDate.from(isoDate(paidAt)), excusedUntil) <= 0 ? 0 : late;
}
