import type { PaymentIntent as PaymentIntentView } from '../../../contract/payments.ts';
import type { DebitScenario } from '../../../contract/sandbox.ts';
import { hangsOn } from '../../db/months.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { BillingError, missing } from '../../kernel/errors.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import { decideDebit, NEVER_DEBITED } from '../acquirer/sandbox/debits.ts';
import { approveAtBank, rejectAtBank } from '../acquirer/sandbox/mandates.ts';
import { retrieveIntent } from '../intents/list.ts';
import { actAtBank } from './at-bank.ts';

/** What the sandbox's buyers and their bank do with mandates and debits. */

export { endAtBank } from '../acquirer/sandbox/mandates.ts';

export type MandateDecision = 'approve' | 'reject';

export const decideOnMandate = (
  deps: Deps,
  scope: Scope,
  { bankRef, decision }: { bankRef: string; decision: MandateDecision },
): Promise<void> =>
  deps.transaction(scope, async (tx) => {
    if (decision === 'approve') await approveAtBank(tx, bankRef);
    else await rejectAtBank(tx, bankRef);
  });

/** Pays a QR code that brings a mandate, which the buyer so authorises. */
export const payComposite = (
  deps: Deps,
  scope: Scope,
  { bankRef, ...work }: { txid: string; intentId: string; bankRef: string; beforeNotice: () => Promise<void> },
): Promise<PaymentIntentView> =>
  actAtBank(deps, scope, {
    ...work,
    act: (tx) => approveAtBank(tx, bankRef),
    unanswered: 'The payment is made and its notice follows: the bank does not answer now',
  });

const refusals: Readonly<Record<DebitScenario, string | null>> = {
  paid: null,
  insufficient: 'AM02',
  limit: 'AM09',
  account_closed: 'AC05',
  expired: NEVER_DEBITED,
};

const findTxid = statement<{ txid: string | null }>(
  'find_debit_of_intent',
  `SELECT c.id AS txid FROM payment_intent p LEFT JOIN pix_charge c ON ${hangsOn('', 'c.intent_id', 'p.id')} AND p.mandate_id IS NOT NULL
   WHERE p.id = :intentId AND ${mine('p')}`,
);

/** Says what becomes of the next try of a debit of the sandbox; answers the intent (docs/product/sandbox.md#debits). */
export async function decideNextDebit(
  deps: Deps,
  scope: Scope,
  { intentId, outcome }: { intentId: string; outcome: DebitScenario },
): Promise<PaymentIntentView> {
  const [found] = await readIn(deps.pool, scope, findTxid, { intentId });
  if (found === undefined) throw missing('payment intent', intentId);
  const { accountId } = scope;
  const { txid } = found;
  const isDecided = txid !== null && (await decideDebit(deps.pool, { accountId, txid, refusal: refusals[outcome] }));
  if (!isDecided) throw new BillingError('INVALID_STATE', { message: `${intentId} has no debit that is to be tried` });
  const view = await retrieveIntent(deps, scope, intentId);
  return deps.transaction(scope, async (tx) => tx.answer(view));
}
