import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '../../../db/database.ts';
import { statement } from '../../../db/statement.ts';
import { newSuffix } from '../../../kernel/ids.ts';
import { SECOND_MS } from '../../../kernel/time.ts';
import type {
  BankAnswer,
  CardDetails,
  CardRefundRequest,
  CardToken,
  ChargeFinding,
  ChargeOutcome,
  ChargeRequest,
  Decline,
  Initiator,
  Merchant,
  RefundStatus,
  Verification,
} from '../port.ts';
import { type Connection, inTransaction, type Pool, type Return, returnedOf } from './books.ts';
import {
  chargeSeconds,
  declined,
  dependsOnOrder,
  outcomeOf,
  type Scenario,
  scenarioOf,
  verificationOf,
} from './test-cards.ts';

const LAST_DIGITS = 4;

const insertCard = statement(
  'sandbox_insert_card',
  `INSERT INTO sandbox_bank.card (token, account_id, brand, last4, scenario) VALUES ($1, $2, $3, $4, $5)`,
);

/** Of the number only the last digits and the scenario stay; the token has nothing to do with either. */
export async function tokenize(pool: Pool, merchant: Merchant, { number, brand }: CardDetails): Promise<CardToken> {
  const token = newSuffix();
  const last4 = number.slice(-LAST_DIGITS);
  await run(pool, insertCard, [token, merchant.accountId, brand, last4, scenarioOf(number)]);
  return { token, brand, last4 };
}

const readScenario = statement(
  'sandbox_read_scenario',
  `SELECT scenario FROM sandbox_bank.card WHERE token = $1 AND account_id = $2`,
);

async function scenarioOfToken(pool: Pool, { accountId }: Merchant, token: string): Promise<Scenario> {
  const [card] = await run<{ scenario: Scenario }>(pool, readScenario, [token, accountId]);
  if (card === undefined) throw new Error(`the sandbox bank has no card of ${accountId} for this token`);
  return card.scenario;
}

/** Books nothing: a verification moves no money. */
export async function verify(
  pool: Pool,
  merchant: Merchant,
  { token, declines }: { token: string; declines: boolean },
): Promise<Verification> {
  const scenario = await scenarioOfToken(pool, merchant, token);
  return declines ? declined('issuer_declined') : verificationOf(scenario);
}

const CHARGE = `account_id, order_id, initiator, token, amount, installments, decline_reason, code,
  extract(epoch FROM completes_at - clock_timestamp())::float8 AS seconds_left`;

interface ChargeRow {
  account_id: string;
  order_id: string;
  initiator: Initiator;
  token: string;
  amount: number;
  installments: number;
  decline_reason: Decline['reason'] | null;
  code: string;
  seconds_left: number;
}

/** Whoever looks for the charge waits for the commit of this, so that beyond the deadline none appears any more. */
const bookCharge = statement(
  'sandbox_book_charge',
  `WITH held AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended($1, 0))),
     at AS MATERIALIZED (SELECT clock_timestamp() AS received, to_timestamp($8::float8 / ${SECOND_MS}) AS deadline FROM held)
   INSERT INTO sandbox_bank.charge
     (reference, account_id, order_id, initiator, token, amount, installments, received_at, deadline_at, completes_at, outcome, decline_reason, code)
   SELECT $1, $2, $3, $4, $5, $6, $7, at.received, at.deadline, at.received + make_interval(secs => $9), $10, $11, $12 FROM at
   WHERE at.received < at.deadline
   ON CONFLICT (reference) DO UPDATE SET reference = excluded.reference
   RETURNING ${CHARGE}`,
);

const readCharge = statement(
  'sandbox_read_charge',
  `SELECT ${CHARGE} FROM sandbox_bank.charge WHERE reference = $1 AND account_id = $2`,
);

const outcomeOfRow = ({ decline_reason: reason, code }: ChargeRow): ChargeOutcome =>
  reason === null ? { status: 'approved' } : { ...declined(reason), code };

/** A charge as its card decides it. */
interface DecidedCharge extends ChargeRequest {
  readonly scenario: Scenario;
  /** An operator has it declined, whatever the card. */
  readonly declines: boolean;
}

/** Idempotent by reference. A charge that takes its time is waited for; whoever waits no longer finds it by its reference. */
export async function charge(
  pool: Pool,
  merchant: Merchant,
  request: ChargeRequest & { declines: boolean },
): Promise<BankAnswer<ChargeOutcome>> {
  const { reference } = request;
  const scenario = await scenarioOfToken(pool, merchant, request.token);
  const decided: DecidedCharge = { ...request, scenario };
  const booked = await (dependsOnOrder(scenario, request.initiator)
    ? bookInOrder(pool, merchant, decided)
    : book(pool, merchant, { ...decided, renewalsBefore: 0 }));
  const row = booked ?? (await run<ChargeRow>(pool, readCharge, [reference, merchant.accountId]))[0];
  // It came too late and was not known before.
  if (row === undefined) return { known: false, why: 'fault' };
  if (!isRepeat(row, merchant, request))
    throw new Error(`the charge ${reference} was repeated with another card, amount, order or account`);
  // To every repeat too: what became of it is found by its reference alone.
  if (scenario === 'answer_lost') return { known: false, why: 'timeout' };
  if (row.seconds_left > 0) await sleep(row.seconds_left * SECOND_MS);
  return { known: true, value: outcomeOfRow(row) };
}

const isRepeat = (row: ChargeRow, { accountId }: Merchant, request: ChargeRequest): boolean =>
  row.account_id === accountId &&
  row.order_id === request.orderId &&
  row.initiator === request.initiator &&
  row.token === request.token &&
  row.amount === request.amount &&
  row.installments === request.installments;

