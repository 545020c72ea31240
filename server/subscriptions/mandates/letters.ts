import type { Invoice } from '../../invoices/entity.ts';
import { lockInvoice } from '../../invoices/life.ts';
import { writeToBuyer } from '../../mail/bill-letters.ts';
import type { PaymentIntent } from '../../payments/entity.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import type { Subscription } from '../entity.ts';

/** Tells the buyer of a renewal that it is debited, or was not; of a further day they were told with the failure. */
export async function tellOfDebit(
  tx: Tx,
  { invoice, intent: { status, attempts, declineReason, nextAttempt } }: { invoice: Invoice; intent: PaymentIntent },
): Promise<void> {
  if (status === 'scheduled' && attempts === 1)
    await writeToBuyer(tx, { invoice, occasion: { kind: 'debit_scheduled' } });
  if (status === 'failed' && declineReason != null)
    await writeToBuyer(tx, {
      invoice,
      occasion: { kind: 'debit_failed', reason: declineReason, againAt: nextAttempt ?? null },
    });
}

/** Tells the buyer that nothing is debited any more. */
export async function tellOfEnd(tx: Tx, { latestInvoiceId }: Subscription): Promise<void> {
  if (latestInvoiceId == null) return;
  const invoice = await lockInvoice(tx, latestInvoiceId);
  await writeToBuyer(tx, { invoice, occasion: { kind: 'mandate_ended' } });
}
