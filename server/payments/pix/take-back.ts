import type { PaymentIntent as PaymentIntentView } from '../../../contract/payments.ts';
import type { DisputeScenario } from '../../../contract/sandbox.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { BillingError, missing } from '../../kernel/errors.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import { giveBackAtBank, takeBackAtBank } from '../acquirer/sandbox/med.ts';
import { actAtBank } from './at-bank.ts';

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
  const { intentId, scenario, amount } = taking;
  const [found] = await readIn(deps.pool, scope, findPaidPix, { intentId });
  if (found === undefined) throw missing('payment intent', intentId);
  const { txid, endToEndId, returnIds } = found;
  if (txid === null || endToEndId === null)
    throw new BillingError('INVALID_STATE', { message: `${intentId} has no PIX that was paid` });
  const paid = { txid, endToEndId };
  return actAtBank(deps, scope, {
    txid,
    intentId,
    act: (tx) =>
      scenario === 'reversed'
        ? giveBackAtBank(tx, paid, { returnIds })
        : takeBackAtBank(tx, paid, { scenario, amount }),
    unanswered: 'The bank has done it and its notice follows: the bank does not answer now',
  });
}
