import { type Connection, run, statement } from '../../../db/statement.ts';
import type { Timestamp } from '../../../kernel/time.ts';
import type { AcquirerAnswer, CivilDay, DebitFinding, DebitRequest, DebitTry, Merchant } from '../port.ts';
import { inTransaction, type Pool } from './books.ts';
import { insertPayment, newBankId } from './buyer.ts';
import { lockMandate } from './mandates.ts';
import { findCob } from './pix.ts';
import { areRetriesOver, closesAt, cycleOf, isInstructedInTime, isRetryDay, paidAt, refusedAt } from './windows.ts';

/** These codes end the whole debit, and not a try alone. */
const ENDING_CODES: readonly string[] = ['AC05', 'AM09', 'DENC', 'DS27', 'DTED', 'MIDI', 'MSUC', 'NITX', 'RC09'];
const TRIES_MAX = 4;
/** In the place of a code: nobody debits, and the instruction lapses. */
export const NEVER_DEBITED = 'EXPIRADA';

type DebitStatus = 'ATIVA' | 'CONCLUIDA' | 'EXPIRADA' | 'REJEITADA' | 'CANCELADA';

interface BankDebit {
  txid: string;
  bankRef: string;
  dueOn: CivilDay;
  status: DebitStatus;
  tries: DebitTry[];
  refusal: string | null;
  amount: number;
}

const lockDebitRow = statement<BankDebit>(
  'sandbox_lock_debit',
  `SELECT d.txid, d.bank_ref AS "bankRef", d.due_on AS "dueOn", d.status, d.tries, d.refusal, c.amount
   FROM sandbox_bank.cobr d JOIN sandbox_bank.cob c ON c.txid = d.txid
   WHERE d.txid = :txid AND c.account_id = :accountId FOR UPDATE OF d`,
);

const storeDebit = statement(
  'sandbox_store_debit',
  `UPDATE sandbox_bank.cobr SET status = :status, tries = :tries, refusal = :refusal WHERE txid = :txid`,
);

const concludeCharge = statement(
  'sandbox_conclude_debit',
  `UPDATE sandbox_bank.cob SET status = 'CONCLUIDA' WHERE txid = :txid`,
);

/** The debit as it stands now: what its day has brought is done under the lock. */
async function lockDebit(client: Connection, { accountId, now }: Merchant, txid: string): Promise<BankDebit | null> {
  const [debit] = await run(client, lockDebitRow, { txid, accountId });
  if (debit === undefined) return null;
  if (debit.status !== 'ATIVA') return debit;
  const last = debit.tries.at(-1);
  if (last?.status === 'scheduled') await tryNow(client, { debit, last, now });
  const isWaiting = debit.tries.at(-1)?.status === 'scheduled';
  const isOver = debit.tries.length >= TRIES_MAX || areRetriesOver(debit.dueOn, now);
  if (debit.status === 'ATIVA' && !isWaiting && isOver) debit.status = 'EXPIRADA';
  await store(client, debit);
  return debit;
}

const store = async (client: Connection, { txid, status, tries, refusal }: BankDebit): Promise<void> =>
  void (await run(client, storeDebit, { txid, status, tries: JSON.stringify(tries), refusal }));

const ended = (debit: BankDebit, last: DebitTry, how: Pick<DebitTry, 'status' | 'code'>): void => {
  debit.tries = [...debit.tries.slice(0, -1), { ...last, ...how }];
};

async function tryNow(
  client: Connection,
  { debit, last, now }: { debit: BankDebit; last: DebitTry; now: Timestamp },
): Promise<void> {
  const { txid, amount, refusal } = debit;
  if (refusal !== null) {
    if (now < refusedAt(last.date)) return;
    debit.refusal = null;
    if (refusal === NEVER_DEBITED) {
      ended(debit, last, { status: 'expired', code: null });
      debit.status = 'EXPIRADA';
      return;
    }
    ended(debit, last, { status: 'refused', code: refusal });
    if (ENDING_CODES.includes(refusal)) debit.status = 'REJEITADA';
    return;
  }
  const at = paidAt(last.date);
  if (now < at) return;
  await run(client, insertPayment, { endToEndId: newBankId('E', at), txid, amount, paidAt: at, settlesAt: at });
  await run(client, concludeCharge, { txid });
  ended(debit, last, { status: 'paid', code: null });
  debit.status = 'CONCLUIDA';
}

const statuses: Readonly<Record<Exclude<DebitStatus, 'ATIVA'>, DebitFinding['status']>> = {
  CONCLUIDA: 'paid',
  EXPIRADA: 'expired',
  REJEITADA: 'refused',
  CANCELADA: 'cancelled',
};

async function findingOf(pool: Pool, merchant: Merchant, { txid, status, tries }: BankDebit): Promise<DebitFinding> {
  const payments = status === 'CONCLUIDA' ? ((await findCob(pool, merchant, txid))?.payments ?? []) : [];
  const waiting = tries.at(-1)?.status === 'scheduled' ? 'scheduled' : 'unpaid';
  return { txid, status: status === 'ATIVA' ? waiting : statuses[status], payments, tries };
}

