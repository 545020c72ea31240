import { SECOND_MS, type Timestamp } from './time.ts';

/** Where the calendar of the service is kept: cards expire, cycles and days begin by the civil date there. */
export const TIME_ZONE = 'America/Sao_Paulo';

const reais = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });
const NO_BREAK_SPACE = /\u00a0/g;
const CENTS_IN_REAL = 100;

/** An amount as buyers read it: `R$ 99,90`. */
export const inReais = (amount: number): string => reais.format(amount / CENTS_IN_REAL).replace(NO_BREAK_SPACE, ' ');

const percents = new Intl.NumberFormat('pt-BR', { maximumFractionDigits: 2 });

/** A percentage as buyers read it: `12,5%`. */
export const inPercent = (percentage: number): string => `${percents.format(percentage)}%`;

const civil = (instant: Timestamp): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant * SECOND_MS).toZonedDateTimeISO(TIME_ZONE);

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** The date as buyers read it: `24/11/2026`. */
export function civilDate(instant: Timestamp): string {
  const { day, month, year } = civil(instant);
  return `${twoDigits(day)}/${twoDigits(month)}/${year}`;
}

/** Date and time as buyers read them: `24/11/2026 às 09:05`. */
export function civilMoment(instant: Timestamp): string {
  const { hour, minute } = civil(instant);
  return `${civilDate(instant)} às ${twoDigits(hour)}:${twoDigits(minute)}`;
}

/** Date and time to the second: `24/11/2026 09:05:00`. */
export function civilSecond(instant: Timestamp): string {
  const { day, month, year, hour, minute, second } = civil(instant);
  const date = [day, month].map(twoDigits).join('/');
  return `${date}/${year} ${[hour, minute, second].map(twoDigits).join(':')}`;
}

/** The hour of the civil day, 0 to 23. */
export const civilHour = (instant: Timestamp): number => civil(instant).hour;

/** The date as machines read it: `2026-11-24`. */
export const isoDate = (instant: Timestamp): string => civil(instant).toPlainDate().toString();

const startOf = (date: Temporal.PlainDate): Timestamp =>
  Math.floor(date.toZonedDateTime(TIME_ZONE).epochMilliseconds / SECOND_MS);

/** A civil day, `2026-11-24`, as instants: from its first second on, up to the first of the next day. */
export function civilDay(date: string): { readonly from: Timestamp; readonly to: Timestamp } {
  const day = Temporal.PlainDate.from(date);
  return { from: startOf(day), to: startOf(day.add({ days: 1 })) };
}

/** The civil day so many days before another. */
export const daysBefore = (date: string, days: number): string =>
  Temporal.PlainDate.from(date).subtract({ days }).toString();

/** The same civil date and time of day so many years later; of a 29 February the 28th where that year has none. */
export const yearsLater = (instant: Timestamp, years: number): Timestamp =>
  Math.floor(civil(instant).add({ years }).epochMilliseconds / SECOND_MS);

/** How many civil days the date of one instant comes after that of another. */
export const civilDaysBetween = (from: Timestamp, to: Timestamp): number =>
  civil(from).toPlainDate().until(civil(to).toPlainDate(), { largestUnit: 'day' }).days;

/** So many civil days after the date of an instant, at the time of day of another. */
export function civilDaysLater(instant: Timestamp, days: number, timeOfDay: Timestamp): Timestamp {
  const date = civil(instant).toPlainDate().add({ days });
  const at = date.toZonedDateTime({ timeZone: TIME_ZONE, plainTime: civil(timeOfDay).toPlainTime() });
  return Math.floor(at.epochMilliseconds / SECOND_MS);
}

/** Whether the civil day of an instant has ended: what is due on a day may be paid until its end. */
export const isDayOver = (instant: Timestamp, now: Timestamp): boolean =>
  Temporal.PlainDate.compare(civil(now).toPlainDate(), civil(instant).toPlainDate()) > 0;

const monthsOf = (year: number, month: number): number => year * 12 + month;

/** A card is good to the last instant of its month (docs/product/cards.md#what-is-checked). */
export function isCardExpired(card: { expMonth: number; expYear: number }, now: Timestamp): boolean {
  // The date there is never ahead of UTC's: most cards need no calendar.
  const utc = new Date(now * SECOND_MS);
  if (monthsOf(utc.getUTCFullYear(), utc.getUTCMonth() + 1) <= monthsOf(card.expYear, card.expMonth)) return false;
  const last = Temporal.PlainYearMonth.from({ year: card.expYear, month: card.expMonth });
  return Temporal.PlainYearMonth.compare(civil(now).toPlainDate().toPlainYearMonth(), last) > 0;
}
