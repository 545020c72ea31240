import { BillingError, type Violation } from './errors.ts';
import { letterHourOf } from './letter-hours.ts';
import { DAY, type Timestamp } from './time.ts';

/** How an account collects: days after an invoice is due, and after a period began for the charges of its card (docs/product/collection.md#days). */
export interface CollectionDays {
  readonly overdueDays: number;
  readonly suspendDays: number;
  readonly cancelDays: number;
  readonly retryDays: readonly number[];
  /** Days at which a buyer who pays by hand is written to; before the due date they are negative. */
  readonly reminderDays: readonly number[];
}

export const daysAfter = (at: Timestamp, days: number): Timestamp => at + Math.round(days * DAY);

/** When a renewal that is not paid suspends its subscription. */
export const suspendsAt = (dueAt: Timestamp, { suspendDays }: Pick<CollectionDays, 'suspendDays'>): Timestamp =>
  daysAfter(dueAt, suspendDays);

/** When a buyer is reminded of a day: in the hours of letters (docs/product/mail.md#reminders). */
export const remindsAt = (dueAt: Timestamp, day: number): Timestamp => letterHourOf(daysAfter(dueAt, day));

const DAYS_MAX = 365;
const RETRIES_MAX = 10;
export const REMINDERS_MAX = 8;
const REMINDER_EARLIEST = -7;
const REMINDER_LATEST = 30;

const isWholeDays = (days: number): boolean => Number.isInteger(days) && days >= 1 && days <= DAYS_MAX;

/**
 * Refuses days in which collection would not come to its steps one after the other; all that is wrong comes in one refusal. `at`
 * is where a request has them.
 */
export function checkCollectionDays(days: CollectionDays, at?: string): void {
  const broken = [
    ['suspend_days', brokenSteps(days)],
    ['retry_days', brokenRetries(days)],
    ['reminder_days', brokenReminders(days)],
  ] as const;
  const violations = broken.flatMap(([name, message]): Violation[] =>
    message === null ? [] : [{ param: at === undefined ? null : `${at}.${name}`, code: 'PARAMETER_INVALID', message }],
  );
  if (violations.length === 0) return;
  const message = violations.map((violation) => violation.message).join('; ');
  const [{ param } = { param: null }] = violations;
  throw new BillingError('PARAMETER_INVALID', { message, violations, ...(param !== null && { param }) });
}

function brokenSteps({ overdueDays, suspendDays, cancelDays }: CollectionDays): string | null {
  const steps = [overdueDays, suspendDays, cancelDays];
  if (steps.every(isWholeDays) && overdueDays <= suspendDays && suspendDays < cancelDays) return null;
  const got = `got overdue ${overdueDays}, suspend ${suspendDays}, cancel ${cancelDays}`;
  return `collection days must be whole days from 1 to ${DAYS_MAX} with overdue <= suspend < cancel, ${got}`;
}

function brokenRetries({ retryDays, suspendDays }: CollectionDays): string | null {
  const rises = retryDays.every((day, place) => isWholeDays(day) && day > (retryDays[place - 1] ?? 0));
  const last = retryDays.at(-1) ?? 0;
  if (rises && retryDays.length <= RETRIES_MAX && last <= suspendDays) return null;
  return `retry days must be at most ${RETRIES_MAX} whole days, rising from 1 up to the ${suspendDays} of the suspension, got ${retryDays.join(',')}`;
}

function brokenReminders({ reminderDays }: CollectionDays): string | null {
  const isWithin = (day: number): boolean =>
    Number.isInteger(day) && day >= REMINDER_EARLIEST && day <= REMINDER_LATEST;
  const rises = reminderDays.every((day, place) => isWithin(day) && day > (reminderDays[place - 1] ?? -DAYS_MAX));
  if (rises && reminderDays.length <= REMINDERS_MAX) return null;
  return `reminder days must be at most ${REMINDERS_MAX} whole days, rising from ${REMINDER_EARLIEST} to ${REMINDER_LATEST}, got ${reminderDays.join(',')}`;
}
