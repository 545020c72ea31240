import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, run, statement } from '../../../db/statement.ts';
import { isCardExpired } from '../../../kernel/brazil.ts';
import { SECOND_MS } from '../../../kernel/time.ts';
import type {
  AcquirerAnswer,
  CardIntake,
  CardRefundRequest,
  CardRequest,
  CardState,
  ChargeFinding,
  ChargeOutcome,
  ChargeRequest,
  Decline,
  Initiator,
  Merchant,
  RefundStatus,
} from '../port.ts';
import { inTransaction, isRepeat, type Pool, type Return, returnedOf } from './books.ts';
import { cardOfBrowserToken, keepCardOfNumber } from './browser-tokens.ts';
import {
  ACCOUNT_CLOSED,
  chargeSeconds,
  declined,
  declineOf,
  declineOfVerification,
  dependsOnOrder,
  outcomeOf,
  type Scenario,
} from './test-cards.ts';

export async function tokenize(pool: Pool, merchant: Merchant, { card }: CardRequest): Promise<CardIntake> {
  if ('browserToken' in card) return cardOfBrowserToken(pool, merchant, card.browserToken);
  return { status: 'taken', ...(await keepCardOfNumber(pool, merchant, card)) };
}

interface CardRow {
  scenario: Scenario;
  expMonth: number;
  expYear: number;
  isClosed: boolean;
}

const readCard = statement<CardRow>(
  'sandbox_read_card',
  `SELECT scenario, exp_month AS "expMonth", exp_year AS "expYear", is_closed AS "isClosed" FROM sandbox_bank.card WHERE token = :token AND account_id = :accountId`,
);

/** The card of a token, as it is at the account's instant. */
async function cardOf(
  pool: Pool,
  { accountId, now }: Merchant,
  token: string,
): Promise<CardRow & { isExpired: boolean }> {
  const [card] = await run(pool, readCard, { token, accountId });
  if (card === undefined) throw new Error(`the sandbox bank has no card of ${accountId} for this token`);
  return { ...card, isExpired: isCardExpired(card, now) };
}

export async function readCardState(pool: Pool, merchant: Merchant, token: string): Promise<CardState> {
  const { expMonth, expYear, isClosed } = await cardOf(pool, merchant, token);
  return isClosed ? { status: 'closed' } : { status: 'open', expMonth, expYear };
}

const markClosed = statement(
  'sandbox_close_card',
  `UPDATE sandbox_bank.card SET is_closed = true WHERE token = :token AND account_id = :accountId`,
);

export async function closeCard(pool: Pool, { accountId }: Merchant, token: string): Promise<'forgotten'> {
  await run(pool, markClosed, { token, accountId });
  return 'forgotten';
}

/** Books nothing but the card: a verification moves no money. */
export async function verify(
  pool: Pool,
  merchant: Merchant,
  { declines, ...request }: CardRequest & { declines: boolean },
): Promise<CardIntake> {
  const taken = await tokenize(pool, merchant, request);
  if (taken.status !== 'taken') return taken;
  const { scenario, isExpired } = await cardOf(pool, merchant, taken.token);
  if (isExpired) return declined('expired_card');
  return (declines ? declined('issuer_declined') : declineOfVerification(scenario)) ?? taken;
}

const CHARGE = `account_id AS "accountId", order_id AS "orderId", initiator, token, amount, installments, decline_reason AS reason, code,
  extract(epoch FROM completes_at - clock_timestamp())::float8 AS "secondsLeft"`;

interface ChargeRow {
  accountId: string;
  orderId: string;
  initiator: Initiator;
  token: string;
  amount: number;
  installments: number;
  reason: Decline['reason'] | null;
  code: string;
  secondsLeft: number;
}

/** Whoever looks for the charge waits for the commit of this, so that beyond the deadline none appears any more. */
const bookCharge = statement<ChargeRow>(
  'sandbox_book_charge',
  `WITH held AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended(:reference, 0))),
     at AS MATERIALIZED (SELECT clock_timestamp() AS received, to_timestamp(:deadlineMs::float8 / ${SECOND_MS}) AS deadline FROM held)
   INSERT INTO sandbox_bank.charge
     (reference, account_id, order_id, initiator, token, amount, installments, received_at, deadline_at, completes_at, outcome, decline_reason, code)
   SELECT :reference, :accountId, :orderId, :initiator, :token, :amount, :installments, at.received, at.deadline, at.received + make_interval(secs => :seconds), :outcome, :reason, :code FROM at
   WHERE at.received < at.deadline
   ON CONFLICT (reference) DO UPDATE SET reference = excluded.reference
   RETURNING ${CHARGE}`,
);

