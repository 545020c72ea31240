import { civilDay, daysBefore, isoDate } from '../../kernel/brazil.ts';
import type { CollectionDays } from '../../kernel/collection-days.ts';
import { HOUR, type Timestamp } from '../../kernel/time.ts';
import type { CivilDay } from '../acquirer/port.ts';

/** When a debit is instructed, tried, known to have failed, and tried again (docs/product/pix-automatico.md#days-and-hours). */

const EARLIEST_DAYS = 10;
/** The soonest day that can be instructed is so many days ahead. */
export const DEBIT_DAYS_AHEAD = 2;
/** Banks debit until this hour of the day, and in the evening once more. */
const TRIED_HOUR = 6;
const REFUSED_HOUR = 21;
/** Of the day before: until then a try is cancelled, and another day asked for. */
const CLOSING_HOUR = 22;
const ASKED_HOUR = 12;
const RETRY_DAYS = 7;
const RETRIES_MAX = 3;
/** The bank of the payer says by then whether a debit is scheduled. */
const SCHEDULED_WITHIN = 2 * HOUR;

/** Most days on which one debit is tried. */
export const DEBIT_TRIES_MAX = 1 + RETRIES_MAX;

const daysBetween = (from: CivilDay, to: CivilDay): number =>
  Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(to), { largestUnit: 'days' }).days;

export const daysAfterDay = (day: CivilDay, days: number): CivilDay => daysBefore(day, -days);

const hourOf = (day: CivilDay, hour: number): Timestamp => civilDay(day).from + hour * HOUR;

export const triedAt = (day: CivilDay): Timestamp => hourOf(day, TRIED_HOUR);
/** From then on a try is not cancelled any more. */
export const debitClosesAt = (day: CivilDay): Timestamp => hourOf(daysBefore(day, 1), CLOSING_HOUR);

/** Another day is asked for so late, that the buyer may pay otherwise until then. */
export const retryAskedAt = (day: CivilDay): Timestamp => hourOf(daysBefore(day, 1), ASKED_HOUR);

/** Nothing is debited of an instruction after this. */
export const debitEndsAt = (dueOn: CivilDay): Timestamp => civilDay(daysAfterDay(dueOn, RETRY_DAYS)).to;

/** Whether a debit of a day can be instructed now: 10 to 2 days ahead. */
export function isInstructable(dueOn: CivilDay, now: Timestamp): boolean {
  const ahead = daysBetween(isoDate(now), dueOn);
  return ahead >= DEBIT_DAYS_AHEAD && ahead <= EARLIEST_DAYS;
}

/** The next day on which a debit may be tried, by the days of the account's collection; null: there is none. */
export function nextTry(
  { dueOn, lastOn }: { dueOn: CivilDay; lastOn: CivilDay },
  { retryDays }: Pick<CollectionDays, 'retryDays'>,
  now: Timestamp,
): CivilDay | null {
  const days = retryDays.filter((day) => day > 0 && day <= RETRY_DAYS).toSorted((one, other) => one - other);
  const dates = days.slice(0, RETRIES_MAX).map((day) => daysAfterDay(dueOn, day));
  return dates.find((date) => date > lastOn && now < debitClosesAt(date)) ?? null;
}

/** When the acquirer is asked next about a debit that is scheduled for a day. */
export function nextDebitLook(
  { scheduledAt, day }: { scheduledAt: Timestamp; day: CivilDay },
  now: Timestamp,
): Timestamp {
  const looks = [scheduledAt + SCHEDULED_WITHIN, triedAt(day), hourOf(day, REFUSED_HOUR)];
  return looks.find((at) => at > now) ?? now + HOUR;
}
