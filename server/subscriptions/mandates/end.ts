import type { MandateEndReason, Mandate as MandateView } from '../../../contract/mandates.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { missing } from '../../kernel/errors.ts';
import { refusedByPayment } from '../../payments/close-invoice.ts';
import { discardUnsettled, lockBook } from '../../payments/intents/book.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from '../../payments/pix/ending.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { type Contracted, lockSubscription } from '../rows.ts';
import type { Mandate } from './entity.ts';
import { endOurselves } from './follow.ts';
import { mandates, openMandateOf } from './rows.ts';
import { viewMandate } from './view.ts';

const findSubscription = statement<{ subscriptionId: string }>(
  'find_subscription_of_mandate',
  `SELECT m.subscription_id AS "subscriptionId" FROM mandate m WHERE m.id = :id AND ${mine('m')}`,
);

/** Ends a mandate by wish (docs/product/pix-automatico.md#the-end-of-a-mandate); one that is over is answered as it is. */
export async function cancelMandate(deps: Deps, scope: Scope, id: string): Promise<MandateView> {
  const [found] = await readIn(deps.pool, scope, findSubscription, { id });
  if (found === undefined) throw missing('mandate', id);
  return endingQrs(deps, scope, {
    of: id,
    change: async (tx, ended): Promise<MandateView | QrsInTheWay> => {
      const contracted = await lockSubscription(tx, found.subscriptionId);
      const mandate = await tx.lock(mandates, id);
      const inTheWay = await endWithDebits(tx, contracted, { mandate, reason: 'cancelled_by_merchant', ended });
      return inTheWay ?? tx.answer(viewMandate(mandate));
    },
    whenPaid: refusedByPayment,
    whenSilent: 'refuse',
  });
}

const findDebits = statement<{ id: string }>(
  'find_invoices_to_be_debited',
  `SELECT p.invoice_id AS id FROM payment_intent p WHERE p.mandate_id = :mandateId AND p.status IN ('pending', 'scheduled', 'failed') AND ${mine('p')} ORDER BY p.invoice_id`,
);

/** Ends a mandate whose debits are cancelled; answers those in the way. Their bills are paid by QR code. */
async function endWithDebits(
  tx: Tx,
  contracted: Contracted,
  { mandate, reason, ended }: { mandate: Mandate; reason: MandateEndReason; ended: EndedQrs },
): Promise<QrsInTheWay | null> {
  if (mandate.status !== 'pending' && mandate.status !== 'active') return null;
  const books = [];
  for (const { id } of await tx.query(findDebits, { mandateId: mandate.id })) books.push(await lockBook(tx, id));
  const inTheWay = ended.retireRest(tx, books);
  if (inTheWay !== null) return inTheWay;
  // The step of each bill finds no debit, and has it paid by QR code.
  for (const book of books) discardUnsettled(tx, book, ended.txidOf(book.invoice.id));
  await endOurselves(tx, contracted, { mandate, reason });
  return null;
}

/** Ends the active mandate, if any, of a subscription that is paid otherwise from now on. */
export async function endActiveMandate(
  tx: Tx,
  contracted: Contracted,
  { reason, ended }: { reason: MandateEndReason; ended: EndedQrs },
): Promise<QrsInTheWay | null> {
  const mandate = await openMandateOf(tx, contracted);
  return mandate?.status === 'active' ? endWithDebits(tx, contracted, { mandate, reason, ended }) : null;
}
