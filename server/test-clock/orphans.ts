import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { chargeReconciliationStep } from '../payments/card/reconciliation.ts';
import { CHARGE_MARGIN } from '../payments/rules.ts';

/** After the deadline with its margin an answer proves something; one that does not come by then is left to its case. */
const PATIENCE_SECONDS = 2 * CHARGE_MARGIN;

/** Whoever is left without an answer says so; who died, or has waited since before the clock was held, did not. */
const findOrphans = statement(
  'find_orphaned_charges',
  `SELECT c.intent_id AS "intentId" FROM charge_attempt c
   WHERE c.account_id = $1 AND NOT c.live_mode AND c.status = 'sent' AND c.unknown_at IS NULL
     AND c.deadline_at + interval '${PATIENCE_SECONDS} seconds' > now()`,
);

/**
 * Finds out what became of charges that somebody else awaited, in a process that died or in a request of before the advance:
 * they are booked where the clock stands, before it moves on. False: an answer is still to come.
 */
export async function settleOrphans(deps: Deps, accountId: string): Promise<boolean> {
  let areSettled = true;
  for (const { intentId } of await run<{ intentId: string }>(deps.pool, findOrphans, [accountId])) {
    const { done } = await chargeReconciliationStep(deps, intentId);
    if (!done) areSettled = false;
  }
  return areSettled;
}
