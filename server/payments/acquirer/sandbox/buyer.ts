import type { PixScenario } from '../../../../contract/sandbox.ts';
import { statement } from '../../../db/statement.ts';
import { BillingError } from '../../../kernel/errors.ts';
import { newSuffix } from '../../../kernel/ids.ts';
import { SECOND_MS, type Timestamp } from '../../../kernel/time.ts';
import type { Tx } from '../../../unit-of-work/tx.ts';

/** A confirmed payment is settled this long afterwards, on the account's clock (docs/product/sandbox.md#paying-a-qr-code). */
const SETTLES_AFTER_SECONDS = 60;
/** The bank repeats a notice that nobody handled. */
const NOTICE_AFTER_SECONDS = 5;

interface Cob {
  amount: number;
  expiresAt: number;
  status: 'ATIVA' | 'CONCLUIDA' | 'REMOVIDA_PELO_USUARIO_RECEBEDOR';
  noticeDelaySeconds: number;
  noticeRepeats: number;
}

/** What an operator set for every call holds for the notices too. */
const lockCob = statement<Cob>(
  'sandbox_lock_cob',
  `SELECT c.amount, c.expires_at AS "expiresAt", c.status, coalesce(b.notice_delay_seconds, 0) AS "noticeDelaySeconds",
     coalesce(b.notice_repeats, 0) AS "noticeRepeats"
   FROM sandbox_bank.cob c LEFT JOIN sandbox_bank.behaviour b ON b.account_id = c.account_id AND b.call = '*'
   WHERE c.txid = :txid FOR UPDATE OF c`,
);

export const insertPayment = statement(
  'sandbox_insert_pix',
  `INSERT INTO sandbox_bank.pix (end_to_end_id, txid, amount, paid_at, settles_at) VALUES (:endToEndId, :txid, :amount, :paidAt, :settlesAt)`,
);

const settleConfirmed = statement(
  'sandbox_settle_pix',
  `UPDATE sandbox_bank.pix SET settles_at = :now WHERE txid = :txid AND settles_at > :now`,
);

const concludeCob = statement(
  'sandbox_conclude_cob',
  `UPDATE sandbox_bank.cob SET status = 'CONCLUIDA', notices_left = :notices WHERE txid = :txid`,
);

/** When the bank tells of a payment: as it is made, or after a while. */
export type NoticeTime = 'now' | 'later';

/**
 * What the buyer does at their bank. The bank's notice of it is an outbox row of the same transaction, repeated until
 * it is handled: a crash after the booking loses nothing.
 */
export async function payAtBank(
  tx: Tx,
  { txid, scenario }: { txid: string; scenario: PixScenario },
): Promise<NoticeTime> {
  const cob = await lockQrCode(tx, txid);
  const isPaid = cob.status === 'CONCLUIDA';
  if (!isPaid && scenario !== 'paid_late') refuseUnlessPayable(cob, tx.now);
  const pay = (settlesAt: Timestamp): void => {
    const { amount } = cob;
    tx.write(insertPayment, { endToEndId: newBankId('E', tx.now), txid, amount, paidAt: tx.now, settlesAt });
  };
  switch (scenario) {
    case 'paid':
      if (isPaid) tx.write(settleConfirmed, { txid, now: tx.now });
      else pay(tx.now);
      break;
    case 'paid_twice':
      if (!isPaid) pay(tx.now);
      pay(tx.now);
      break;
    case 'paid_late':
      pay(tx.now);
      break;
    case 'confirmed_not_settled':
      if (!isPaid) pay(tx.now + SETTLES_AFTER_SECONDS);
      break;
  }
  const repeatsAfter = scenario === 'confirmed_not_settled' ? SETTLES_AFTER_SECONDS : NOTICE_AFTER_SECONDS;
  return giveNotice(tx, { txid, cob, repeatsAfter });
}

/** The QR code under the lock of the bank. */
export async function lockQrCode(tx: Tx, txid: string): Promise<Cob> {
  if (tx.scope.liveMode) throw new Error('the sandbox bank knows no live buyers');
  const [cob] = await tx.query(lockCob, { txid });
  if (cob === undefined) throw new BillingError('INVALID_STATE', { message: `The bank has no QR code ${txid}` });
  return cob;
}

/** Tells of what was done with a QR code that is paid, and again until it is handled. */
export function giveNotice(
  tx: Tx,
  { txid, cob, repeatsAfter = NOTICE_AFTER_SECONDS }: { txid: string; cob: Cob; repeatsAfter?: number },
): NoticeTime {
  tx.write(concludeCob, { txid, notices: cob.noticeRepeats });
  const delay = cob.noticeDelaySeconds;
  // A part of it by chance, so that the notices of several payments come in another order than the payments.
  const afterSeconds = delay > 0 ? Math.random() * delay : repeatsAfter;
  tx.enqueue({ kind: 'pix-settlement', key: txid, afterSeconds });
  return delay > 0 ? 'later' : 'now';
}

function refuseUnlessPayable(cob: Cob, now: Timestamp): void {
  if (cob.status === 'ATIVA' && now < cob.expiresAt) return;
  const why = cob.status === 'ATIVA' ? `ended at ${cob.expiresAt}` : 'was ended by the merchant';
  throw new BillingError('INVALID_STATE', {
    message: `The QR code ${why}: send the scenario paid_late to pay it all the same`,
  });
}

const ISPB = '00000000';
const RANDOM_CHARACTERS = 11;

/** `E` or `D`, the bank, the minute in UTC and eleven characters of the bank's own: the form the central bank gives it. */
export function newBankId(kind: 'E' | 'D', now: Timestamp): string {
  const minute = new Date(now * SECOND_MS).toISOString().replace(/\D/g, '').slice(0, 12);
  return bankIdOf(kind, minute);
}

/** An id of the form that API Pix has for payments, returns and mandates: its kind, the bank, when, and chance. */
export const bankIdOf = (kind: string, when: string): string =>
  `${kind}${ISPB}${when}${newSuffix().slice(-RANDOM_CHARACTERS)}`;
