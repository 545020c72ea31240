import { type Connection, run, statement } from '../../../db/statement.ts';
import { isoDate } from '../../../kernel/brazil.ts';
import { BillingError } from '../../../kernel/errors.ts';
import { cents } from '../../../kernel/money.ts';
import type { Tx } from '../../../unit-of-work/tx.ts';
import { compositeBrCode } from '../br-code.ts';
import type { MandateFinding, MandatePeriod, MandateRequest, Merchant } from '../port.ts';
import { inTransaction, type Pool } from './books.ts';
import { bankIdOf, type NoticeTime, payAtBank } from './buyer.ts';
import { BANK_HOST } from './pix.ts';
import { lastClosedDay } from './windows.ts';

/** Of the bank of every buyer. */
const PAYER_ISPB = '99999999';

interface First {
  location: string;
  amount: number;
}

const findFirst = statement<First>(
  'sandbox_first_charge_of_mandate',
  `SELECT c.location, c.amount FROM sandbox_bank.cob c WHERE c.txid = :txid AND c.account_id = :accountId`,
);

const insertMandate = statement<{ bankRef: string; copyPaste: string }>(
  'sandbox_insert_mandate',
  `INSERT INTO sandbox_bank.rec (bank_ref, account_id, place, contract, first_txid, starts_on, period, fixed, minimum, copy_paste)
   VALUES (:bankRef, :accountId, :place, :contract, :firstTxid, :startsOn, :period, :fixed, :minimum, :copyPaste)
   ON CONFLICT (place) DO UPDATE SET place = excluded.place RETURNING bank_ref AS "bankRef", copy_paste AS "copyPaste"`,
);

/** One for each place, whatever a repeat says. */
export async function makeMandate(
  pool: Pool,
  { accountId, name: merchantName, city: merchantCity, now }: Merchant,
  { place, contract, firstTxid, startsOn, period, fixed, minimum }: MandateRequest,
): Promise<{ bankRef: string; copyPaste: string }> {
  const [first] = firstTxid === null ? [] : await run(pool, findFirst, { txid: firstTxid, accountId });
  if (firstTxid !== null && first === undefined) throw new Error(`the sandbox bank has no charge ${firstTxid}`);
  const charge = first === undefined ? null : { location: first.location, amount: cents(first.amount) };
  const copyPaste = compositeBrCode({ charge, mandate: `${BANK_HOST}/v2/rec/${place}`, merchantName, merchantCity });
  const bankRef = bankIdOf('RR', isoDate(now).replaceAll('-', ''));
  const terms = { contract, firstTxid, startsOn, period, fixed, minimum };
  const [made] = await run(pool, insertMandate, { bankRef, accountId, place, copyPaste, ...terms });
  if (made === undefined) throw new Error(`the place ${place} serves no mandate`);
  return made;
}

type MandateStatus = 'CRIADA' | 'APROVADA' | 'REJEITADA' | 'EXPIRADA' | 'CANCELADA';

const statuses = {
  CRIADA: 'created',
  APROVADA: 'approved',
  REJEITADA: 'rejected',
  EXPIRADA: 'expired',
  CANCELADA: 'cancelled',
} as const satisfies Record<MandateStatus, MandateFinding['status']>;

/** A mandate in the bank's books. */
export interface BankMandate {
  bankRef: string;
  firstTxid: string | null;
  startsOn: string;
  period: MandatePeriod;
  fixed: number | null;
  status: MandateStatus;
  endedBy: 'payer' | 'payer_bank' | 'merchant' | null;
}

const COLUMNS = `m.bank_ref AS "bankRef", m.first_txid AS "firstTxid", m.starts_on AS "startsOn", m.period, m.fixed, m.status, m.ended_by AS "endedBy"`;

const readMandate = statement<BankMandate>(
  'sandbox_read_mandate',
  `SELECT ${COLUMNS} FROM sandbox_bank.rec m
   WHERE m.account_id = :accountId AND (m.bank_ref = :bankRef OR (:bankRef::text IS NULL AND m.place = :place))`,
);

const lockMandateRow = statement<BankMandate>(
  'sandbox_lock_mandate',
  `SELECT ${COLUMNS} FROM sandbox_bank.rec m WHERE m.bank_ref = :bankRef AND m.account_id = :accountId FOR UPDATE`,
);

