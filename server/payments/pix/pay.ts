import type { PaymentIntent as PaymentIntentView } from '../../../contract/payments.ts';
import type { PixScenario } from '../../../contract/sandbox.ts';
import { hangsOn } from '../../db/months.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { BillingError, missing } from '../../kernel/errors.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import { payAtBank } from '../acquirer/sandbox/buyer.ts';
import { actAtBank } from './at-bank.ts';

const findQrOfIntent = statement<{ txid: string | null; copyPaste: string | null }>(
  'find_qr_of_intent',
  `SELECT c.id AS txid, c.copy_paste AS "copyPaste" FROM payment_intent p LEFT JOIN pix_charge c ON ${hangsOn('', 'c.intent_id', 'p.id')}
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
  return actAtBank(deps, scope, {
    txid,
    intentId,
    act: (tx) => payAtBank(tx, { txid, scenario }),
    unanswered: 'The payment is made and its notice follows: the bank does not answer now',
  });
}
