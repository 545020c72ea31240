import type { MandateEndReason } from '../../../contract/mandates.ts';
import { hangsOn } from '../../db/months.ts';
import { mine, statement } from '../../db/statement.ts';
import { schedule } from '../../invoices/life.ts';
import type { MandateFinding } from '../../payments/acquirer/port.ts';
import { lockBook } from '../../payments/intents/book.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import { promiseNoAttempt, renewBy } from '../renewed-by.ts';
import type { Contracted } from '../rows.ts';
import { viewSubscription } from '../view.ts';
import type { Mandate } from './entity.ts';
import { tellOfEnd } from './letters.ts';
import { askOf } from './rows.ts';
import { verdictOf } from './terms.ts';
import { viewMandate } from './view.ts';

/** Books what the acquirer says of the mandate of a subscription that the transaction holds, any number of times. */
export async function followMandate(
  tx: Tx,
  contracted: Contracted,
  { mandate, finding }: { mandate: Mandate; finding: MandateFinding },
): Promise<void> {
  const verdict = verdictOf(mandate, finding);
  if (verdict === 'activate') await activateMandate(tx, contracted, { mandate, payerBank: finding.payerBank });
  else if (verdict !== null) await bookEnd(tx, contracted, { mandate, reason: verdict });
}

/** Its buyer authorised: renewals are debited from now on. */
async function activateMandate(
  tx: Tx,
  contracted: Contracted,
  { mandate, payerBank }: { mandate: Mandate; payerBank: string | null },
): Promise<void> {
  const { subscription } = contracted;
  mandate.status = 'active';
  mandate.activatedAt = tx.now;
  mandate.payerBank = payerBank;
  tx.record('mandate.activated', viewMandate(mandate));
  renewBy(subscription, { type: 'pix_automatico', paymentMethodId: null, installments: 1 });
  tx.write(promiseNoAttempt, { id: subscription.id, besides: null });
  tx.record('subscription.updated', viewSubscription(tx, contracted));
}

const findDebited = statement<{ id: string }>(
  'find_debited_invoices',
  `SELECT i.id FROM invoice i JOIN payment_intent p ON ${hangsOn('pi_', 'p.invoice_id', 'i.id')} AND p.mandate_id = :mandateId
     AND p.status IN ('pending', 'scheduled', 'failed') AND ${mine('p')}
   WHERE i.subscription_id = :subscriptionId AND i.status = 'open' ORDER BY i.id`,
);

/**
 * Nothing is debited by it any more, and renewals are paid by QR code; what becomes of a debit that is scheduled the step
 * `debit` of its invoice asks the acquirer.
 */
export async function bookEnd(
  tx: Tx,
  contracted: Contracted,
  { mandate, reason }: { mandate: Mandate; reason: MandateEndReason },
): Promise<void> {
  const { subscription } = contracted;
  const wasActive = mandate.status === 'active';
  mandate.status = wasActive || reason === 'cancelled_by_merchant' ? 'ended' : 'failed';
  mandate.endedAt = tx.now;
  mandate.endReason = reason;
  subscription.mandateId = null;
  tx.record(mandate.status === 'ended' ? 'mandate.ended' : 'mandate.failed', viewMandate(mandate));
  if (!wasActive) return;
  if (subscription.paymentMethodType === 'pix_automatico') subscription.paymentMethodType = 'pix';
  tx.record('subscription.updated', viewSubscription(tx, contracted));
  // Who ended the subscription is told that.
  if (reason !== 'subscription_ended') await tellOfEnd(tx, subscription);
  const { id: mandateId, subscriptionId } = mandate;
  for (const { id } of await tx.query(findDebited, { mandateId, subscriptionId })) {
    const { invoice } = await lockBook(tx, id);
    if (invoice.debitLookAt == null) continue;
    invoice.debitLookAt = tx.now;
    schedule(invoice, tx.now);
  }
}

/** We end it: the acquirer is told by the case. */
export async function endOurselves(
  tx: Tx,
  contracted: Contracted,
  ending: { mandate: Mandate; reason: MandateEndReason },
): Promise<void> {
  await bookEnd(tx, contracted, ending);
  if (ending.mandate.place != null) askOf(tx, ending.mandate);
}
