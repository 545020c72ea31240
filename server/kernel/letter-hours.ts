import { civilDay, civilHour, daysBefore, isoDate } from './brazil.ts';
import { HOUR, type Timestamp } from './time.ts';

/** Hours of the civil day in which buyers are reminded (docs/product/mail.md#reminders). */
const FROM_HOUR = 8;
const UNTIL_HOUR = 20;

export const isLetterHour = (at: Timestamp): boolean => {
  const hour = civilHour(at);
  return hour >= FROM_HOUR && hour < UNTIL_HOUR;
};

const firstHourOf = (date: string): Timestamp => civilDay(date).from + FROM_HOUR * HOUR;

/** The instant, or the first hour of letters of its civil day: what is said of a day is read on that day. */
export const letterHourOf = (at: Timestamp): Timestamp => (isLetterHour(at) ? at : firstHourOf(isoDate(at)));

/** The instant, or the first hour of letters that is still ahead. */
export function nextLetterHour(at: Timestamp): Timestamp {
  const first = letterHourOf(at);
  return first >= at ? first : firstHourOf(daysBefore(isoDate(at), -1));
}
