import type { CollectionDays } from '../kernel/collection-days.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Invoice } from './entity.ts';
import { NO_REMINDERS, remindersPast } from './rules.ts';

/** The days by which an invoice is collected since it was opened (docs/product/collection.md#days). */
export function collectionDaysOf({ id, collectionDays }: Pick<Invoice, 'id' | 'collectionDays'>): CollectionDays {
  if (collectionDays == null) throw new Error(`${id} was never opened`);
  return collectionDays;
}

/** The reminders of an open invoice that are ahead of an instant are to be sent; a session has a deadline of its own instead. */
export function remindFrom(invoice: Invoice, now: Timestamp): void {
  const { payableUntil, dueAt } = invoice;
  invoice.reminders =
    payableUntil == null ? remindersPast(dueAt, { days: collectionDaysOf(invoice), now }) : NO_REMINDERS;
}
