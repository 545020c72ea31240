import type { PaymentIntent as PaymentIntentView } from '../../../contract/payments.ts';
import type { PixScenario } from '../../../contract/sandbox.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Scope, Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { BillingError, missing } from '../../kernel/errors.ts';
import { acquirerTimeout } from '../acquirer/ask.ts';
import { payAtBank } from '../acquirer/sandbox/buyer.ts';
import { findIntent } from '../intents/book.ts';
import { viewIntent } from '../view.ts';
import { handleNotice } from './settlement.ts';

const findQrOfIntent = statement<{ txid: string | null; copyPaste: string | null }>(
  'find_qr_of_intent',
  `SELECT c.id AS txid, c.copy_paste AS "copyPaste" FROM payment_intent p LEFT JOIN pix_charge c ON c.intent_id = p.id
   WHERE p.id = :intentId AND ${mine('p')}`,
);

/**
 * The sandbox's buyer pays a QR code; answers once the bank's notice of it has been handled
 * (docs/product/sandbox.md#paying-a-qr-code), or the intent as it stands when the operator has the bank tell of payments
 * later.
 */
export async function payPix(
  deps: Deps,
  scope: Scope,
  payment: { intentId: string; scenario: PixScenario },
): Promise<PaymentIntentView> {
  const { intentId, scenario } = payment;
  const [found] = await readIn(deps.pool, scope, findQrOfIntent, { intentId });
  if (found === undefined) throw missing('payment intent', intentId);
  const { txid, copyPaste } = found;
  if (txid === null || copyPaste === null) {
    throw new BillingError('INVALID_STATE', { message: `${intentId} never had a QR code to pay` });
  }
  // A repeat under the same key pays nothing again: the notice of what it paid is handled.
  if ((scope.idempotency?.formerAttempt ?? null) === null) {
    const untold = await deps.transaction(scope, (tx) => pay(tx, { txid, scenario, intentId }));
    if (untold !== null) return untold;
  }
  await deps.failpoint?.('settlement.after-booking');
  const notice = await handleNotice(deps, scope, { txid, answer: (tx, intent) => void tx.answer(intent) });
  if (notice?.isKnown !== true)
    throw acquirerTimeout(intentId, 'The payment is made and its notice follows: the bank does not answer now');
  return notice.intent;
}

/** Pays, and answers the intent as it stands when the bank is to tell of it later; null: the notice is there. */
async function pay(
  tx: Tx,
  { txid, scenario, intentId }: { txid: string; scenario: PixScenario; intentId: string },
): Promise<PaymentIntentView | null> {
  const notice = await payAtBank(tx, { txid, scenario });
  if (notice === 'later') return tx.answer(await viewStored(tx, intentId));
  tx.lease(txid);
  return null;
}

/** The intent as our books have it. */
export async function viewStored(tx: Tx, intentId: string): Promise<PaymentIntentView> {
  const intent = await findIntent(tx, intentId);
  if (intent === null) throw missing('payment intent', intentId);
  return viewIntent(intent);
}
