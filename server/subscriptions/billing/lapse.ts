import type { Deps } from '../../deps.ts';
import { refusedByPayment } from '../../payments/close-invoice.ts';
import { lockBook, refuseWhilePaying } from '../../payments/intents/book.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from '../../payments/pix/ending.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { closeBills } from '../cancel.ts';
import { endAwaiting } from '../changes/awaiting.ts';
import { type Contracted, lockSubscription } from '../rows.ts';
import { viewSubscription } from '../view.ts';
import { isDueNow } from './renew.ts';

/** Voids the invoice of the change that waits for its payment, and with it the change. */
export async function voidAwaiting(
  tx: Tx,
  contracted: Contracted,
  { status, ended }: { status: 'lapsed' | 'canceled'; ended: EndedQrs },
): Promise<QrsInTheWay | null> {
  const invoiceId = contracted.scheduled.awaiting?.change.invoiceId;
  if (invoiceId == null) return null;
  const book = await lockBook(tx, invoiceId);
  refuseWhilePaying(book);
  const inTheWay = ended.retireRest(tx, [book]);
  if (inTheWay !== null) return inTheWay;
  closeBills(tx, contracted, { books: [book], closing: 'void', ended });
  await endAwaiting(tx, contracted, status);
  return null;
}

/** A change that was not paid in time lapses; false: none is due. */
export const lapseInTime = (deps: Deps, scope: Scope, id: string): Promise<boolean> =>
  endingQrs(deps, scope, {
    of: id,
    change: async (tx, ended) => {
      const contracted = await lockSubscription(tx, id);
      if (!isDueNow(tx, contracted, 'lapse_change')) return false;
      const inTheWay = await voidAwaiting(tx, contracted, { status: 'lapsed', ended });
      if (inTheWay !== null) return inTheWay;
      tx.record('subscription.change_lapsed', viewSubscription(tx, contracted));
      return true;
    },
    whenPaid: refusedByPayment,
    whenSilent: 'change',
  });
