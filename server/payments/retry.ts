import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps, Tx } from '../deps.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import {
  alarmIfContradicted,
  applyOutcome,
  type ChargedCard,
  leaveToReconciliation,
  openAttempt,
  sendAttempt,
} from './attempts.ts';
import type { AccountOfBank } from './bank.ts';
import { lockBook, refuseUnlessChargeable, updateIntent } from './book.ts';
import type { OpenedCharge } from './charge.ts';
import { mayRetry } from './rules.ts';

interface StoredCard extends AccountOfBank {
  invoiceId: string;
  paymentMethodId: string;
  token: string | null;
  brand: ChargedCard['brand'] | null;
  last4: string | null;
}

const findCard = statement(
  'find_card_of_retry',
  `SELECT p.invoice_id AS "invoiceId", m.id AS "paymentMethodId", m.token, m.brand, m.last4, a.name, a.city
   FROM payment_intent p JOIN account a ON a.id = p.account_id
   JOIN payment_method m ON m.id = $2 AND m.customer_id = p.customer_id AND m.account_id = p.account_id AND m.live_mode = p.live_mode
   WHERE p.id = $1 AND p.account_id = $3 AND p.live_mode = $4`,
);

const lastDecline = statement(
  'read_last_decline',
  `SELECT is_reversible AS "isReversible" FROM charge_attempt WHERE intent_id = $1 ORDER BY id DESC LIMIT 1`,
);

/**
 * Tries a declined charge again with a stored card (decisions §3): only while the issuer may decide otherwise and
 * attempts are left; else 409 INVALID_STATE. Answers what came of it; `unknown` is found out by its case.
 */
export async function retryCharge(
  deps: Deps,
  scope: Scope,
  { intentId, paymentMethodId }: { intentId: string; paymentMethodId: string },
): Promise<'paid' | 'declined' | 'unknown'> {
  const values = [intentId, paymentMethodId, scope.accountId, scope.liveMode];
  const [stored] = await run<StoredCard & Record<string, unknown>>(deps.pool, findCard, values);
  if (stored === undefined) throw missing('payment intent with this payment method', intentId);
  const opened = await deps.transaction(scope, (tx) => openRetry(tx, intentId, stored));
  const outcome = await sendAttempt(deps, scope, opened);
  if (!outcome.known) {
    await leaveToReconciliation(deps, scope, opened.attempt);
    return 'unknown';
  }
  const record = await deps.transaction(scope, (tx) => applyOutcome(tx, opened.attempt, outcome.value));
  alarmIfContradicted(deps, record, outcome.value);
  return record.attempt.status === 'approved' ? 'paid' : 'declined';
}

async function openRetry(tx: Tx, intentId: string, stored: StoredCard): Promise<OpenedCharge> {
  const [book, [last]] = await Promise.all([
    lockBook(tx, stored.invoiceId),
    tx.query<{ isReversible: boolean | null }>(lastDecline, [intentId]),
  ]);
  refuseUnlessChargeable(book);
  const { intent } = book;
  const { token, brand, last4, paymentMethodId } = stored;
  const isReversible = last?.isReversible === true;
  if (
    intent?.id !== intentId ||
    !mayRetry(intent, { isReversible }) ||
    token === null ||
    brand === null ||
    last4 === null
  )
    throw new BillingError('INVALID_STATE', { message: `${intentId} is not to be tried again` });
  const card = { token, brand, last4, paymentMethodId };
  const attempt = openAttempt(tx, intent, { card, initiator: 'merchant' });
  updateIntent(tx, intent);
  return { attempt, token, account: stored };
}