/** A charge that is booked already stays as it was decided first. */
async function book(
  connection: Connection,
  { accountId }: Merchant,
  charge: DecidedCharge & { renewalsBefore: number },
): Promise<ChargeRow | undefined> {
  const { reference, orderId, initiator, token, amount, installments, deadlineMs, scenario } = charge;
  const outcome = charge.declines ? declined('issuer_declined') : outcomeOf(scenario, charge);
  const [row] = await run<ChargeRow>(connection, bookCharge, [
    ...[reference, accountId, orderId, initiator, token, amount, installments, deadlineMs, chargeSeconds(scenario)],
    ...(outcome.status === 'declined' ? ['declined', outcome.reason, outcome.code] : ['approved', null, null]),
  ]);
  return row;
}

/** Ahead of the reference's own lock always, so that nobody waits in a circle. */
const holdOrder = statement('sandbox_hold_order', `SELECT pg_advisory_xact_lock(hashtextextended('order ' || $1, 0))`);

/** By the scenario, which stands for the number: the same card that is taken in again is no other card. */
const countRenewals = statement(
  'sandbox_count_renewals',
  `SELECT count(*)::integer AS made FROM sandbox_bank.charge b JOIN sandbox_bank.card k ON k.token = b.token
   WHERE b.order_id = $1 AND b.account_id = $2 AND b.initiator = 'merchant' AND k.scenario = $3`,
);

/** One after the other: the count is read in a statement of its own, behind the lock, and so sees all before it. */
function bookInOrder(pool: Pool, merchant: Merchant, charge: DecidedCharge): Promise<ChargeRow | undefined> {
  return inTransaction(pool, async (client) => {
    await run(client, holdOrder, [charge.orderId]);
    const values = [charge.orderId, merchant.accountId, charge.scenario];
    const [count] = await run<{ made: number }>(client, countRenewals, values);
    return book(client, merchant, { ...charge, renewalsBefore: count?.made ?? 0 });
  });
}

const holdReference = statement('sandbox_hold_reference', `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`);

/** Hidden for a while at most up to its deadline: from then on "not found" must be the truth. */
const findVisible = statement(
  'sandbox_find_charge',
  `SELECT ${CHARGE} FROM sandbox_bank.charge WHERE reference = $1 AND account_id = $2
     AND least(received_at + make_interval(secs => $3), deadline_at) <= clock_timestamp()`,
);

export async function findCharge(
  pool: Pool,
  { accountId }: Merchant,
  { reference, notFoundSeconds }: { reference: string; notFoundSeconds: number },
): Promise<ChargeFinding> {
  const [row] = await inTransaction(pool, async (client) => {
    await run(client, holdReference, [reference]);
    return run<ChargeRow>(client, findVisible, [reference, accountId, notFoundSeconds]);
  });
  if (row === undefined) return { status: 'not_found' };
  return row.seconds_left > 0 ? { status: 'processing' } : outcomeOfRow(row);
}

const lockCharge = statement(
  'sandbox_lock_charge',
  `SELECT amount, outcome = 'approved' AND completes_at <= clock_timestamp() AS is_paid
   FROM sandbox_bank.charge WHERE reference = $1 AND account_id = $2 FOR UPDATE`,
);

const readEstornos = statement(
  'sandbox_read_estornos',
  `SELECT reference, amount, refused FROM sandbox_bank.estorno WHERE charge = $1`,
);

const insertEstorno = statement(
  'sandbox_insert_estorno',
  `INSERT INTO sandbox_bank.estorno (reference, charge, amount, refused, requested_at) VALUES ($1, $2, $3, $4, $5)`,
);

type EstornoRow = Return & { reference: string };

/** Idempotent by reference; completes at once, or is refused when it is more than the charge has left. */
export async function refund(
  pool: Pool,
  merchant: Merchant,
  request: CardRefundRequest & { refuses: boolean },
): Promise<RefundStatus> {
  const { reference, charge, amount } = request;
  await inTransaction(pool, async (client) => {
    const values = [charge, merchant.accountId];
    const [paid] = await run<{ amount: number; is_paid: boolean }>(client, lockCharge, values);
    if (paid?.is_paid !== true) throw new Error(`the sandbox bank has no approved charge ${charge} to return`);
    const former = await run<EstornoRow>(client, readEstornos, [charge]);
    const repeated = former.find((other) => other.reference === reference);
    if (repeated !== undefined && repeated.amount !== amount)
      throw new Error(`the refund ${reference} was repeated with another amount`);
    if (repeated !== undefined) return;
    const refused = request.refuses || returnedOf(former) + amount > paid.amount;
    await run(client, insertEstorno, [reference, charge, amount, refused, merchant.now]);
  });
  return findEstorno(pool, merchant, { reference, notFoundSeconds: 0 });
}

const findEstornoOf = statement(
  'sandbox_find_estorno',
  `SELECT e.refused, e.requested_at FROM sandbox_bank.estorno e JOIN sandbox_bank.charge c ON c.reference = e.charge
   WHERE e.reference = $1 AND c.account_id = $2 AND e.received_at <= clock_timestamp() - make_interval(secs => $3)`,
);

export async function findEstorno(
  pool: Pool,
  { accountId }: Merchant,
  { reference, notFoundSeconds }: { reference: string; notFoundSeconds: number },
): Promise<RefundStatus> {
  const values = [reference, accountId, notFoundSeconds];
  const [row] = await run<{ refused: boolean; requested_at: number }>(pool, findEstornoOf, values);
  if (row === undefined) return { status: 'unknown_to_bank' };
  return row.refused ? { status: 'refused' } : { status: 'completed', at: row.requested_at };
}
