import type { Invoice as InvoiceView } from '../../../contract/invoices.ts';
import { run } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Scope } from '../../db/tx.ts';
import type { Deps, Tx } from '../../deps.ts';
import { viewInvoice } from '../../invoices/view.ts';
import type { BillingError } from '../../kernel/errors.ts';
import { bankTimeout, cardDeclined } from '../acquirer/ask.ts';
import type { ChargeAttempt } from '../entity.ts';
import { viewCardMethod } from '../view.ts';
import {
  type AttemptRef,
  alarmIfContradicted,
  applyOutcome,
  type ChargeRecord,
  leaveToReconciliation,
  readRecord,
  sendAttempt,
} from './attempts.ts';

/** A charge that the first transaction has sent on its way. */
export interface OpenedCharge {
  readonly attempt: ChargeAttempt;
  readonly token: string;
}

/** What a checkout shows of the invoice that was charged: itself, or what it belongs to. */
export type ShowCheckout<T> = (tx: Tx, invoice: InvoiceView) => Promise<T>;

/** Sends the charge and answers what came of it: the paid invoice, or the refusal that is already in our books. */
export async function seeChargeThrough<T>(
  deps: Deps,
  scope: Scope,
  { opened, show }: { opened: OpenedCharge; show: ShowCheckout<T> },
): Promise<T> {
  const { attempt } = opened;
  const outcome = await sendAttempt(deps, scope, opened);
  if (!outcome.known) {
    await leaveToReconciliation(deps, scope, attempt);
    throw outcomeUnknown(attempt);
  }
  const answer = await deps.transaction(scope, async (tx) => {
    const record = await applyOutcome(tx, attempt, outcome.value);
    return { ...(await answerRecord(tx, record, show)), record };
  });
  alarmIfContradicted(deps, answer.record, outcome.value);
  await deps.failpoint?.('card.after-outcome');
  if (answer.kind === 'paid') return answer.shown;
  throw answer.refusal;
}

const outcomeUnknown = ({ intentId }: Pick<ChargeAttempt, 'intentId'>): BillingError =>
  bankTimeout(
    `What became of the charge ${intentId} is not known yet: repeat with the same Idempotency-Key or read it, and do not charge anew`,
  );

type Answer<T> =
  | { readonly kind: 'paid'; readonly shown: T }
  | { readonly kind: 'refused'; readonly refusal: BillingError };

/** What a checkout answers of its attempt. A refusal is thrown after the commit, or the decline would be lost with it. */
async function answerRecord<T>(tx: Tx, { invoice, attempt }: ChargeRecord, show: ShowCheckout<T>): Promise<Answer<T>> {
  const { declineReason } = attempt;
  if (attempt.status === 'sent') return { kind: 'refused', refusal: outcomeUnknown(attempt) };
  if (declineReason != null) return { kind: 'refused', refusal: cardDeclined(declineReason) };
  // Erased with the data of its customer, should that have happened since.
  const method = viewCardMethod(attempt);
  const paid = { ...viewInvoice(invoice), ...(method === null ? {} : { payment_method: method }) };
  return { kind: 'paid', shown: tx.answer(await show(tx, paid)) };
}

const findAttempt = statement(
  'find_attempt',
  `SELECT id, intent_id AS "intentId", invoice_id AS "invoiceId" FROM charge_attempt
   WHERE id = $1 AND account_id = $2 AND live_mode = $3`,
);

/** Answers a repeated request the outcome of the attempt that its first run made, and charges nothing (decisions §2). */
export async function answerFormerCharge<T>(
  deps: Deps,
  scope: Scope,
  { attemptId, show }: { attemptId: string; show: ShowCheckout<T> },
): Promise<T> {
  const values = [attemptId, scope.accountId, scope.liveMode];
  const [ref] = await run<AttemptRef & Record<string, unknown>>(deps.pool, findAttempt, values);
  if (ref === undefined) throw new Error(`the attempt ${attemptId} of a repeated request is not in our books`);
  const answer = await deps.transaction(scope, async (tx) => answerRecord(tx, await readRecord(tx, ref), show));
  if (answer.kind === 'paid') return answer.shown;
  throw answer.refusal;
}
