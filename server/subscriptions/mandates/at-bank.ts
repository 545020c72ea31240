import type { Mandate as MandateView } from '../../../contract/mandates.ts';
import type { PaymentIntent as PaymentIntentView } from '../../../contract/payments.ts';
import type { PixScenario } from '../../../contract/sandbox.ts';
import { hangsOn } from '../../db/months.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { BillingError, missing } from '../../kernel/errors.ts';
import { decideOnMandate, endAtBank, type MandateDecision, payComposite } from '../../payments/pix/buyer-mandates.ts';
import { payPix } from '../../payments/pix/pay.ts';
import { handleNotice } from '../../payments/pix/settlement.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { lockSubscription } from '../rows.ts';
import { lookAtAcquirer } from './case.ts';
import { retrieveMandate } from './list.ts';
import { askOf, mandates } from './rows.ts';

interface AtBank {
  id: string;
  subscriptionId: string;
  place: string;
  bankRef: string;
  firstTxid: string | null;
  askedAt: Date | null;
}

const COLUMNS = `m.id, m.subscription_id AS "subscriptionId", m.place, m.bank_ref AS "bankRef", m.first_txid AS "firstTxid", m.asked_at AS "askedAt"`;

const findAtBank = statement<{ [Name in keyof AtBank]: AtBank[Name] | null }>(
  'find_mandate_at_bank',
  `SELECT ${COLUMNS} FROM mandate m WHERE m.id = :id AND ${mine('m')}`,
);

async function readAtBank(deps: Deps, scope: Scope, id: string): Promise<AtBank> {
  const [found] = await readIn(deps.pool, scope, findAtBank, { id });
  if (found === undefined) throw missing('mandate', id);
  if (found.bankRef === null) throw new BillingError('INVALID_STATE', { message: `${id} was never made at the bank` });
  // What is made there has all of it.
  return found as AtBank;
}

/** The sandbox's buyer decides on a mandate at their bank; answers the mandate once that is booked (docs/product/sandbox.md#mandates). */
export async function decideAtBank(
  deps: Deps,
  scope: Scope,
  { id, decision }: { id: string; decision: MandateDecision },
): Promise<MandateView> {
  const found = await readAtBank(deps, scope, id);
  await decideOnMandate(deps, scope, { bankRef: found.bankRef, decision });
  await lookAtAcquirer(deps, scope, found);
  if (found.firstTxid !== null) await handleNotice(deps, scope, { txid: found.firstTxid });
  return answered(deps, scope, id);
}

async function answered(deps: Deps, scope: Scope, id: string): Promise<MandateView> {
  const view = await retrieveMandate(deps, scope, id);
  return deps.transaction(scope, async (tx: Tx) => tx.answer(view));
}

/** The buyer, or their bank, ends a mandate of the sandbox. */
export async function cancelAtBank(
  deps: Deps,
  scope: Scope,
  { id, by }: { id: string; by: 'payer' | 'payer_bank' },
): Promise<MandateView> {
  const { bankRef, subscriptionId } = await readAtBank(deps, scope, id);
  await deps.transaction(scope, async (tx) => {
    await lockSubscription(tx, subscriptionId);
    const mandate = await tx.lock(mandates, id);
    await endAtBank(tx, { bankRef, by });
    // If this process dies before it has looked, the case does.
    if (mandate.status === 'pending' || mandate.status === 'active') askOf(tx, mandate);
  });
  await lookAtAcquirer(deps, scope, await readAtBank(deps, scope, id));
  return answered(deps, scope, id);
}

const findComposite = statement<AtBank & { firstTxid: string }>(
  'find_mandate_of_code',
  `SELECT ${COLUMNS} FROM mandate m JOIN pix_charge c ON c.id = m.first_txid
   WHERE ${hangsOn('', 'c.intent_id', ':intentId')} AND m.status = 'pending' AND m.bank_ref IS NOT NULL AND ${mine('m')}`,
);

/** Pays a QR code of the sandbox; one that brings a mandate authorises it in the same act, as banks do. */
export async function payCode(
  deps: Deps,
  scope: Scope,
  payment: { intentId: string; scenario: PixScenario },
): Promise<PaymentIntentView> {
  const { intentId, scenario } = payment;
  const [found] = scenario === 'paid' ? await readIn(deps.pool, scope, findComposite, { intentId }) : [];
  if (found === undefined) return payPix(deps, scope, payment);
  return payComposite(deps, scope, {
    txid: found.firstTxid,
    intentId,
    bankRef: found.bankRef,
    beforeNotice: async () => void (await lookAtAcquirer(deps, scope, found)),
  });
}
