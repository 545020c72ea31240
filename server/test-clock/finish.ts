import { readScope } from '../accounts/scope.ts';
import { MERGE_ASKED } from '../db/facts.ts';
import { statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { ofSandbox, places } from '../waiting.ts';
import { wakeUp } from './asleep.ts';

const releaseClock = statement(
  'release_test_clock',
  `UPDATE account SET sandbox_offset_seconds = clock_target - :real::bigint, clock_held_at = NULL, clock_target = NULL, clock_moved_at = NULL
   WHERE id = :accountId AND clock_held_at = clock_target RETURNING 1`,
);

/** Every case of the account that waits for its clock looks again. */
const tellCases = statement(
  'tell_cases_of_account',
  `INSERT INTO outbox (kind, key, account_id)
   SELECT kind, key, $1 FROM (${places
     .filter(([, place]) => place.case !== undefined && place.clock === 'account')
     .map(
       ([, place]) =>
         `SELECT '${place.case}' AS kind, ${place.key} AS key FROM ${place.table} w WHERE ${ofSandbox(place)} AND ${place.waits}`,
     )
     .join(' UNION ')}) of_account
   ${MERGE_ASKED}`,
);

/** The clock arrived: it ticks with real time again, and whatever waits for an instant of it wakes by real time. */
export async function finishAdvance(deps: Deps, accountId: string): Promise<void> {
  await deps.transaction(await readScope(deps.pool, { accountId, liveMode: false }), async (tx) => {
    const released = await tx.query(releaseClock, { accountId, real: deps.clock.real() });
    if (released.length === 0) return;
    for (const wake of wakeUp) await tx.query(wake, [accountId]);
    await tx.query(tellCases, [accountId]);
  });
}
