import type { PaymentIntent as PaymentIntentView } from '../../../contract/payments.ts';
import type { Deps } from '../../deps.ts';
import { missing } from '../../kernel/errors.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { acquirerTimeout } from '../acquirer/ask.ts';
import type { NoticeTime } from '../acquirer/sandbox/buyer.ts';
import { findIntent } from '../intents/book.ts';
import { viewIntent } from '../view.ts';
import { handleNotice } from './settlement.ts';

/** What the bank of the sandbox is to do with a QR code of an intent. */
interface BankWork {
  readonly txid: string;
  readonly intentId: string;
  readonly act: (tx: Tx) => Promise<NoticeTime>;
  /** What is booked before the notice of the payment. */
  readonly beforeNotice?: () => Promise<void>;
  /** What a caller is told whom the bank does not answer afterwards. */
  readonly unanswered: string;
}

/**
 * Has the bank of the sandbox do its work, and answers the intent once the bank's notice of it has been handled, or as it
 * stands when the operator has the bank give its notices later.
 */
export async function actAtBank(
  deps: Deps,
  scope: Scope,
  { txid, intentId, act, beforeNotice = async () => {}, unanswered }: BankWork,
): Promise<PaymentIntentView> {
  // A repeat under the same key does nothing again: the notice of what was done is handled.
  if ((scope.idempotency?.formerAttempt ?? null) === null) {
    const untold = await deps.transaction(scope, async (tx) => {
      if ((await act(tx)) === 'later') return tx.answer(await viewStored(tx, intentId));
      tx.lease(txid);
      return null;
    });
    if (untold !== null) return untold;
  }
  await beforeNotice();
  const notice = await handleNotice(deps, scope, { txid, intentId, answer: (tx, intent) => void tx.answer(intent) });
  if (notice?.isKnown !== true) throw acquirerTimeout(intentId, unanswered);
  return notice.intent;
}

/** The intent as our books have it. */
async function viewStored(tx: Tx, intentId: string): Promise<PaymentIntentView> {
  const intent = await findIntent(tx, intentId);
  if (intent === null) throw missing('payment intent', intentId);
  return viewIntent(intent);
}
