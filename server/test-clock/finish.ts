import { readScope } from '../accounts/scope.ts';
import { statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';

const releaseClock = statement(
  'release_test_clock',
  `UPDATE account SET sandbox_offset_seconds = clock_target - $2::bigint, clock_held_at = NULL, clock_target = NULL, clock_moved_at = NULL
   WHERE id = $1 AND clock_held_at = clock_target RETURNING sandbox_offset_seconds AS ahead`,
);

/** What falls due has an instant in real time again. */
const wakeRows = [
  statement(
    'wake_subscriptions',
    `UPDATE subscription SET wake_at = due_at - $2::bigint WHERE account_id = $1 AND NOT live_mode AND due_at IS NOT NULL`,
  ),
  statement(
    'wake_invoices',
    `UPDATE invoice SET wake_at = step_at - $2::bigint WHERE account_id = $1 AND NOT live_mode AND step_at IS NOT NULL`,
  ),
  statement(
    'wake_ladders',
    `UPDATE delivery SET claimable_at = to_timestamp(next_attempt_at - $2::bigint)
     WHERE account_id = $1 AND NOT live_mode AND stage = 'ladder' AND next_attempt_at IS NOT NULL`,
  ),
];

const wakeHeldDeliveries = statement(
  'wake_held_deliveries',
  `UPDATE delivery d SET claimable_at = now() FROM webhook_endpoint e
   WHERE e.account_id = $1 AND NOT e.live_mode AND d.endpoint_id = e.id AND d.stage = 'fresh' AND d.claimable_at = 'infinity'`,
);

/** Every case of the account that waits for its clock looks again. */
const tellCases = statement(
  'tell_cases_of_account',
  `INSERT INTO outbox (kind, key, account_id)
   SELECT kind, key, $1 FROM (
     SELECT DISTINCT 'collection' AS kind, subscription_id AS key FROM invoice
       WHERE account_id = $1 AND NOT live_mode AND in_case AND status = 'open'
     UNION SELECT 'refund-settlement', intent_id FROM refund_part WHERE status = 'refunding' AND account_id = $1 AND NOT live_mode
     UNION SELECT 'pix-settlement', id FROM pix_charge WHERE confirmed_at IS NOT NULL AND account_id = $1 AND NOT live_mode
     UNION SELECT 'webhook-delivery', event_id || '/' || endpoint_id || '/' || ladder FROM delivery
       WHERE account_id = $1 AND NOT live_mode AND stage = 'ladder') of_account
   ON CONFLICT (kind, key) DO UPDATE SET due_at = least(outbox.due_at, excluded.due_at), version = outbox.version + 1`,
);

/** The clock arrived: it ticks with real time again, and whatever waits for an instant of it wakes by real time. */
export async function finishAdvance(deps: Deps, accountId: string): Promise<void> {
  await deps.transaction(await readScope(deps.pool, { accountId, liveMode: false }), async (tx) => {
    const [released] = await tx.query<{ ahead: number }>(releaseClock, [accountId, deps.clock.real()]);
    if (released === undefined) return;
    for (const wake of wakeRows) await tx.query(wake, [accountId, released.ahead]);
    await tx.query(wakeHeldDeliveries, [accountId]);
    await tx.query(tellCases, [accountId]);
  });
}
