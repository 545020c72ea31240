import { combine, run, sendAlone, statement, writeOf } from '../../../db/statement.ts';
import { cents } from '../../../kernel/money.ts';
import type { Timestamp } from '../../../kernel/time.ts';
import { outboxWrites } from '../../../unit-of-work/facts.ts';
import { brCode } from '../br-code.ts';
import type { Merchant, PixCob, PixRefundRequest, PixRequest, PixReturn, RefundStatus, ReturnNature } from '../port.ts';
import { inTransaction, isRepeat, type Pool, type Return, returnedOf } from './books.ts';

export const BANK_HOST = 'pix.sandbox.fatura.example';
/** A return arrives this long after it was asked, on the account's clock (docs/product/sandbox.md#refund-parts). */
const RETURN_SECONDS = 5;
/** Returns whose cents end so are refused (docs/product/sandbox.md#refund-parts). */
const REFUSED_CENTS = 99;
/** A notice that was handled comes again within this. */
const NOTICE_AGAIN_SECONDS_MAX = 4;

const insertCob = statement<{ accountId: string; amount: number; copyPaste: string }>(
  'sandbox_insert_cob',
  `INSERT INTO sandbox_bank.cob (txid, account_id, amount, created, expires_at, location, copy_paste, status)
   VALUES (:txid, :accountId, :amount, :created, :expiresAt, :location, :copyPaste, 'ATIVA')
   ON CONFLICT (txid) DO UPDATE SET txid = excluded.txid
   RETURNING account_id AS "accountId", amount, copy_paste AS "copyPaste"`,
);

export async function makeCob(pool: Pool, merchant: Merchant, request: PixRequest): Promise<{ copyPaste: string }> {
  const { txid, amount, expiresAt } = request;
  const { accountId, now: created, name: merchantName, city: merchantCity } = merchant;
  const location = `${BANK_HOST}/v2/${txid}`;
  const copyPaste = brCode({ location, amount: cents(amount), merchantName, merchantCity });
  const [cob] = await run(pool, insertCob, { txid, accountId, amount, created, expiresAt, location, copyPaste });
  if (cob?.amount !== amount || cob.accountId !== accountId) {
    throw new Error(`the txid ${txid} was repeated with another amount or account`);
  }
  return { copyPaste: cob.copyPaste };
}

const readCob = statement<CobRow>(
  'sandbox_read_cob',
  `SELECT c.account_id AS "accountId", c.status, c.notices_left AS "noticesLeft", p.end_to_end_id AS "endToEndId", p.amount,
     p.paid_at AS "paidAt", p.settles_at AS "settlesAt",
     (SELECT coalesce(json_agg(json_build_object('id', d.id, 'amount', d.amount, 'natureza', d.natureza, 'refused', d.refused,
        'completesAt', d.completes_at) ORDER BY d.requested_at, d.id), '[]')
      FROM sandbox_bank.devolucao d WHERE d.end_to_end_id = p.end_to_end_id) AS devolucoes
   FROM sandbox_bank.cob c LEFT JOIN sandbox_bank.pix p ON p.txid = c.txid
   WHERE c.txid = :txid ORDER BY p.paid_at, p.end_to_end_id`,
);

type CobStatus = 'ATIVA' | 'CONCLUIDA' | 'REMOVIDA_PELO_USUARIO_RECEBEDOR';

const statusOf = { ATIVA: 'active', CONCLUIDA: 'concluded', REMOVIDA_PELO_USUARIO_RECEBEDOR: 'removed' } as const;

interface CobRow {
  accountId: string;
  status: CobStatus;
  noticesLeft: number;
  endToEndId: string | null;
  amount: number;
  paidAt: number;
  settlesAt: number;
  devolucoes: Devolucao[];
}

interface Devolucao {
  id: string;
  amount: number;
  natureza: Natureza;
  refused: boolean;
  completesAt: number;
}

/** Why the bank returns money, in the words of API Pix: it was asked to, or it does so by itself (MED). */
export type Natureza = 'ORIGINAL' | 'MED_FRAUDE' | 'MED_OPERACIONAL' | 'MED_PIX_AUTOMATICO';

const natureOf = {
  ORIGINAL: 'requested',
  MED_FRAUDE: 'fraud',
  MED_OPERACIONAL: 'operational_error',
  MED_PIX_AUTOMATICO: 'automatic_debit',
} as const satisfies Record<Natureza, ReturnNature>;

const returnOf = ({ id, amount, natureza, refused, completesAt }: Devolucao, now: Timestamp): PixReturn => ({
  id,
  amount,
  nature: natureOf[natureza],
  status: refused ? 'refused' : completesAt <= now ? 'completed' : 'processing',
});

