import { statement } from '../../db/statement.ts';
import type { Scope } from '../../db/tx.ts';
import type { Deps, Tx } from '../../deps.ts';
import { askBank, withoutKey } from '../acquirer/ask.ts';
import type { PixCharge } from '../entity.ts';
import { type Book, discardIntent, updateIntent, updateIntentNow, updateQr } from '../intents/book.ts';
import { isUnsettled } from '../rules.ts';
import { handleNotice, remindOfNotice } from './settlement.ts';

/** Longer than any request takes. */
const ORPHANED_AFTER_SECONDS = 60;

/** The QR code is never handed out again; should this process end before the bank is asked to end it, the case asks it. */
export function retireQr(tx: Tx, qr: PixCharge): void {
  qr.state = 'retiring';
  updateQr(tx, qr);
  tx.enqueue({ kind: 'pix-expiry', key: qr.id, afterSeconds: ORPHANED_AFTER_SECONDS });
}

/** `ended`: nobody can pay it any more, and its charge still waits; `paid`: somebody has, and that is booked or will be. */
export type QrEnd = 'ended' | 'paid' | 'bank_silent';

/** Asks the bank to end a retired QR code. One that is paid settles. */
export async function endQrAtBank(
  deps: Deps,
  scope: Scope,
  { txid, remainingMs }: { txid: string; remainingMs: () => number },
): Promise<QrEnd> {
  const answer = await askBank(deps, scope, (bank, merchant) => bank.expirePix(merchant, txid), {
    deadlineMs: remainingMs(),
  });
  if (!answer.known) return 'bank_silent';
  if (answer.value === 'expired') return 'ended';
  const notice = await handleNotice(deps, withoutKey(scope), txid, remainingMs());
  if (notice?.isKnown === true && notice.isReceived) return isUnsettled(notice.intent.status) ? 'ended' : 'paid';
  // It is paid and not shown yet: its case asks until it is.
  await remindOfNotice(deps, scope, txid);
  return 'paid';
}

const deleteExpiry = statement('delete_expiry', `DELETE FROM outbox WHERE kind = 'pix-expiry' AND key = $1`);

/** Ends the QR code of a charge that is not to be paid any more; the case does it where the bank was not told. */
function endQr(tx: Tx, qr: PixCharge | null, endedTxid: string | null): void {
  if (qr === null || qr.state === 'ended') return;
  if (qr.id === endedTxid) {
    qr.state = 'ended';
    updateQr(tx, qr);
    // One that the bank had not made yet, it may make after this: the case ends it then.
    if (qr.copyPaste != null) tx.write(deleteExpiry, [qr.id]);
  } else tx.enqueue({ kind: 'pix-expiry', key: qr.id });
}

/** Discards the unsettled charge, if any, of an invoice that takes no payment any more. */
export function discardUnsettled(tx: Tx, { intent, qr }: Book, endedTxid: string | null): void {
  if (intent === null) return;
  discardIntent(tx, intent);
  updateIntent(tx, intent);
  endQr(tx, qr, endedTxid);
}

/** Discards the unsettled charge, if any, ahead of a new one. */
export async function takeOver(tx: Tx, { intent, qr }: Book, endedTxid: string | null): Promise<void> {
  if (intent === null) return;
  discardIntent(tx, intent);
  await updateIntentNow(tx, intent);
  endQr(tx, qr, endedTxid);
}
