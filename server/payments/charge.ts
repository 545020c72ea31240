import type { Invoice as InvoiceView } from '../../contract/invoices.ts';
import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps, Tx } from '../deps.ts';
import { viewInvoice } from '../invoices/view.ts';
import { BillingError } from '../kernel/errors.ts';
import {
  type AttemptRef,
  alarmIfContradicted,
  applyOutcome,
  type ChargeRecord,
  leaveToReconciliation,
  readRecord,
  sendAttempt,
} from './attempts.ts';
import { type AccountOfBank, bankTimeout } from './bank.ts';
import type { ChargeAttempt } from './entity.ts';
import { viewCardMethod } from './view.ts';

/** A charge that the first transaction has sent on its way. */
export interface OpenedCharge {
  readonly attempt: ChargeAttempt;
  readonly token: string;
  readonly account: AccountOfBank;
}

/** Sends the charge and answers what came of it: the paid invoice, or the refusal that is already in our books. */
export async function seeChargeThrough(deps: Deps, scope: Scope, opened: OpenedCharge): Promise<InvoiceView> {
  const { attempt } = opened;
  const outcome = await sendAttempt(deps, scope, opened);
  if (!outcome.known) {
    await leaveToReconciliation(deps, scope, attempt);
    throw outcomeUnknown(attempt);
  }
  const answer = await deps.transaction(scope, async (tx) => {
    const record = await applyOutcome(tx, attempt, outcome.value);
    return { ...answerRecord(tx, record), record };
  });
  alarmIfContradicted(deps, answer.record, outcome.value);
  await deps.failpoint?.('card.after-outcome');
  if (answer.kind === 'paid') return answer.invoice;
  throw answer.refusal;
}

const outcomeUnknown = ({ intentId }: Pick<ChargeAttempt, 'intentId'>): BillingError =>
  bankTimeout(
    `What became of the charge ${intentId} is not known yet: repeat with the same Idempotency-Key or read it, and do not charge anew`,
  );

type Answer =
  | { readonly kind: 'paid'; readonly invoice: InvoiceView }
  | { readonly kind: 'refused'; readonly refusal: BillingError };

/** What a checkout answers of its attempt. A refusal is thrown after the commit, or the decline would be lost with it. */
function answerRecord(tx: Tx, { invoice, attempt }: ChargeRecord): Answer {
  const { declineReason } = attempt;
  if (attempt.status === 'sent') return { kind: 'refused', refusal: outcomeUnknown(attempt) };
  if (declineReason != null) {
    const message = `The card was declined: ${declineReason.replaceAll('_', ' ')}`;
    return { kind: 'refused', refusal: new BillingError('CARD_DECLINED', { message, declineReason }) };
  }
  // Erased with the data of its customer, should that have happened since.
  const method = viewCardMethod(attempt);
  const shown = method === null ? {} : { payment_method: method };
  return { kind: 'paid', invoice: tx.answer({ ...viewInvoice(invoice), ...shown }) };
}

const findAttempt = statement(
  'find_attempt',
  `SELECT id, intent_id AS "intentId", invoice_id AS "invoiceId" FROM charge_attempt
   WHERE id = $1 AND account_id = $2 AND live_mode = $3`,
);

/** Answers a repeated request the outcome of the attempt that its first run made, and charges nothing (decisions §2). */
export async function answerFormerCharge(deps: Deps, scope: Scope, attemptId: string): Promise<InvoiceView> {
  const values = [attemptId, scope.accountId, scope.liveMode];
  const [ref] = await run<AttemptRef & Record<string, unknown>>(deps.pool, findAttempt, values);
  if (ref === undefined) throw new Error(`the attempt ${attemptId} of a repeated request is not in our books`);
  const answer = await deps.transaction(scope, async (tx) => answerRecord(tx, await readRecord(tx, ref)));
  if (answer.kind === 'paid') return answer.invoice;
  throw answer.refusal;
}
