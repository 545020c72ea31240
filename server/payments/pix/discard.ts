import { statement } from '../../db/statement.ts';
import type { Tx } from '../../db/tx.ts';
import { type Book, discardIntent } from '../intents/book.ts';

const deleteExpiry = statement('delete_expiry', `DELETE FROM outbox WHERE kind = 'pix-expiry' AND key = :txid`);

/** Discards the unsettled charge, if any, of an invoice that another charge takes over or that takes no payment any more. */
export function discardUnsettled(tx: Tx, { intent, qr }: Book, endedTxid: string | null): void {
  if (intent === null) return;
  discardIntent(tx, intent);
  if (qr === null || qr.state === 'ended') return;
  if (qr.id !== endedTxid) {
    // The case ends it where the acquirer was not told.
    qr.state = 'retiring';
    tx.enqueue({ kind: 'pix-expiry', key: qr.id });
    return;
  }
  qr.state = 'ended';
  // A QR code that the acquirer had not made yet, it may make after this: the case ends it then.
  if (qr.copyPaste != null) tx.write(deleteExpiry, { txid: qr.id });
}
