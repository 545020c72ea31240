import type { TestClock } from '../../contract/sandbox.ts';
import { lockMovingClock, refuseWhileMoving } from '../accounts/clock.ts';
import { statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { BillingError, codeOf } from '../kernel/errors.ts';
import { REAL_CLOCK } from '../kernel/time.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { holdClock, viewTestClock } from './advance.ts';
import { emptySandbox } from './tables.ts';

const startAnew = statement(
  'start_test_clock_anew',
  `UPDATE account SET sandbox_offset_seconds = 0, clock_held_at = NULL, clock_target = NULL, clock_moved_at = now() WHERE id = $1`,
);
/** The look of a sandbox stays; what happens to it next happens in real time, whenever the last event of it was. */
const forgetEvents = statement(
  'forget_events_of_sandbox_look',
  `UPDATE account_look SET last_event_id = NULL, last_event_at = NULL WHERE account_id = $1 AND NOT live_mode`,
);
/** An advance has its target ahead; a reset holds the clock where it stands. */
const letGo = statement(
  'let_go_of_test_clock',
  `UPDATE account SET clock_held_at = NULL, clock_target = NULL WHERE id = $1 AND clock_target = clock_held_at`,
);

/**
 * Deletes all data of the account's sandbox and returns its clock to real time.
 *
 * The clock is held first, so that whatever would write is refused; the rest is one transaction: all is gone, or nothing.
 * A process that dies in between leaves the clock held where it stands, and the recovery of its case lets it go.
 */
export async function resetTestClock(deps: Deps, scope: Scope): Promise<TestClock> {
  await deps.transaction(scope, async (tx) => {
    const clock = refuseWhileMoving(await lockMovingClock(tx));
    const now = deps.clock.now({ clock });
    await tx.query(holdClock, [scope.accountId, now, now]);
  });
  try {
    return await empty(deps, scope);
  } catch (error) {
    // Where this fails too, the recovery lets it go.
    await deps.transaction(scope, (tx) => tx.query(letGo, [scope.accountId])).catch(() => {});
    throw error;
  }
}

const TRIES_MAX = 5;

async function empty(deps: Deps, scope: Scope): Promise<TestClock> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await deps.transaction(scope, async (tx) => {
        await lockMovingClock(tx);
        await emptySandbox(tx);
        await tx.query(startAnew, [scope.accountId]);
        await tx.query(forgetEvents, [scope.accountId]);
        const now = deps.clock.now({ clock: REAL_CLOCK });
        tx.log({ action: 'test_clock.reset', object: scope.accountId, before: null, after: { now } });
        return tx.answer(viewTestClock({ now, target: null }));
      });
    } catch (error) {
      if (!isStillWritten(error)) throw error;
      if (tries >= TRIES_MAX) throw busy();
    }
  }
}

const FOREIGN_KEY_VIOLATION = '23503';

/** Whether a request that was admitted before the clock was held wrote something that hangs on what was to be removed. */
const isStillWritten = (error: unknown): boolean => codeOf(error) === FOREIGN_KEY_VIOLATION;

const busy = (): BillingError =>
  new BillingError('SERVICE_UNAVAILABLE', { message: 'The sandbox is still being written to; repeat shortly' });
