import type { DeclineReason } from '../../../contract/errors.ts';
import { statement } from '../../db/statement.ts';
import { newId } from '../../kernel/ids.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import type { PaymentIntent } from '../entity.ts';

const insertTry = statement(
  'schedule_debit_try',
  `INSERT INTO debit_try (id, account_id, live_mode, created, intent_id, invoice_id, day, status, scheduled_at)
   VALUES (:id, :accountId, :liveMode, :now, :intentId, :invoiceId, :day, 'scheduled', :now)`,
);

/** Of a try that was scheduled, or of one that was refused outright. */
const completeTry = statement(
  'complete_debit_try',
  `INSERT INTO debit_try AS t (id, account_id, live_mode, created, intent_id, invoice_id, day, status, decline_reason, acquirer_code, completed_at)
   VALUES (:id, :accountId, :liveMode, :now, :intentId, :invoiceId, :day, :status, :declineReason, :acquirerCode, :now)
   ON CONFLICT (intent_id, day) DO UPDATE SET status = excluded.status, decline_reason = excluded.decline_reason,
     acquirer_code = excluded.acquirer_code, completed_at = excluded.completed_at`,
);

/** What became of the day on which a debit was tried last. */
export function bookTry(
  tx: Tx,
  { id: intentId, invoiceId, scheduledFor: day }: PaymentIntent,
  outcome: { status: 'paid' | 'failed' | 'given_up'; declineReason?: DeclineReason; acquirerCode?: string | null },
): void {
  const { status, declineReason = null, acquirerCode = null } = outcome;
  tx.write(completeTry, { ...newTry(tx), intentId, invoiceId, day, status, declineReason, acquirerCode });
}

const newTry = (tx: Tx) => ({ id: newId('dt'), now: tx.now });

/** A debit is scheduled for its day. */
export function scheduleTry(tx: Tx, { id: intentId, invoiceId, scheduledFor: day }: PaymentIntent): void {
  tx.write(insertTry, { ...newTry(tx), intentId, invoiceId, day });
}
