import { statement } from '../../db/statement.ts';
import type { Tx } from '../../db/tx.ts';
import { schedule } from '../../invoices/life.ts';
import { NO_REMINDERS, nextCharge } from '../../invoices/rules.ts';
import { lockBook } from '../../payments/intents/book.ts';

const findRenewals = statement<{ id: string }>(
  'find_open_renewals',
  `SELECT id FROM invoice WHERE subscription_id = :subscriptionId AND status = 'open' AND collection = 'renewal' AND id IS DISTINCT FROM :besides
   ORDER BY id`,
);

/**
 * Renewals are charged to another card from now on: the charges of open ones that are still ahead are scheduled with it
 * (docs/product/collection.md#charges-by-schedule), `besides` the one that it paid.
 */
export async function scheduleAgain(
  tx: Tx,
  subscriptionId: string,
  { besides = null }: { besides?: string | null } = {},
): Promise<void> {
  const renewals = await tx.query(findRenewals, { subscriptionId, besides });
  if (renewals.length === 0) return;
  const { account: days } = tx.scope;
  let isInCase = false;
  for (const { id } of renewals) {
    const { invoice, intent } = await lockBook(tx, id);
    // One that is due and was held up is made with the new card.
    const isDue = invoice.nextChargeAt != null && invoice.nextChargeAt <= tx.now;
    if (!isDue) invoice.nextChargeAt = nextCharge(invoice, days, tx.now);
    if (invoice.nextChargeAt !== null) invoice.reminders = NO_REMINDERS;
    // What is at the acquirer schedules its invoice again itself; a buyer's own charge is not the schedule's.
    if (intent?.status === 'failed' && intent.isScheduled) intent.nextAttempt = invoice.nextChargeAt;
    if (invoice.step !== null) schedule(invoice, days);
    isInCase ||= invoice.inCase;
  }
  // The case sleeps until the step that came next with the former card.
  if (isInCase) tx.enqueue({ kind: 'collection', key: subscriptionId });
}
