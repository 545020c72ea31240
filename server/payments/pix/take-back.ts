import type { PaymentIntent as PaymentIntentView } from '../../../contract/payments.ts';
import type { DisputeScenario } from '../../../contract/sandbox.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Scope, Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { BillingError, missing } from '../../kernel/errors.ts';
import { acquirerTimeout } from '../acquirer/ask.ts';
import type { NoticeTime } from '../acquirer/sandbox/buyer.ts';
import { giveBackAtBank, takeBackAtBank } from '../acquirer/sandbox/med.ts';
import { viewStored } from './pay.ts';
import { handleNotice } from './settlement.ts';

interface PaidPix {
  endToEndId: string | null;
  txid: string | null;
  /** Returns of the bank whose money is gone, newest first. */
  returnIds: string[];
}

const findPaidPix = statement<PaidPix>(
  'find_paid_pix_of_intent',
  `SELECT r.id AS "endToEndId", r.txid,
     ARRAY(SELECT d.return_id FROM dispute d WHERE d.intent_id = p.id AND d.funds = 'withdrawn' ORDER BY d.id DESC) AS "returnIds"
   FROM payment_intent p LEFT JOIN pix_receipt r ON r.intent_id = p.id WHERE p.id = :intentId AND ${mine('p')}`,
);

/** What the bank of the sandbox does with a payment. */
interface TakeBack {
  readonly intentId: string;
  readonly scenario: DisputeScenario;
  readonly amount: number | undefined;
}

/**
 * The sandbox's bank takes money of a PIX back, or gives it back (docs/product/sandbox.md#taking-money-back). Answers the
 * intent once the bank's notice has been handled, or as it stands when the operator has the bank give its notices later.
 */
export async function takeBack(deps: Deps, scope: Scope, taking: TakeBack): Promise<PaymentIntentView> {
  const { intentId } = taking;
  const [found] = await readIn(deps.pool, scope, findPaidPix, { intentId });
  if (found === undefined) throw missing('payment intent', intentId);
  const { txid, endToEndId, returnIds } = found;
  if (txid === null || endToEndId === null)
    throw new BillingError('INVALID_STATE', { message: `${intentId} has no PIX that was paid` });
  // A repeat under the same key takes nothing again: the notice of what was taken is handled.
  if ((scope.idempotency?.formerAttempt ?? null) === null) {
    const paid = { txid, endToEndId, returnIds };
    const untold = await deps.transaction(scope, (tx) => take(tx, paid, taking));
    if (untold !== null) return untold;
  }
  await deps.failpoint?.('settlement.after-booking');
  const notice = await handleNotice(deps, scope, { txid, intentId, answer: (tx, intent) => void tx.answer(intent) });
  if (notice?.isKnown !== true)
    throw acquirerTimeout(intentId, 'The bank has done it and its notice follows: the bank does not answer now');
  return notice.intent;
}

interface Paid {
  readonly txid: string;
  readonly endToEndId: string;
  readonly returnIds: readonly string[];
}

/** Answers the intent as it stands when the bank is to tell of it later; null: the notice is there. */
async function take(tx: Tx, paid: Paid, { intentId, scenario, amount }: TakeBack): Promise<PaymentIntentView | null> {
  const notice: NoticeTime =
    scenario === 'reversed'
      ? await giveBackAtBank(tx, paid, paid)
      : await takeBackAtBank(tx, paid, { scenario, amount });
  if (notice === 'later') return tx.answer(await viewStored(tx, intentId));
  tx.lease(paid.txid);
  return null;
}
