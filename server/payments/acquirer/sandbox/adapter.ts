import { type Database, run } from '../../../db/database.ts';
import { statement } from '../../../db/statement.ts';
import { cents } from '../../../kernel/money.ts';
import type { Timestamp } from '../../../kernel/time.ts';
import { brCode } from '../br-code.ts';
import type { Acquirer, BankAnswer, Merchant, PixCob, PixRequest, RefundRequest, RefundStatus } from '../port.ts';

type Pool = Database['pool'];
/** A connection in a transaction, or any of the pool. */
type Connection = Parameters<typeof run>[0];

export type BankCall = 'createPix' | 'findPix' | 'expirePix' | 'refundPix' | 'findRefund';

/** `unreachable`: the call never gets there; `answer_lost`: the bank does its work and nobody hears of it. */
export type Trouble = 'unreachable' | 'answer_lost';

/** Makes the bank slow (by waiting) or troubled; tests put it in. */
export interface Behaviour {
  before(call: BankCall): Promise<Trouble | undefined> | Trouble | undefined;
}

const HOST = 'pix.sandbox.fatura.example';
/** A return arrives this long after it was asked, on the account's clock (decisions §5). */
const RETURN_SECONDS = 5;
/** Returns whose cents end so are refused (decisions §5). */
const REFUSED_CENTS = 99;

/** A bank with books of its own: a real adapter of the port, not a stub. It knows sandbox money only. */
export function createSandboxAcquirer(pool: Pool, behaviour?: Behaviour): Acquirer {
  const call = async <T>(name: BankCall, merchant: Merchant, work: () => Promise<T>): Promise<BankAnswer<T>> => {
    if (merchant.liveMode)
      throw new Error(`the sandbox bank was asked to ${name} for live money of ${merchant.accountId}`);
    const trouble = await behaviour?.before(name);
    if (trouble === 'unreachable') return { known: false, why: 'unreachable' };
    const value = await work();
    return trouble === 'answer_lost' ? { known: false, why: 'timeout' } : { known: true, value };
  };
  return {
    name: 'sandbox',
    createPix: (merchant, request) => call('createPix', merchant, () => createCob(pool, merchant, request)),
    findPix: (merchant, txid) => call('findPix', merchant, () => findCob(pool, txid, merchant.now)),
    expirePix: (merchant, txid) => call('expirePix', merchant, () => removeCob(pool, txid)),
    refundPix: (merchant, request) => call('refundPix', merchant, () => askReturn(pool, merchant, request)),
    findRefund: (merchant, request) =>
      call('findRefund', merchant, () => findReturn(pool, request.reference, merchant.now)),
  };
}

const insertCob = statement(
  'sandbox_insert_cob',
  `INSERT INTO sandbox_bank.cob (txid, account_id, amount, created, expires_at, location, copy_paste, status)
   VALUES ($1, $2, $3, $4, $5, $6, $7, 'ATIVA')
   ON CONFLICT (txid) DO UPDATE SET txid = excluded.txid
   RETURNING account_id, amount, copy_paste`,
);

async function createCob(pool: Pool, merchant: Merchant, request: PixRequest): Promise<{ copyPaste: string }> {
  const location = `${HOST}/v2/${request.txid}`;
  const { name: merchantName, city: merchantCity } = merchant;
  const copyPaste = brCode({ location, amount: cents(request.amount), merchantName, merchantCity });
  const values = [
    request.txid,
    merchant.accountId,
    request.amount,
    merchant.now,
    request.expiresAt,
    location,
    copyPaste,
  ];
  const [cob] = await run<{ account_id: string; amount: number; copy_paste: string }>(pool, insertCob, values);
  if (cob?.amount !== request.amount || cob.account_id !== merchant.accountId) {
    throw new Error(`the txid ${request.txid} was repeated with another amount or account`);
  }
  return { copyPaste: cob.copy_paste };
}

const readCob = statement(
  'sandbox_read_cob',
  `SELECT c.status, p.end_to_end_id, p.amount, p.paid_at, p.settles_at
   FROM sandbox_bank.cob c LEFT JOIN sandbox_bank.pix p ON p.txid = c.txid
   WHERE c.txid = $1 ORDER BY p.paid_at, p.end_to_end_id`,
);