export async function lookUpMandate(
  pool: Pool,
  { accountId }: Merchant,
  { place, bankRef }: { place: string; bankRef: string | null },
): Promise<MandateFinding | null> {
  const [found] = await run(pool, readMandate, { accountId, place, bankRef });
  if (found === undefined) return null;
  const { status, endedBy } = found;
  return {
    bankRef: found.bankRef,
    status: statuses[status],
    endedBy,
    payerBank: status === 'CRIADA' ? null : PAYER_ISPB,
  };
}

/** The mandate under the lock that its debits are made under. */
export async function lockMandate(
  client: Connection,
  { accountId, bankRef }: { accountId: string; bankRef: string },
): Promise<BankMandate | null> {
  const [mandate] = await run(client, lockMandateRow, { accountId, bankRef });
  return mandate ?? null;
}

const isOpen = ({ status }: BankMandate): boolean => status === 'CRIADA' || status === 'APROVADA';

const moveMandate = statement(
  'sandbox_move_mandate',
  `UPDATE sandbox_bank.rec SET status = :status, ended_by = :endedBy WHERE bank_ref = :bankRef`,
);

/** Debits of a mandate that has ended go with it, but for those whose day is too near: the bank of the buyer pays them still. */
const cancelDebits = statement(
  'sandbox_cancel_debits_of_mandate',
  `UPDATE sandbox_bank.cobr d SET status = 'CANCELADA',
     tries = (SELECT jsonb_agg(CASE WHEN t.value ->> 'status' = 'scheduled' THEN t.value || '{"status": "cancelled"}' ELSE t.value END ORDER BY t.ordinality)
       FROM jsonb_array_elements(d.tries::jsonb) WITH ORDINALITY t)::json
   WHERE d.bank_ref = :bankRef AND d.status = 'ATIVA' AND (d.tries::jsonb -> -1 ->> 'date') > :lastClosed`,
);

export const endMandate = (
  pool: Pool,
  { merchant, bankRef }: { merchant: Merchant; bankRef: string },
): Promise<'cancelled' | 'ended_already'> =>
  inTransaction(pool, async (client) => {
    const { accountId, now } = merchant;
    const mandate = await lockMandate(client, { accountId, bankRef });
    if (mandate === null) return 'ended_already';
    if (!isOpen(mandate)) return mandate.endedBy === 'merchant' ? 'cancelled' : 'ended_already';
    await run(client, moveMandate, { bankRef, status: 'CANCELADA', endedBy: 'merchant' });
    await run(client, cancelDebits, { bankRef, lastClosed: lastClosedDay(now) });
    return 'cancelled';
  });

async function lockWaiting(tx: Tx, bankRef: string): Promise<BankMandate> {
  if (tx.scope.liveMode) throw new Error('the sandbox bank knows no live buyers');
  const [mandate] = await tx.query(lockMandateRow, { bankRef, accountId: tx.scope.accountId });
  if (mandate?.status === 'CRIADA') return mandate;
  const message = `The mandate ${bankRef} is ${mandate?.status ?? 'not there'}: only one that waits is decided on`;
  throw new BillingError('INVALID_STATE', { message });
}

/** The buyer authorises by the code, and pays the charge that belongs to it in the same act. */
export async function approveAtBank(tx: Tx, bankRef: string): Promise<NoticeTime> {
  const { firstTxid } = await lockWaiting(tx, bankRef);
  tx.write(moveMandate, { bankRef, status: 'APROVADA', endedBy: null });
  return firstTxid === null ? 'now' : payAtBank(tx, { txid: firstTxid, scenario: 'paid' });
}

/** The buyer does not want it. */
export async function rejectAtBank(tx: Tx, bankRef: string): Promise<void> {
  await lockWaiting(tx, bankRef);
  tx.write(moveMandate, { bankRef, status: 'REJEITADA', endedBy: null });
}

/** The buyer, or their bank, ends it, and with it what can still be cancelled of its debits. */
export async function endAtBank(
  tx: Tx,
  { bankRef, by }: { bankRef: string; by: 'payer' | 'payer_bank' },
): Promise<void> {
  const [mandate] = await tx.query(lockMandateRow, { bankRef, accountId: tx.scope.accountId });
  if (mandate === undefined || !isOpen(mandate)) return;
  tx.write(moveMandate, { bankRef, status: 'CANCELADA', endedBy: by });
  tx.write(cancelDebits, { bankRef, lastClosed: lastClosedDay(tx.now) });
}
