import type { Scope, Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { askAcquirer } from '../acquirer/ask.ts';
import type { QrCode } from '../entity.ts';
import { isUnsettled } from '../rules.ts';
import { handleNotice, remindOfNotice } from './settlement.ts';

/** Longer than any request takes. */
const ORPHANED_AFTER_SECONDS = 60;

/** The QR code is never handed out again; should this process end before the bank is asked to end it, the case asks it. */
export function retireQr(tx: Tx, qr: QrCode): void {
  qr.state = 'retiring';
  tx.enqueue({ kind: 'pix-expiry', key: qr.id, afterSeconds: ORPHANED_AFTER_SECONDS });
}

/** `ended`: nobody can pay it any more, and its charge still waits; `paid`: somebody has, and that is booked or will be. */
export type QrEnd = 'ended' | 'paid' | 'acquirer_silent';

/** Asks the bank to end a retired QR code. One that is paid settles. */
export async function endQrAtAcquirer(
  deps: Deps,
  scope: Scope,
  { txid, remainingMs }: { txid: string; remainingMs: () => number },
): Promise<QrEnd> {
  const answer = await askAcquirer(deps, scope, (bank, merchant) => bank.expirePix(merchant, txid), {
    deadlineMs: remainingMs(),
  });
  if (!answer.known) return 'acquirer_silent';
  if (answer.value === 'expired') return 'ended';
  const notice = await handleNotice(deps, scope, { txid, deadlineMs: remainingMs() });
  if (notice?.isKnown === true && notice.isReceived) return isUnsettled(notice.intent.status) ? 'ended' : 'paid';
  // It is paid and not shown yet: its case asks until it is.
  await remindOfNotice(deps, scope, txid);
  return 'paid';
}
