import type { Scope } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { lockInvoice } from '../../invoices/life.ts';
import { askAcquirer } from '../acquirer/ask.ts';
import { type CaseStep, DONE, LOOK_SECONDS } from '../case-step.ts';
import { findQr } from '../intents/book.ts';
import { handleNotice, lookUpQr, remindOfNotice } from './settlement.ts';

/** The case `pix-expiry`: a QR code that nobody may pay any more is ended at the bank. */
export async function pixExpiryStep(deps: Deps, txid: string): Promise<CaseStep> {
  const found = await lookUpQr(deps, txid);
  if (found === null) return DONE;
  const { look, scope } = found;
  const isInUse = look.intentStatus === 'pending' && (look.state === 'creating' || look.state === 'active');
  if (isInUse) return DONE;
  const answer = await askAcquirer(deps, scope, (bank, merchant) => bank.expirePix(merchant, txid));
  if (!answer.known) {
    return {
      done: false,
      dueInSeconds: LOOK_SECONDS,
      status: 'bank silent',
      note: 'The bank does not answer; it is asked again to end the QR code.',
    };
  }
  if (answer.value === 'alreadyPaid') {
    const notice = await handleNotice(deps, scope, { txid });
    if (notice?.isKnown !== true || !notice.isReceived) await remindOfNotice(deps, scope, txid);
    if (notice?.isKnown !== true) return DONE;
  }
  await markEnded(deps, scope, { txid, invoiceId: look.invoiceId });
  return DONE;
}

/** Nobody can pay it any more, or somebody has: what came in is booked by its notice. */
async function markEnded(
  deps: Deps,
  scope: Scope,
  { txid, invoiceId }: { txid: string; invoiceId: string },
): Promise<void> {
  await deps.transaction(scope, async (tx) => {
    const [, qr] = await Promise.all([lockInvoice(tx, invoiceId), findQr(tx, txid)]);
    if (qr !== null) qr.state = 'ended';
  });
}
