import type { Deps } from '../../deps.ts';
import { raiseAlarm } from '../../kernel/alarms.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import type { Chargeback } from '../acquirer/port.ts';
import { lockDisputeBook, openLost } from './book.ts';

/** A charge that is paid by card. */
interface PaidCharge {
  readonly invoiceId: string;
  readonly intentId: string;
}

/** Books what the bank of a card's holder took back of a charge, any number of times (docs/product/disputes.md#chargebacks). */
export async function bookChargebacks(
  deps: Deps,
  scope: Scope,
  { charge, chargebacks }: { charge: PaidCharge; chargebacks: readonly Chargeback[] },
): Promise<void> {
  const beyond = await deps.transaction(scope, (tx) => bookNew(tx, charge, chargebacks));
  if (beyond === 0) return;
  const message = 'more of a charge was taken back than was there: part of it had been refunded or disputed before';
  raiseAlarm(deps, 'chargeback_beyond_charge', { intent: charge.intentId, amount: beyond, message });
}

/** Answers how much was taken beyond what the charge had left: that money is the merchant's own, and no dispute of the charge. */
async function bookNew(tx: Tx, charge: PaidCharge, chargebacks: readonly Chargeback[]): Promise<number> {
  const book = await lockDisputeBook(tx, charge);
  const known = new Set(book.disputes.map(({ returnId }) => returnId));
  let beyond = 0;
  for (const { id: returnId, amount } of chargebacks.filter(({ id }) => !known.has(id))) {
    const { amount: paid, amountRefunded, amountDisputed } = book.intent;
    const taken = Math.min(amount, paid - amountRefunded - amountDisputed);
    beyond += amount - taken;
    if (taken > 0)
      openLost(tx, book, {
        amount: taken,
        method: 'card',
        kind: 'chargeback',
        reason: 'general',
        endToEndId: null,
        returnId,
      });
  }
  return beyond;
}
