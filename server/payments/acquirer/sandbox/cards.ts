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
  Merchant,
  RefundStatus,
} from '../port.ts';
import { inTransaction, type Pool, type Return, returnedOf } from './books.ts';
import { chargeSeconds, declined, outcomeOf, type Scenario, scenarioOf } from './test-cards.ts';

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

const CHARGE = `account_id, token, amount, installments, decline_reason, code,
  extract(epoch FROM completes_at - clock_timestamp())::float8 AS seconds_left`;

interface ChargeRow {
  account_id: string;
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
     at AS MATERIALIZED (SELECT clock_timestamp() AS received, to_timestamp($6::float8 / ${SECOND_MS}) AS deadline FROM held)
   INSERT INTO sandbox_bank.charge
     (reference, account_id, token, amount, installments, received_at, deadline_at, completes_at, outcome, decline_reason, code)
   SELECT $1, $2, $3, $4, $5, at.received, at.deadline, at.received + make_interval(secs => $7), $8, $9, $10 FROM at
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

/** Idempotent by reference. A charge that takes its time is waited for; whoever waits no longer finds it by its reference. */
export async function charge(
  pool: Pool,
  merchant: Merchant,
  request: ChargeRequest & { declines: boolean },
): Promise<BankAnswer<ChargeOutcome>> {
  const { accountId } = merchant;
  const { reference, token, amount, installments } = request;
  const [card] = await run<{ scenario: Scenario }>(pool, readScenario, [token, accountId]);
  if (card === undefined) throw new Error(`the sandbox bank has no card of ${accountId} for the charge ${reference}`);
  const outcome = request.declines ? declined('issuer_declined') : outcomeOf(card.scenario);
  const [booked] = await run<ChargeRow>(pool, bookCharge, [
    ...[reference, accountId, token, amount, installments, request.deadlineMs, chargeSeconds(card.scenario)],
    ...(outcome.status === 'declined' ? ['declined', outcome.reason, outcome.code] : ['approved', null, null]),
  ]);
  const row = booked ?? (await run<ChargeRow>(pool, readCharge, [reference, accountId]))[0];
  // It came too late and was not known before.
  if (row === undefined) return { known: false, why: 'fault' };
  const isSame = row.account_id === accountId && row.token === token && row.amount === amount;
  if (!isSame || row.installments !== installments)
    throw new Error(`the charge ${reference} was repeated with another card, amount or account`);
  // To every repeat too: what became of it is found by its reference alone.
  if (card.scenario === 'answer_lost') return { known: false, why: 'timeout' };
  if (row.seconds_left > 0) await sleep(row.seconds_left * SECOND_MS);
  return { known: true, value: outcomeOfRow(row) };
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
