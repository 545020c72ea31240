import { statement } from '../../db/statement.ts';
import type { Tx } from '../../unit-of-work/tx.ts';

const findOverdue = statement<{ id: string }>(
  'find_overdue_invoice',
  `SELECT id FROM invoice WHERE subscription_id = :subscriptionId AND status = 'open' AND overdue_at IS NOT NULL LIMIT 1`,
);

/** Whether an episode is open: it ends when none of the invoices is overdue. */
export const isOverdue = async (tx: Tx, subscriptionId: string): Promise<boolean> =>
  (await tx.query(findOverdue, { subscriptionId })).length > 0;
