import type { Scope } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { remind } from '../../mail/queue.ts';
import { mailSteps } from '../../mail/rules.ts';
import { lockInvoice, updateInvoice } from '../../payments/intents/book.ts';
import { remindersPast } from './rules.ts';
import { isDue, schedule } from './schedule.ts';

/** Writes to the buyer of a bill by PIX that waits for payment (decisions §3); false: not due. */
export function sendReminder(deps: Deps, scope: Scope, invoiceId: string): Promise<boolean> {
  return deps.transaction(scope, async (tx) => {
    const invoice = await lockInvoice(tx, invoiceId);
    if (!isDue(tx, invoice, 'remind')) return false;
    // Those that an outage let pass are not made up for: the newest says it all.
    invoice.reminders = Math.max(remindersPast(invoice.dueAt, tx.now), invoice.reminders + 1);
    const step = mailSteps[invoice.reminders - 1];
    if (step !== undefined) remind(deps, tx, { invoice, step });
    schedule(invoice, tx.scope.account);
    updateInvoice(tx, invoice);
    return true;
  });
}
