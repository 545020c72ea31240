import type { RefundCreate, Refund as RefundView } from '../../../contract/refunds.ts';
import { hangsOn } from '../../db/months.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { BillingError, missing } from '../../kernel/errors.ts';
import { takenBack } from '../../unit-of-work/transaction.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { acquirerTimeout, requireAcquirer } from '../acquirer/ask.ts';
import type { AcquirerAnswer, Method, RefundStatus } from '../acquirer/port.ts';
import type { RefundPart } from '../entity.ts';
import { FIRST_LOOK, refundAmount, refuseBeyondBound, refusePartsBeyondMost } from '../rules.ts';
import { viewRefund } from '../view.ts';
import { askPart, completePart, failPart, lockRefundBook, type RefundBook, standingAmount } from './parts.ts';

interface IntentLook {
  intentId: string;
  invoiceId: string;
  /** Null before the first attempt. */
  method: Method | null;
}

const lookAtRefund = statement<IntentLook>(
  'look_at_refund',
  `SELECT p.id AS "intentId", p.invoice_id AS "invoiceId", p.payment_method_type AS method
   FROM payment_intent p WHERE p.id = :intentId AND ${mine('p')}`,
);

async function lookAtIntent(deps: Deps, scope: Scope, intentId: string): Promise<IntentLook> {
  const [look] = await readIn(deps.pool, scope, lookAtRefund, { intentId });
  if (look === undefined) throw missing('payment intent', intentId, 'refund.payment_intent');
  return look;
}

/**
 * Returns money of a payment, whole or in part (docs/product/refunds.md#the-refund): reserved under the lock, so that the parts never
 * come to more than was paid. A card is asked at once, between two transactions; PIX goes to the case `refund-settlement`.
 */
export async function createRefund(deps: Deps, scope: Scope, input: RefundCreate): Promise<RefundView> {
  const look = await lookAtIntent(deps, scope, input.payment_intent);
  const former = scope.idempotency?.formerAttempt ?? null;
  if (former !== null) return answerFormerPart(deps, scope, { look, partId: former });
  if (look.method !== null) await requireAcquirer(deps, scope, look.method);
  const asked = await deps.transaction(scope, (tx) => reservePart(tx, look, input));
  if (asked.charge === null) return asked.answer;
  const answer = await askCard(deps, scope, { part: asked.part, charge: asked.charge });
  const status = answer.known ? answer.value.status : null;
  const ended = await deps.transaction(scope, (tx) => bookAnswer(tx, look, { partId: asked.part.id, status }));
  if (ended.kind === 'answered') return ended.answer;
  throw ended.refusal;
}

/** What a refund would come to: it is refused as it would be, and nothing is asked for. */
export async function previewRefund(deps: Deps, scope: Scope, input: RefundCreate): Promise<RefundView> {
  const look = await lookAtIntent(deps, scope, input.payment_intent);
  return takenBack(deps.transaction, scope, async (tx) => (await reservePart(tx, look, input)).answer);
}

interface Reserved {
  readonly part: RefundPart;
  /** The charge to ask the acquirer about now; null for a PIX. */
  readonly charge: string | null;
  readonly answer: RefundView;
}

/** To be read behind the lock: the charge may have been approved while it was waited for. */
const findCharge = statement<{ id: string }>(
  'find_charge_of_refund',
  `SELECT c.id FROM charge_attempt c WHERE ${hangsOn('ca_', 'c.intent_id', ':intentId')} AND c.status = 'approved'`,
);

async function reservePart(tx: Tx, look: IntentLook, input: RefundCreate): Promise<Reserved> {
  const [book, [charge]] = await Promise.all([
    lockRefundBook(tx, look),
    tx.query(findCharge, { intentId: look.intentId }),
  ]);
  refusePartsBeyondMost(look.intentId, book.parts.length);
  const promised = standingAmount(book.parts);
  const amount = refundAmount(book.intent, {
    asked: input.amount,
    expectedRemaining: input.expected_remaining,
    promised,
    now: tx.now,
  });
  refuseBeyondBound(tx.scope.refunds, { intent: look.intentId, total: promised + amount });
  const part = askPart(tx, book, { amount, reason: input.reason ?? 'requested_by_customer' });
  const answer = viewMade(book, part);
  if (charge === undefined) return { part, charge: null, answer: tx.answer(answer) };
  tx.lease(part.id);
  return { part, charge: charge.id, answer };
}

