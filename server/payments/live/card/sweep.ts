import { readScope } from '../../../accounts/scope.ts';
import { mine, run, statement } from '../../../db/statement.ts';
import type { Deps } from '../../../deps.ts';
import { raiseAlarm } from '../../../kernel/alarms.ts';
import { DAY, MINUTE, SECOND_MS, type Timestamp } from '../../../kernel/time.ts';
import type { SweepOutcome } from '../method.ts';

/** Holders contest for half a year and longer; of installments each may be. */
const CONTESTED_FOR = 550 * DAY;
/** Several pages of a slow acquirer. */
const LISTED_WITHIN_MS = MINUTE * SECOND_MS;
/** An operator is told of an acquirer that did not list for so long. */
const NOT_SWEPT_ALARM = 3 * DAY;

const readSwept = statement<{ sweptUntil: Timestamp }>(
  'read_sweep_of_cards',
  `SELECT l.swept_until AS "sweptUntil" FROM live_acquirer l WHERE l.account_id = :accountId AND l.method = 'card'`,
);

const markSwept = statement(
  'mark_cards_swept',
  `UPDATE live_acquirer SET swept_until = greatest(swept_until, :sweptUntil) WHERE account_id = :accountId AND method = 'card'`,
);

/** Of a charge that was taken back in part more may follow: it is asked about until nothing of it is left. */
const findUntold = statement<{ intentId: string }>(
  'find_untold_chargebacks',
  `SELECT c.intent_id AS "intentId" FROM charge_attempt c JOIN payment_intent i ON i.id = c.intent_id
   WHERE c.id = ANY(:references) AND ${mine('c')} AND c.status = 'approved'
     AND i.amount > i.amount_refunded + i.amount_disputed ORDER BY c.id`,
);

/** Finds, once a day, chargebacks that no webhook told of, and has the cases of those charges ask about them. */
export async function sweepCards(deps: Deps, accountId: string): Promise<SweepOutcome> {
  const [row] = await run(deps.pool, readSwept, { accountId });
  const now = deps.clock.real();
  if (row === undefined || now - row.sweptUntil < DAY) return 'not_due';
  const scope = await readScope(deps.pool, { accountId, liveMode: true });
  const answer = await deps.ask(
    scope,
    'card',
    async (acquirer, merchant) =>
      (await acquirer.findChargedBack?.(merchant, now - CONTESTED_FOR)) ?? { known: true as const, value: [] },
    { deadlineMs: LISTED_WITHIN_MS },
  );
  if (!answer.known) {
    const message = 'an acquirer does not list what was taken back';
    if (now - row.sweptUntil > NOT_SWEPT_ALARM) raiseAlarm(deps, 'acquirer_not_swept', { account: accountId, message });
    return 'postponed';
  }
  await deps.transaction(scope, async (tx) => {
    for (const { intentId } of await tx.query(findUntold, { references: answer.value }))
      tx.enqueue({ kind: 'charge-reconciliation', key: intentId });
  });
  await run(deps.pool, markSwept, { accountId, sweptUntil: now });
  return 'swept';
}
