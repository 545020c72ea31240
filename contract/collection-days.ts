import { z } from 'zod';
import { arrayOf } from './arrays.ts';
import { field } from './kernel.ts';

/** Days of collection that a merchant may choose (docs/product/collection.md#days). */
const COLLECTION_DAYS_MAX = 365;
const RETRIES_MAX = 10;
const REMINDERS_MAX = 8;
/** Reminders come so many days before the due date at most, and after it. */
const REMINDER_EARLIEST = -7;
const REMINDER_LATEST = 30;

const oneDay = z.int().min(1).max(COLLECTION_DAYS_MAX);

/** The days of collection as they are sent. */
export const chosenDays = {
  overdue: oneDay,
  suspend: oneDay,
  cancel: oneDay,
  retries: arrayOf(oneDay, { max: RETRIES_MAX }),
  reminders: arrayOf(z.int().min(REMINDER_EARLIEST).max(REMINDER_LATEST), { max: REMINDERS_MAX }),
} as const;

const OVERDUE = "Days after its due date at which a bill is overdue; null: the account's.";
const SUSPEND = "Days after its due date at which a bill suspends the subscription; null: the account's.";
const CANCEL = "Days after its due date at which a bill ends the subscription; null: the account's.";
const RETRIES = "Days after its first charge at which the card is charged again for a bill; null: the account's.";
const REMINDERS =
  "Days from its due date at which the buyer is reminded of a bill that no card is charged for; null: the account's.";

export const SubscriptionCollection = z
  .object({
    overdue_days: field(z.number().nullable(), OVERDUE, null),
    suspend_days: field(z.number().nullable(), SUSPEND, 20),
    cancel_days: field(z.number().nullable(), CANCEL, null),
    retry_days: field(z.array(z.number()).nullable(), RETRIES, null),
    reminder_days: field(z.array(z.number()).nullable(), REMINDERS, null),
  })
  .meta({
    id: 'SubscriptionCollection',
    description: 'The days by which the bills of one subscription are collected.',
  });

export const SubscriptionCollectionInput = z
  .strictObject({
    overdue_days: field(chosenDays.overdue.nullable().optional(), 'A bill is overdue.', 2),
    suspend_days: field(chosenDays.suspend.nullable().optional(), 'It suspends.', 20),
    cancel_days: field(chosenDays.cancel.nullable().optional(), 'It ends the subscription.', 40),
    retry_days: field(chosenDays.retries.nullable().optional(), 'Its card is charged again.', [1, 5]),
    reminder_days: field(chosenDays.reminders.nullable().optional(), 'Its buyer is reminded.', [-3, 0]),
  })
  .meta({
    id: 'SubscriptionCollectionInput',
    description: "Days of collection of its own: an absent field keeps, null is the account's.",
  });

export type SubscriptionCollectionInput = z.output<typeof SubscriptionCollectionInput>;