/** The refund with the amount, status and instant of the part just made. */
function viewMade({ intent, parts }: RefundBook, part: RefundPart): RefundView {
  const refund = viewRefund(intent, parts);
  if (refund === null || part.status === 'failed')
    throw new Error(`the part ${part.id} of ${intent.id} does not stand`);
  return { ...refund, amount: part.amount, status: part.status, created: part.created };
}

function askCard(
  deps: Deps,
  scope: Scope,
  { part, charge }: { part: RefundPart; charge: string },
): Promise<AcquirerAnswer<RefundStatus>> {
  const { reference, amount, reason } = part;
  return deps.ask(scope, 'card', (acquirer, merchant) =>
    acquirer.refundCard(merchant, { method: 'card', reference, charge, amount, reason }),
  );
}

const isInProcess = ({ status }: RefundPart): boolean => status === 'refunding';

const deleteSettlement = statement(
  'delete_refund_settlement',
  `DELETE FROM outbox WHERE kind = 'refund-settlement' AND key = :intentId`,
);

type Ended =
  | { readonly kind: 'answered'; readonly answer: RefundView }
  | { readonly kind: 'refused'; readonly refusal: BillingError };

/** Books what the acquirer said of a card's part, unless its case did before; a refusal is thrown after the commit. */
async function bookAnswer(
  tx: Tx,
  look: IntentLook,
  { partId, status }: { partId: string; status: RefundStatus['status'] | null },
): Promise<Ended> {
  const book = await lockRefundBook(tx, look);
  const part = partOf(book, partId);
  if (part.status === 'refunding') {
    if (status === 'completed') await completePart(tx, book, part);
    else if (status === 'refused') await failPart(tx, book, part);
    else tx.enqueue({ kind: 'refund-settlement', key: look.intentId, afterSeconds: FIRST_LOOK });
    if (!book.parts.some(isInProcess)) tx.write(deleteSettlement, { intentId: look.intentId });
  }
  // It has the part in process, and says so.
  if (part.status === 'refunding' && status === 'processing')
    return { kind: 'answered', answer: tx.answer(viewMade(book, part)) };
  return answerPart(tx, book, part);
}

function partOf({ parts, intent }: RefundBook, partId: string): RefundPart {
  const part = parts.find(({ id }) => id === partId);
  if (part === undefined) throw new Error(`the part ${partId} is not of ${intent.id}`);
  return part;
}

/** What a request answers of the part it asked for. */
function answerPart(tx: Tx, book: RefundBook, part: RefundPart): Ended {
  const { id } = book.intent;
  if (part.status === 'refunded') return { kind: 'answered', answer: tx.answer(viewMade(book, part)) };
  if (part.status === 'failed') {
    const message = `The acquirer refused to return ${part.amount} cents of ${id}`;
    return { kind: 'refused', refusal: new BillingError('REFUND_REFUSED', { message, param: 'refund.amount' }) };
  }
  const message = `Whether ${part.amount} cents of ${id} are returned is not known yet: repeat with the same Idempotency-Key or read the refund, and do not ask anew`;
  return { kind: 'refused', refusal: acquirerTimeout(id, message) };
}

/** Answers a repeated request the outcome of the part that its first run asked for. */
async function answerFormerPart(
  deps: Deps,
  scope: Scope,
  { look, partId }: { look: IntentLook; partId: string },
): Promise<RefundView> {
  const ended = await deps.transaction(scope, async (tx) => {
    const book = await lockRefundBook(tx, look);
    return answerPart(tx, book, partOf(book, partId));
  });
  if (ended.kind === 'answered') return ended.answer;
  throw ended.refusal;
}
