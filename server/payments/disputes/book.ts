import type { EventType } from '../../../contract/events.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { raiseAlarm } from '../../kernel/alarms.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import type { PixPayment, PixReturn, ReturnNature } from '../acquirer/port.ts';
import { disputes } from '../intents/rows.ts';
import { lockRefundBook, type RefundBook, returnSurplus, revokePart } from '../refunds/parts.ts';
import { decideReturn, type ReturnDecision } from '../rules.ts';
import { viewDispute } from '../view.ts';
import type { Dispute } from './entity.ts';

/** A payment that is booked to an intent. */
interface Booked {
  readonly endToEndId: string;
  readonly invoiceId: string;
  readonly intentId: string;
}

const lookAtBooked = statement<Booked>(
  'look_at_booked_receipts',
  `SELECT r.id AS "endToEndId", r.invoice_id AS "invoiceId", r.intent_id AS "intentId"
   FROM pix_receipt r WHERE r.id = ANY (:endToEndIds) AND r.intent_id IS NOT NULL AND ${mine('r')} ORDER BY r.id`,
);

/**
 * Books what the acquirer says went back of payments, any number of times (docs/product/disputes.md#returns-of-a-pix). A
 * payment that is not decided on yet is left alone: its case asks again once it is.
 */
export async function bookReturns(deps: Deps, scope: Scope, payments: readonly PixPayment[]): Promise<void> {
  const returned = new Map(
    payments.flatMap(({ endToEndId, returns }) => (returns.length === 0 ? [] : [[endToEndId, returns] as const])),
  );
  const booked = await readIn(deps.pool, scope, lookAtBooked, { endToEndIds: [...returned.keys()] });
  // One transaction for each payment, as for the payments themselves.
  for (const payment of booked) {
    const returns = returned.get(payment.endToEndId) ?? [];
    const contradictions = await deps.transaction(scope, (tx) => bookReturnsOf(tx, payment, returns));
    for (const { told } of contradictions) alarm(deps, payment, told);
  }
}

function alarm(deps: Deps, { intentId }: Booked, { id, amount }: PixReturn): void {
  const message = 'the acquirer made a return that it had refused';
  raiseAlarm(deps, 'refused_return_made', { intent: intentId, return: id, amount, message });
}

/** A payment with all that went back of it, under the lock of its invoice. */
export interface DisputeBook extends RefundBook {
  readonly disputes: readonly Dispute[];
}

interface ReturnBook extends DisputeBook {
  readonly endToEndId: string;
}

const readDisputes = statement<Dispute>(
  'read_disputes',
  `SELECT ${disputes.columns('d')} FROM dispute d WHERE d.intent_id = :intentId ORDER BY d.id`,
);

export async function lockDisputeBook(
  tx: Tx,
  payment: { readonly invoiceId: string; readonly intentId: string },
): Promise<DisputeBook> {
  const { intentId } = payment;
  const [book, found] = await Promise.all([lockRefundBook(tx, payment), tx.query(readDisputes, { intentId })]);
  return { ...book, disputes: found.map((dispute) => tx.keep(disputes, dispute)) };
}

/** What came back is booked before what went: together they may be more than was paid, and never are. */
const ORDER: readonly ReturnDecision[] = ['look_at_refund', 'revoke_refund', 'reinstate', 'dispute'];

/** Answers what the bank says now against what it said before, which nobody here can decide on. */
async function bookReturnsOf(tx: Tx, booked: Booked, returns: readonly PixReturn[]): Promise<Recognized[]> {
  const book = { ...(await lockDisputeBook(tx, booked)), endToEndId: booked.endToEndId };
  const known = returns.map((each) => recognize(book, each));
  for (const wanted of ORDER)
    for (const one of known) if (one.decision === wanted) await bookings[wanted]?.(tx, book, one);
  // Whatever of it is there again goes back by itself.
  if (book.intent.surplus) returnSurplus(tx, book);
  return known.filter(({ decision }) => decision === 'contradiction');
}

/** A return of the bank beside what our books have of it. */
interface Recognized {
  readonly told: PixReturn;
  readonly part: RefundBook['parts'][number] | undefined;
  readonly dispute: Dispute | undefined;
  readonly decision: ReturnDecision;
}

function recognize(book: ReturnBook, told: PixReturn): Recognized {
  const part = book.parts.find(({ reference }) => reference === told.id);
  const dispute = book.disputes.find(({ returnId }) => returnId === told.id);
  const decision = decideReturn({ status: told.status, part: part?.status ?? null, funds: dispute?.funds ?? null });
  return { told, part, dispute, decision };
}

const bookings: Partial<Record<ReturnDecision, (tx: Tx, book: ReturnBook, found: Recognized) => void | Promise<void>>> =
  {
    // The case alone books the end of a part, whoever learns of it first.
    look_at_refund: (tx, { intent }) => tx.enqueue({ kind: 'refund-settlement', key: intent.id }),
    revoke_refund: async (tx, book, { part }) => {
      if (part !== undefined) await revokePart(tx, book, part);
    },
    reinstate: (tx, book, { dispute }) => {
      if (dispute !== undefined) reinstate(tx, book, dispute);
    },
    dispute: (tx, book, { told }) => openMed(tx, book, told),
  };

const reasons: Readonly<Record<ReturnNature, Dispute['reason']>> = {
  requested: 'returned_at_bank',
  fraud: 'fraud',
  operational_error: 'operational_error',
  automatic_debit: 'automatic_debit',
};

/** The bank has returned money that nobody asked it for. */
const openMed = (tx: Tx, book: ReturnBook, { id: returnId, amount, nature }: PixReturn): void =>
  openLost(tx, book, {
    amount,
    method: 'pix',
    kind: 'med',
    reason: reasons[nature],
    endToEndId: book.endToEndId,
    returnId,
  });

type Taken = Pick<Dispute, 'amount' | 'method' | 'kind' | 'reason' | 'endToEndId' | 'returnId'>;

/** The money is gone already: nothing is left to answer. */
export function openLost(tx: Tx, book: DisputeBook, taken: Taken): void {
  const { intent } = book;
  moveDisputed(book, taken.amount);
  const dispute = tx.insert(disputes, {
    id: newId('dp'),
    intentId: intent.id,
    invoiceId: intent.invoiceId,
    customerId: intent.customerId,
    ...taken,
    status: 'lost',
    funds: 'withdrawn',
    closedAt: tx.now,
    withdrawnAt: tx.now,
  });
  tell(tx, book, dispute, ['dispute.created', 'dispute.funds_withdrawn', 'dispute.closed']);
}

/** The bank has taken its own return back: the money is there again. */
function reinstate(tx: Tx, book: ReturnBook, dispute: Dispute): void {
  moveDisputed(book, -dispute.amount);
  dispute.status = 'won';
  dispute.funds = 'reinstated';
  dispute.reinstatedAt = tx.now;
  tell(tx, book, dispute, ['dispute.updated', 'dispute.funds_reinstated']);
}

/** A surplus counts in none of the amounts of its invoice. */
function moveDisputed({ invoice, intent }: RefundBook, amount: number): void {
  const gone = intent.amountRefunded + intent.amountDisputed + amount;
  if (gone > intent.amount)
    throw new Error(`the acquirer says that ${gone} of the ${intent.amount} cents of ${intent.id} went back`);
  intent.amountDisputed += amount;
  if (!intent.surplus) invoice.amountDisputed += amount;
}

function tell(tx: Tx, { intent }: RefundBook, dispute: Dispute, types: readonly EventType[]): void {
  for (const type of types) tx.record(type, viewDispute(dispute), [intent.subscriptionId ?? null]);
}