export type CobStatus = 'ATIVA' | 'CONCLUIDA' | 'REMOVIDA_PELO_USUARIO_RECEBEDOR';

const statusOf = { ATIVA: 'active', CONCLUIDA: 'concluded', REMOVIDA_PELO_USUARIO_RECEBEDOR: 'removed' } as const;

interface CobRow {
  status: CobStatus;
  end_to_end_id: string | null;
  amount: number;
  paid_at: number;
  settles_at: number;
}

async function findCob(pool: Pool, txid: string, now: Timestamp): Promise<PixCob | null> {
  const rows = await run<CobRow>(pool, readCob, [txid]);
  const [first] = rows;
  if (first === undefined) return null;
  const payments = rows.flatMap(({ end_to_end_id: endToEndId, amount, paid_at: paidAt, settles_at: settlesAt }) =>
    endToEndId === null ? [] : [{ endToEndId, txid, amount, paidAt, settled: settlesAt <= now }],
  );
  return { txid, status: statusOf[first.status], payments };
}

/** A payment or a confirmation concludes the cob under the same row lock, so the status alone tells which came first. */
const removeUnlessPaid = statement(
  'sandbox_remove_cob',
  `UPDATE sandbox_bank.cob SET status = CASE status WHEN 'CONCLUIDA' THEN status ELSE 'REMOVIDA_PELO_USUARIO_RECEBEDOR' END
   WHERE txid = $1 RETURNING status`,
);

async function removeCob(pool: Pool, txid: string): Promise<'expired' | 'alreadyPaid'> {
  const [cob] = await run<{ status: CobStatus }>(pool, removeUnlessPaid, [txid]);
  return cob?.status === 'CONCLUIDA' ? 'alreadyPaid' : 'expired';
}

const lockPayment = statement(
  'sandbox_lock_pix',
  `SELECT amount FROM sandbox_bank.pix WHERE end_to_end_id = $1 FOR UPDATE`,
);

const readReturns = statement(
  'sandbox_read_returns',
  `SELECT id, amount, refused FROM sandbox_bank.devolucao WHERE end_to_end_id = $1`,
);

const insertReturn = statement(
  'sandbox_insert_return',
  `INSERT INTO sandbox_bank.devolucao (id, end_to_end_id, amount, requested_at, completes_at, refused) VALUES ($1, $2, $3, $4, $5, $6)`,
);

interface ReturnRow {
  id: string;
  amount: number;
  refused: boolean;
}

/** Idempotent by reference; refuses the test amounts the first time, and more than came in always. */
async function askReturn(pool: Pool, { now }: Merchant, request: RefundRequest): Promise<RefundStatus> {
  const { reference, endToEndId, amount } = request;
  await inTransaction(pool, async (client) => {
    const [payment] = await run<{ amount: number }>(client, lockPayment, [endToEndId]);
    if (payment === undefined) throw new Error(`the sandbox bank has no payment ${endToEndId} to return`);
    const former = await run<ReturnRow>(client, readReturns, [endToEndId]);
    if (former.some(({ id }) => id === reference)) return;
    const returned = former.reduce((sum, other) => (other.refused ? sum : sum + other.amount), 0);
    const isTestRefusal = amount % 100 === REFUSED_CENTS && former.length === 0;
    const refused = isTestRefusal || returned + amount > payment.amount;
    await run(client, insertReturn, [reference, endToEndId, amount, now, now + RETURN_SECONDS, refused]);
  });
  return findReturn(pool, reference, now);
}

const readReturn = statement(
  'sandbox_read_return',
  `SELECT completes_at, refused FROM sandbox_bank.devolucao WHERE id = $1`,
);

async function findReturn(pool: Pool, reference: string, now: Timestamp): Promise<RefundStatus> {
  const [row] = await run<{ completes_at: number; refused: boolean }>(pool, readReturn, [reference]);
  if (row === undefined) return { status: 'unknown_to_bank' };
  if (row.refused) return { status: 'refused' };
  return row.completes_at <= now ? { status: 'completed', at: row.completes_at } : { status: 'processing' };
}

async function inTransaction(pool: Pool, work: (client: Connection) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('BEGIN');
    await work(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
