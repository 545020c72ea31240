import type { Scope } from '../../db/tx.ts';
import type { Deps, Tx } from '../../deps.ts';
import type { Invoice } from '../../invoices/entity.ts';
import type { ChargeAttempt } from '../entity.ts';
import { insertIntent, newIntent } from '../intents/book.ts';
import {
  alarmIfContradicted,
  applyOutcome,
  type ChargedCard,
  leaveToReconciliation,
  openAttempt,
  sendAttempt,
} from './attempts.ts';
import type { OpenedCharge } from './charge.ts';

/** A charge by itself of a renewal: the card, and its place in the schedule. */
export interface ScheduledCharge {
  readonly card: ChargedCard;
  readonly installments: number;
  readonly most: number;
}

/** Charges an invoice on an intent of its own, which continues the count of the schedule; the caller stores the invoice. */
export function openScheduled(tx: Tx, invoice: Invoice, { card, installments, most }: ScheduledCharge): ChargeAttempt {
  // An account may have shortened its schedule meanwhile.
  const attempts = { made: invoice.charges, most: Math.max(most, invoice.charges + 1) };
  const intent = newIntent(tx, invoice, { method: null, installments, attempts });
  intent.paymentMethodType = 'card';
  const attempt = openAttempt(tx, intent, { card, initiator: 'merchant' });
  invoice.paymentIntentId = intent.id;
  insertIntent(tx, intent);
  return attempt;
}

/** What came of a scheduled charge; `unknown` is found out by its case. */
export type ScheduledOutcome = 'approved' | 'declined' | 'unknown';

/** Sends a charge that a transaction has opened, and books what came of it. */
export async function sendScheduled(deps: Deps, scope: Scope, opened: OpenedCharge): Promise<ScheduledOutcome> {
  const { attempt } = opened;
  const outcome = await sendAttempt(deps, scope, opened);
  if (!outcome.known) {
    await leaveToReconciliation(deps, scope, attempt);
    return 'unknown';
  }
  const record = await deps.transaction(scope, (tx) => applyOutcome(tx, attempt, outcome.value));
  alarmIfContradicted(deps, record, outcome.value);
  return record.attempt.status === 'approved' ? 'approved' : 'declined';
}
