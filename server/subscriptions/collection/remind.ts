import type { Scope } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { reminderDays, remindersPast } from '../../invoices/collection/rules.ts';
import { isDue, schedule } from '../../invoices/collection/schedule.ts';
import { lockInvoice } from '../../invoices/rows.ts';
import { remind } from '../../mail/queue.ts';

/** Writes to the buyer of a bill by PIX that waits for payment (docs/product/mail.md#reminders); false: not due. */
export function sendReminder(deps: Deps, scope: Scope, invoiceId: string): Promise<boolean> {
  return deps.transaction(scope, async (tx) => {
    const invoice = await lockInvoice(tx, invoiceId);
    if (!isDue(invoice, 'remind', tx.now)) return false;
    // Reminders that an outage let pass are not made up for: the newest says it all.
    invoice.reminders = Math.max(remindersPast(invoice.dueAt, tx.now), invoice.reminders + 1);
    const day = reminderDays[invoice.reminders - 1];
    if (day !== undefined) remind(deps, tx, { invoice, step: day });
    schedule(invoice, tx.scope.account);
    return true;
  });
}