const insertCharge = statement(
  'sandbox_insert_charge_of_debit',
  `INSERT INTO sandbox_bank.cob (txid, account_id, amount, created, expires_at, location, copy_paste, status)
   VALUES (:txid, :accountId, :amount, :created, :expiresAt, '', '', 'ATIVA')`,
);
const insertDebit = statement(
  'sandbox_insert_debit',
  `INSERT INTO sandbox_bank.cobr (txid, bank_ref, due_on, tries) VALUES (:txid, :bankRef, :dueOn, :tries)`,
);

const findOthers = statement<{ dueOn: string }>(
  'sandbox_debits_of_mandate',
  `SELECT d.due_on AS "dueOn" FROM sandbox_bank.cobr d WHERE d.bank_ref = :bankRef AND d.status NOT IN ('REJEITADA', 'CANCELADA')`,
);

/** Scheduled at once; one live debit in a cycle of a mandate. */
export async function makeDebit(
  pool: Pool,
  merchant: Merchant,
  request: DebitRequest,
): Promise<AcquirerAnswer<DebitFinding>> {
  const made = await inTransaction(pool, async (client): Promise<BankDebit | null> => {
    const { accountId, now } = merchant;
    const { txid, bankRef, amount, dueOn } = request;
    const mandate = await lockMandate(client, { accountId, bankRef });
    const known = await lockDebit(client, merchant, txid);
    if (known !== null) return known;
    if (mandate?.status !== 'APROVADA' || (mandate.fixed !== null && mandate.fixed !== amount)) return null;
    if (!isInstructedInTime(dueOn, now) || dueOn < mandate.startsOn) return null;
    const cycle = cycleOf(mandate, dueOn);
    const others = await run(client, findOthers, { bankRef });
    if (others.some((other) => cycleOf(mandate, other.dueOn) === cycle)) return null;
    const tries: DebitTry[] = [{ date: dueOn, status: 'scheduled', code: null }];
    await run(client, insertCharge, { txid, accountId, amount, created: now, expiresAt: refusedAt(dueOn) });
    await run(client, insertDebit, { txid, bankRef, dueOn, tries: JSON.stringify(tries) });
    return { txid, bankRef, dueOn, status: 'ATIVA', tries, refusal: null, amount };
  });
  if (made === null) return { known: false, why: 'refused' };
  return { known: true, value: await findingOf(pool, merchant, made) };
}

export async function lookUpDebit(pool: Pool, merchant: Merchant, txid: string): Promise<DebitFinding | null> {
  const debit = await inTransaction(pool, (client) => lockDebit(client, merchant, txid));
  return debit === null ? null : findingOf(pool, merchant, debit);
}

export const takeBackDebit = (
  pool: Pool,
  merchant: Merchant,
  txid: string,
): Promise<'cancelled' | 'too_late' | 'paid' | 'ended'> =>
  inTransaction(pool, async (client) => {
    const debit = await lockDebit(client, merchant, txid);
    if (debit === null || debit.status === 'CANCELADA') return 'cancelled';
    if (debit.status === 'CONCLUIDA') return 'paid';
    if (debit.status !== 'ATIVA') return 'ended';
    if (merchant.now >= closesAt(debit.dueOn)) return 'too_late';
    const last = debit.tries.at(-1);
    if (last !== undefined) ended(debit, last, { status: 'cancelled', code: null });
    debit.status = 'CANCELADA';
    await store(client, debit);
    return 'cancelled';
  });

export const tryAgain = (
  pool: Pool,
  merchant: Merchant,
  { txid, date }: { txid: string; date: CivilDay },
): Promise<'asked' | 'refused'> =>
  inTransaction(pool, async (client) => {
    const debit = await lockDebit(client, merchant, txid);
    if (debit?.tries.some((each) => each.date === date) === true) return 'asked';
    const isOpen = debit?.status === 'ATIVA' && debit.tries.at(-1)?.status !== 'scheduled';
    if (!isOpen || !isRetryDay(debit.dueOn, date, merchant.now)) return 'refused';
    debit.tries = [...debit.tries, { date, status: 'scheduled', code: null }];
    await store(client, debit);
    return 'asked';
  });

const decideNext = statement<{ txid: string }>(
  'sandbox_decide_debit',
  `UPDATE sandbox_bank.cobr d SET refusal = :refusal FROM sandbox_bank.cob c
   WHERE d.txid = :txid AND c.txid = d.txid AND c.account_id = :accountId AND d.status = 'ATIVA' RETURNING d.txid`,
);

/** What becomes of the next try of a debit; null: it is paid. False: no try is to come. */
export const decideDebit = async (
  pool: Connection,
  { accountId, txid, refusal }: { accountId: string; txid: string; refusal: string | null },
): Promise<boolean> => (await run(pool, decideNext, { accountId, txid, refusal })).length > 0;