const readCharge = statement<ChargeRow>(
  'sandbox_read_charge',
  `SELECT ${CHARGE} FROM sandbox_bank.charge WHERE reference = :reference AND account_id = :accountId`,
);

const outcomeOfRow = ({ reason, code }: ChargeRow): ChargeOutcome =>
  reason === null ? { status: 'approved' } : declineOf(reason, code);

/** A charge as its card decides it. */
interface DecidedCharge extends ChargeRequest {
  readonly scenario: Scenario;
  readonly isExpired: boolean;
  readonly isClosed: boolean;
  /** An operator has it declined, whatever the card. */
  readonly declines: boolean;
}

/** Idempotent by reference. A charge that takes its time is waited for; whoever waits no longer finds it by its reference. */
export async function charge(
  pool: Pool,
  merchant: Merchant,
  request: ChargeRequest & { declines: boolean },
): Promise<AcquirerAnswer<ChargeOutcome>> {
  const { reference } = request;
  const { scenario, isExpired, isClosed } = await cardOf(pool, merchant, request.token);
  const decided: DecidedCharge = { ...request, scenario, isExpired, isClosed };
  const booked = await (dependsOnOrder(scenario, request.initiator)
    ? bookInOrder(pool, merchant, decided)
    : book(pool, merchant, { ...decided, renewalsBefore: 0 }));
  const row = booked ?? (await run(pool, readCharge, { reference, accountId: merchant.accountId }))[0];
  // It came too late and was not known before.
  if (row === undefined) return { known: false, why: 'fault' };
  if (!isSameCharge(row, merchant, request))
    throw new Error(`the charge ${reference} was repeated with another card, amount, order or account`);
  // To every repeat too: what became of it is found by its reference alone.
  if (scenario === 'answer_lost') return { known: false, why: 'timeout' };
  if (row.secondsLeft > 0) await sleep(row.secondsLeft * SECOND_MS);
  return { known: true, value: outcomeOfRow(row) };
}

const isSameCharge = (row: ChargeRow, { accountId }: Merchant, request: ChargeRequest): boolean =>
  row.accountId === accountId &&
  row.orderId === request.orderId &&
  row.initiator === request.initiator &&
  row.token === request.token &&
  row.amount === request.amount &&
  row.installments === request.installments;

/** A closed card, and an expired one, is declined whatever else it would be. */
function decide(charge: DecidedCharge & { renewalsBefore: number }): ChargeOutcome {
  if (charge.isClosed) return ACCOUNT_CLOSED;
  if (charge.isExpired) return declined('expired_card');
  return charge.declines ? declined('issuer_declined') : outcomeOf(charge.scenario, charge);
}

/** A charge that is booked already stays as it was decided first. */
async function book(
  connection: Connection,
  { accountId }: Merchant,
  charge: DecidedCharge & { renewalsBefore: number },
): Promise<ChargeRow | undefined> {
  const { reference, orderId, initiator, token, amount, installments, deadlineMs, scenario } = charge;
  const asked = { reference, accountId, orderId, initiator, token, amount, installments, deadlineMs };
  const outcome = decide(charge);
  const { reason, code } = outcome.status === 'declined' ? outcome : { reason: null, code: null };
  const decided = { seconds: chargeSeconds(scenario), outcome: outcome.status, reason, code };
  const [row] = await run(connection, bookCharge, { ...asked, ...decided });
  return row;
}

/** Ahead of the reference's own lock always, so that nobody waits in a circle. */
const holdOrder = statement(
  'sandbox_hold_order',
  `SELECT pg_advisory_xact_lock(hashtextextended('order ' || :orderId, 0))`,
);

/** By the scenario, which stands for the number: the same card that is taken in again is no other card. */
const countRenewals = statement<{ made: number }>(
  'sandbox_count_renewals',
  `SELECT count(*)::integer AS made FROM sandbox_bank.charge b JOIN sandbox_bank.card k ON k.token = b.token
   WHERE b.order_id = :orderId AND b.account_id = :accountId AND b.initiator = 'merchant' AND k.scenario = :scenario`,
);

