import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { reconcileCharge } from '../payments/reconciliation.ts';
import { CHARGE_MARGIN } from '../payments/rules.ts';

/** After the deadline with its margin an answer proves something; one that does not come by then is left to its case. */
const PATIENCE_SECONDS = 2 * CHARGE_MARGIN;

/** Whoever is left without an answer says so; who died did not, and the clock has not moved since. */
const findOrphans = statement(
  'find_orphaned_charges',
  `SELECT c.intent_id AS "intentId" FROM charge_attempt c JOIN account a ON a.id = c.account_id
   WHERE c.account_id = $1 AND NOT c.live_mode AND c.status = 'sent' AND c.unknown_at IS NULL AND c.created >= a.clock_held_at
     AND c.deadline_at + interval '${PATIENCE_SECONDS} seconds' > now()`,
);

/**
 * Finds out what became of charges whose process died while it awaited them: they are booked at the instant they were made
 * at, before the clock moves on. False: an answer is still to come.
 */
export async function settleOrphans(deps: Deps, accountId: string): Promise<boolean> {
  let areSettled = true;
  for (const { intentId } of await run<{ intentId: string }>(deps.pool, findOrphans, [accountId])) {
    const { kind } = await reconcileCharge(deps, intentId);
    if (kind !== 'known') areSettled = false;
  }
  return areSettled;
}
