import type { MedReason } from '../../../../contract/disputes.ts';
import { statement } from '../../../db/statement.ts';
import { BillingError } from '../../../kernel/errors.ts';
import type { Tx } from '../../../unit-of-work/tx.ts';
import { returnedOf } from './books.ts';
import { giveNotice, lockQrCode, type NoticeTime, newBankId } from './buyer.ts';
import { insertReturn, lockPayment, type Natureza, readReturns } from './pix.ts';

/** A payment of a QR code in the books of the bank. */
interface Payment {
  readonly txid: string;
  readonly endToEndId: string;
}

/** A merchant who returns money in the bank's own application asks for it as we would, under an id of the bank. */
const natures = {
  fraud: 'MED_FRAUDE',
  operational_error: 'MED_OPERACIONAL',
  automatic_debit: 'MED_PIX_AUTOMATICO',
  returned_at_bank: 'ORIGINAL',
} as const satisfies Record<MedReason, Natureza>;

/** Takes money of a payment back that nobody of ours asked for: as much as is wanted, and at most what is left. */
export async function takeBackAtBank(
  tx: Tx,
  { txid, endToEndId }: Payment,
  { scenario, amount: wanted }: { scenario: MedReason; amount: number | undefined },
): Promise<NoticeTime> {
  const cob = await lockQrCode(tx, txid);
  const [[payment], former] = await Promise.all([
    tx.query(lockPayment, { endToEndId }),
    tx.query(readReturns, { endToEndId }),
  ]);
  const left = (payment?.amount ?? 0) - returnedOf(former);
  if (left <= 0)
    throw new BillingError('INVALID_STATE', { message: `All of the payment ${endToEndId} went back already` });
  const amount = Math.min(wanted ?? left, left);
  const times = { requestedAt: tx.now, completesAt: tx.now };
  const reference = newBankId('D', tx.now);
  tx.write(insertReturn, { reference, endToEndId, amount, refused: false, natureza: natures[scenario], ...times });
  return giveNotice(tx, { txid, cob });
}

const revokeReturn = statement(
  'sandbox_revoke_return',
  `UPDATE sandbox_bank.devolucao SET refused = true WHERE id = :returnId AND end_to_end_id = :endToEndId`,
);

/** Takes the first of these returns back that still stands: the money is the merchant's again. */
export async function giveBackAtBank(
  tx: Tx,
  { txid, endToEndId }: Payment,
  { returnIds }: { returnIds: readonly string[] },
): Promise<NoticeTime> {
  const cob = await lockQrCode(tx, txid);
  const former = await tx.query(readReturns, { endToEndId });
  const returnId = returnIds.find((id) => former.some(({ reference, refused }) => reference === id && !refused));
  if (returnId === undefined)
    throw new BillingError('INVALID_STATE', { message: `Nothing was taken back of the payment ${endToEndId}` });
  tx.write(revokeReturn, { returnId, endToEndId });
  return giveNotice(tx, { txid, cob });
}