export async function findCob(pool: Pool, { now }: Merchant, txid: string): Promise<PixCob | null> {
  const rows = await run(pool, readCob, { txid });
  const [first] = rows;
  if (first === undefined) return null;
  if (first.noticesLeft > 0) await noticeAgain(pool, first.accountId, txid);
  const payments = rows.flatMap(({ endToEndId, amount, paidAt, settlesAt, devolucoes }) => {
    const returns = devolucoes.map((each) => returnOf(each, now));
    return endToEndId === null ? [] : [{ endToEndId, txid, amount, paidAt, settled: settlesAt <= now, returns }];
  });
  return { txid, status: statusOf[first.status], payments };
}

const spendNotice = statement(
  'sandbox_spend_notice',
  `UPDATE sandbox_bank.cob SET notices_left = notices_left - 1 WHERE txid = :txid AND notices_left > 0`,
);

/** Whoever asks about a payment handles its notice: one that is set to repeat itself comes again afterwards. */
async function noticeAgain(pool: Pool, accountId: string, txid: string): Promise<void> {
  const afterSeconds = Math.random() * NOTICE_AGAIN_SECONDS_MAX;
  const notice = outboxWrites({ accountId, liveMode: false }, [{ kind: 'pix-settlement', key: txid, afterSeconds }]);
  await sendAlone(pool, combine([writeOf(spendNotice, { txid }), ...notice]));
}

/** A payment or a confirmation concludes the cob under the same row lock, so the status alone tells which came first. */
const removeUnlessPaid = statement<{ status: CobStatus }>(
  'sandbox_remove_cob',
  `UPDATE sandbox_bank.cob SET status = CASE status WHEN 'CONCLUIDA' THEN status ELSE 'REMOVIDA_PELO_USUARIO_RECEBEDOR' END
   WHERE txid = :txid RETURNING status`,
);

export async function dropCob(pool: Pool, txid: string): Promise<'expired' | 'alreadyPaid'> {
  const [cob] = await run(pool, removeUnlessPaid, { txid });
  return cob?.status === 'CONCLUIDA' ? 'alreadyPaid' : 'expired';
}

/** The payment under the lock that all of its returns are made under. */
export const lockPayment = statement<{ amount: number }>(
  'sandbox_lock_pix',
  `SELECT p.amount FROM sandbox_bank.pix p JOIN sandbox_bank.cob c ON c.txid = p.txid
   WHERE p.end_to_end_id = :endToEndId AND c.account_id = :accountId FOR UPDATE OF p`,
);

export const readReturns = statement<Return>(
  'sandbox_read_returns',
  `SELECT id AS reference, amount, refused FROM sandbox_bank.devolucao WHERE end_to_end_id = :endToEndId`,
);

export const insertReturn = statement(
  'sandbox_insert_return',
  `INSERT INTO sandbox_bank.devolucao (id, end_to_end_id, amount, requested_at, completes_at, refused, natureza)
   VALUES (:reference, :endToEndId, :amount, :requestedAt, :completesAt, :refused, :natureza)`,
);

/** Idempotent by reference; refuses the test amounts, and more than came in. */
export async function makeReturn(
  pool: Pool,
  merchant: Merchant,
  request: PixRefundRequest & { refuses: boolean },
): Promise<RefundStatus> {
  const { accountId } = merchant;
  const { reference, endToEndId, amount, askedAt } = request;
  await inTransaction(pool, async (client) => {
    const [payment] = await run(client, lockPayment, { endToEndId, accountId });
    if (payment === undefined) throw new Error(`the sandbox bank has no payment ${endToEndId} to return`);
    const former = await run(client, readReturns, { endToEndId });
    if (isRepeat(former, request)) return;
    const isTooMuch = returnedOf(former) + amount > payment.amount;
    const refused = request.refuses || isTestRefusal(request, former) || isTooMuch;
    const times = { requestedAt: askedAt, completesAt: askedAt + RETURN_SECONDS };
    const asked = { reference, endToEndId, amount, natureza: 'ORIGINAL' satisfies Natureza };
    await run(client, insertReturn, { ...asked, refused, ...times });
  });
  return lookUpReturn(pool, merchant, { reference, notFoundSeconds: 0 });
}

/** A surplus must go back in the end: its return is refused the first time alone. */
function isTestRefusal({ amount, reason }: PixRefundRequest, former: readonly Return[]): boolean {
  return amount % 100 === REFUSED_CENTS && (reason !== 'surplus' || former.length === 0);
}

const readReturn = statement<{ completesAt: number; refused: boolean }>(
  'sandbox_read_return',
  `SELECT completes_at AS "completesAt", refused FROM sandbox_bank.devolucao
   WHERE id = :reference AND received_at <= clock_timestamp() - make_interval(secs => :notFoundSeconds)`,
);

export async function lookUpReturn(
  pool: Pool,
  { now }: Merchant,
  { reference, notFoundSeconds }: { reference: string; notFoundSeconds: number },
): Promise<RefundStatus> {
  const [row] = await run(pool, readReturn, { reference, notFoundSeconds });
  if (row === undefined) return { status: 'unknown_to_acquirer' };
  if (row.refused) return { status: 'refused' };
  return row.completesAt <= now ? { status: 'completed', at: row.completesAt } : { status: 'processing' };
}
