import { statement } from '../../db/statement.ts';
import type { Timestamp } from '../../kernel/time.ts';
import { type Book, lockBook, refuseWhilePaying } from '../../payments/intents/book.ts';
import type { EndedQrs, QrsInTheWay } from '../../payments/pix/ending.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import { closeBills } from '../cancel.ts';
import { termsOf } from '../changes/scheduled.ts';
import { periodOfCycle } from '../decide.ts';
import type { Contracted } from '../rows.ts';

const findAhead = statement<{ id: string }>(
  'find_bill_made_ahead',
  `SELECT i.invoice_id AS id FROM invoice_cycle i WHERE i.subscription_id = :id AND i.cycle = :cycle`,
);

/** The bill of the next period, where it was made already. */
export async function lockAhead(tx: Tx, { subscription }: Contracted): Promise<Book | null> {
  const { id, cycle, billedCycle } = subscription;
  if (billedCycle <= cycle) return null;
  const [found] = await tx.query(findAhead, { id, cycle: billedCycle });
  return found === undefined ? null : lockBook(tx, found.id);
}

/** Voids a bill that was made ahead, or waits for the first payment: its cycle is not billed, or is billed anew. */
export function withdraw(
  tx: Tx,
  contracted: Contracted,
  { ahead, ended }: { ahead: Book; ended: EndedQrs },
): QrsInTheWay | null {
  refuseWhilePaying(ahead);
  if (ahead.invoice.status !== 'open') return null;
  const inTheWay = ended.retireRest(tx, [ahead]);
  if (inTheWay !== null) return inTheWay;
  ahead.invoice.superseded = true;
  closeBills(tx, contracted, { books: [ahead], closing: 'void', ended });
  const { subscription } = contracted;
  subscription.billedCycle = subscription.cycle;
  subscription.aheadNet = null;
  subscription.bills -= 1;
  return null;
}

/** When the last period ends that is paid for: the current one, or the next one where that was billed ahead and is paid. */
export const endOfPaid = (
  contracted: Contracted,
  { ahead, periodEnd }: { ahead: { readonly invoice: Pick<Book['invoice'], 'status'> } | null; periodEnd: Timestamp },
): Timestamp =>
  ahead?.invoice.status === 'paid'
    ? periodOfCycle(termsOf(contracted, contracted.subscription.billedCycle), contracted.subscription.billedCycle).end
    : periodEnd;
