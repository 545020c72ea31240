import { type ScopeRow, scopeColumns, scopeOf } from '../../accounts/scope.ts';
import { acrossAccounts, mine, run, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { type CaseStep, DONE } from '../../kernel/case-step.ts';
import { MINUTE } from '../../kernel/time.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import type { CardState } from '../acquirer/port.ts';
import type { PaymentMethod } from '../entity.ts';
import { openedToken, paymentMethods } from '../intents/rows.ts';
import { viewStoredCard } from '../view.ts';

/** An acquirer that does not answer about a stored card is asked again so soon: nobody waits for it. */
const NEXT_LOOK = 5 * MINUTE;

interface CardLook extends ScopeRow {
  id: string;
  sealedToken: Buffer | null;
  isDeleted: boolean;
  askedAt: Date;
}

const lookAtCard = acrossAccounts<CardLook>(
  'look_at_stored_card',
  `SELECT m.id, ${scopeColumns('m')}, m.sealed_token AS "sealedToken", m.deleted_at IS NOT NULL AS "isDeleted", m.asked_at AS "askedAt"
   FROM payment_method m JOIN account a ON a.id = m.account_id WHERE m.id = :id AND m.asked_at IS NOT NULL`,
);

/**
 * The case `stored-card`: has the acquirer let a deleted card go, whose token is erased then; of any other it asks what the
 * issuer changed. Any number of times.
 */
export async function storedCardStep(deps: Deps, id: string): Promise<CaseStep> {
  const [look] = await run(deps.pool, lookAtCard, { id });
  if (look === undefined) return DONE;
  const scope = scopeOf(look);
  const { token } = openedToken(look, deps.secretBox);
  if (token === null) throw new Error(`${id} waits for its acquirer without a token`);
  const isDone = look.isDeleted
    ? await forget(deps, scope, { id, token })
    : await refresh(deps, scope, { id, token, askedAt: look.askedAt });
  if (isDone) return DONE;
  const note = 'The acquirer does not answer about the stored card; it is asked again.';
  return { done: false, dueInSeconds: NEXT_LOOK, status: 'acquirer silent', note };
}

const eraseToken = statement(
  'erase_token_of_card',
  `UPDATE payment_method m SET sealed_token = NULL, token_index = NULL, asked_at = NULL
   WHERE m.id = :id AND ${mine('m')} AND m.deleted_at IS NOT NULL`,
);

async function forget(deps: Deps, scope: Scope, { id, token }: Omit<Asked, 'askedAt'>): Promise<boolean> {
  const answer = await deps.ask(scope, 'card', (acquirer, merchant) => acquirer.forgetCard(merchant, { token }));
  if (!answer.known) return false;
  await deps.transaction(scope, async (tx) => tx.write(eraseToken, { id }));
  return true;
}

interface Asked {
  readonly id: string;
  readonly token: string;
  readonly askedAt: Date;
}

async function refresh(deps: Deps, scope: Scope, { id, token, askedAt }: Asked): Promise<boolean> {
  const answer = await deps.ask(scope, 'card', (acquirer, merchant) => acquirer.findCard(merchant, { token }));
  if (!answer.known) return false;
  await deps.transaction(scope, async (tx) => {
    const card = await tx.lock(paymentMethods, id);
    if (card.deletedAt != null) return;
    applyState(tx, card, answer.value);
    // What was told of it meanwhile has asked for another look.
    if (card.askedAt?.getTime() === askedAt.getTime()) card.askedAt = null;
  });
  return true;
}

/** What an issuer changed of a card, which the transaction keeps; `payment_method.updated` tells of it. */
export function applyState(tx: Tx, card: PaymentMethod, state: CardState): void {
  const { expMonth, expYear } = state.status === 'open' ? state : card;
  const isClosed = state.status === 'closed';
  const changes = card.expMonth !== expMonth || card.expYear !== expYear || isClosed !== (card.closedAt != null);
  if (!changes) return;
  Object.assign(card, { expMonth, expYear, closedAt: isClosed ? tx.now : null });
  if (card.storedAt != null) tx.record('payment_method.updated', viewStoredCard(card));
}
