import { readIn } from '../../db/database.ts';
import { mine, statement } from '../../db/statement.ts';
import type { Scope, Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { park } from '../../invoices/life.ts';
import { maxCharges } from '../../invoices/rules.ts';
import { viewInvoice } from '../../invoices/view.ts';
import type { BillingError } from '../../kernel/errors.ts';
import { acquirerTimeout, cardDeclined } from '../acquirer/ask.ts';
import type { ChargeAttempt, PaymentIntent } from '../entity.ts';
import { newIntent, type ShowCheckout } from '../intents/book.ts';
import { viewCardMethod } from '../view.ts';
import {
  type AttemptRef,
  alarmIfContradicted,
  applyOutcome,
  type ChargedCard,
  type ChargeRecord,
  leaveToReconciliation,
  openAttempt,
  readRecord,
  sendAttempt,
} from './attempts.ts';

/** A charge that the first transaction has sent on its way. */
export interface OpenedCharge {
  readonly attempt: ChargeAttempt;
  readonly token: string;
}

/** Sends a charge that a transaction has opened, and books what came of it; null: nobody knows, and its case finds out. */
async function seeThrough<T>(
  deps: Deps,
  scope: Scope,
  opened: OpenedCharge,
  booked: (tx: Tx, record: ChargeRecord) => Promise<T>,
): Promise<T | null> {
  const { attempt } = opened;
  const outcome = await sendAttempt(deps, scope, opened);
  if (!outcome.known) {
    await leaveToReconciliation(deps, scope, attempt);
    return null;
  }
  const { record, result } = await deps.transaction(scope, async (tx) => {
    const record = await applyOutcome(tx, attempt, outcome.value);
    return { record, result: await booked(tx, record) };
  });
  alarmIfContradicted(deps, record, outcome.value);
  await deps.failpoint?.('card.after-outcome');
  return result;
}

/** Sends the charge and answers what came of it: the paid invoice, or the refusal that is already in our books. */
export async function chargeAndAnswer<T>(
  deps: Deps,
  scope: Scope,
  { opened, show }: { opened: OpenedCharge; show: ShowCheckout<T> },
): Promise<T> {
  const answer = await seeThrough(deps, scope, opened, (tx, record) => answerRecord(tx, record, show));
  if (answer === null) throw outcomeUnknown(opened.attempt);
  if (answer.kind === 'paid') return answer.shown;
  throw answer.refusal;
}

const outcomeUnknown = ({ intentId }: Pick<ChargeAttempt, 'intentId'>): BillingError =>
  acquirerTimeout(
    intentId,
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

const findAttempt = statement<AttemptRef>(
  'find_attempt',
  `SELECT c.id, c.intent_id AS "intentId", c.invoice_id AS "invoiceId" FROM charge_attempt c WHERE c.id = :id AND ${mine('c')}`,
);

/** Answers a repeated request the outcome of the attempt that its first run made, and charges nothing (docs/product/requests.md#idempotency). */
export async function answerFormerCharge<T>(
  deps: Deps,
  scope: Scope,
  { attemptId, show }: { attemptId: string; show: ShowCheckout<T> },
): Promise<T> {
  const [ref] = await readIn(deps.pool, scope, findAttempt, { id: attemptId });
  if (ref === undefined) throw new Error(`the attempt ${attemptId} of a repeated request is not in our books`);
  const answer = await deps.transaction(scope, async (tx) => answerRecord(tx, await readRecord(tx, ref), show));
  if (answer.kind === 'paid') return answer.shown;
  throw answer.refusal;
}

/** Charges an invoice by schedule, on an intent of its own, which continues the count. */
export function openScheduled(
  tx: Tx,
  invoice: Invoice,
  { card, installments }: { card: ChargedCard; installments: number },
): ChargeAttempt {
  // An account may have shortened its schedule meanwhile.
  const most = Math.max(maxCharges(tx.scope.account), invoice.charges + 1);
  const intent = newIntent(tx, invoice, { method: null, installments, schedule: { made: invoice.charges, most } });
  intent.paymentMethodType = 'card';
  return sendScheduledAttempt(tx, { invoice, intent, card });
}

/** The next charge of the schedule, on the intent of the charges before it. */
export function reopenScheduled(
  tx: Tx,
  invoice: Invoice,
  { intent, card }: { intent: PaymentIntent; card: ChargedCard },
): ChargeAttempt {
  // The account may have a longer schedule by now; a reactivation charges once more than that.
  intent.maxAttempts = Math.max(intent.maxAttempts, maxCharges(tx.scope.account), invoice.charges + 1);
  return sendScheduledAttempt(tx, { invoice, intent, card });
}

/** What comes of the charge schedules the invoice again. */
function sendScheduledAttempt(
  tx: Tx,
  { invoice, intent, card }: { invoice: Invoice; intent: PaymentIntent; card: ChargedCard },
): ChargeAttempt {
  invoice.charges += 1;
  invoice.nextChargeAt = null;
  park(invoice);
  return openAttempt(tx, intent, { card, initiator: 'merchant' });
}

/** What came of a scheduled charge; `unknown` is found out by its case. */
export type ScheduledOutcome = 'approved' | 'declined' | 'unknown';

/** Sends a scheduled charge that a transaction has opened, and books what came of it. */
export async function sendScheduled(deps: Deps, scope: Scope, opened: OpenedCharge): Promise<ScheduledOutcome> {
  const status = await seeThrough(deps, scope, opened, async (_, { attempt }) => attempt.status);
  if (status === null) return 'unknown';
  return status === 'approved' ? 'approved' : 'declined';
}