/** One after the other: the count is read in a statement of its own, behind the lock, and so sees all before it. */
function bookInOrder(pool: Pool, merchant: Merchant, charge: DecidedCharge): Promise<ChargeRow | undefined> {
  return inTransaction(pool, async (client) => {
    const { orderId, scenario } = charge;
    await run(client, holdOrder, { orderId });
    const [count] = await run(client, countRenewals, { orderId, accountId: merchant.accountId, scenario });
    return book(client, merchant, { ...charge, renewalsBefore: count?.made ?? 0 });
  });
}

const holdReference = statement(
  'sandbox_hold_reference',
  `SELECT pg_advisory_xact_lock(hashtextextended(:reference, 0))`,
);

/** Hidden for a while at most up to its deadline: from then on "not found" must be the truth. */
const findVisible = statement<ChargeRow>(
  'sandbox_find_charge',
  `SELECT ${CHARGE} FROM sandbox_bank.charge WHERE reference = :reference AND account_id = :accountId
     AND least(received_at + make_interval(secs => :notFoundSeconds), deadline_at) <= clock_timestamp()`,
);

export async function findCharge(
  pool: Pool,
  { accountId }: Merchant,
  { reference, notFoundSeconds }: { reference: string; notFoundSeconds: number },
): Promise<ChargeFinding> {
  const [row] = await inTransaction(pool, async (client) => {
    await run(client, holdReference, { reference });
    return run(client, findVisible, { reference, accountId, notFoundSeconds });
  });
  if (row === undefined) return { status: 'not_found' };
  return row.secondsLeft > 0 ? { status: 'processing' } : outcomeOfRow(row);
}

const lockCharge = statement<{ amount: number; isPaid: boolean }>(
  'sandbox_lock_charge',
  `SELECT amount, outcome = 'approved' AND completes_at <= clock_timestamp() AS "isPaid"
   FROM sandbox_bank.charge WHERE reference = :charge AND account_id = :accountId FOR UPDATE`,
);

const readEstornos = statement<Return>(
  'sandbox_read_estornos',
  `SELECT reference, amount, refused FROM sandbox_bank.estorno WHERE charge = :charge`,
);

const insertEstorno = statement(
  'sandbox_insert_estorno',
  `INSERT INTO sandbox_bank.estorno (reference, charge, amount, refused, requested_at) VALUES (:reference, :charge, :amount, :refused, :requestedAt)`,
);

/** Idempotent by reference; completes at once, or is refused when it is more than the charge has left. */
export async function refund(
  pool: Pool,
  merchant: Merchant,
  request: CardRefundRequest & { refuses: boolean },
): Promise<RefundStatus> {
  const { reference, charge, amount } = request;
  await inTransaction(pool, async (client) => {
    const [paid] = await run(client, lockCharge, { charge, accountId: merchant.accountId });
    if (paid?.isPaid !== true) throw new Error(`the sandbox bank has no approved charge ${charge} to return`);
    const former = await run(client, readEstornos, { charge });
    if (isRepeat(former, request)) return;
    const refused = request.refuses || returnedOf(former) + amount > paid.amount;
    await run(client, insertEstorno, { reference, charge, amount, refused, requestedAt: merchant.now });
  });
  return findEstorno(pool, merchant, { reference, notFoundSeconds: 0 });
}

const findEstornoOf = statement<{ refused: boolean; requestedAt: number }>(
  'sandbox_find_estorno',
  `SELECT e.refused, e.requested_at AS "requestedAt" FROM sandbox_bank.estorno e JOIN sandbox_bank.charge c ON c.reference = e.charge
   WHERE e.reference = :reference AND c.account_id = :accountId
     AND e.received_at <= clock_timestamp() - make_interval(secs => :notFoundSeconds)`,
);

export async function findEstorno(
  pool: Pool,
  { accountId }: Merchant,
  { reference, notFoundSeconds }: { reference: string; notFoundSeconds: number },
): Promise<RefundStatus> {
  const [row] = await run(pool, findEstornoOf, { reference, accountId, notFoundSeconds });
  if (row === undefined) return { status: 'unknown_to_acquirer' };
  return row.refused ? { status: 'refused' } : { status: 'completed', at: row.requestedAt };
}
