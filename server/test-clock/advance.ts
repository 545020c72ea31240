import { ADVANCE_YEARS_MAX, type TestClock } from '../../contract/sandbox.ts';
import { lockMovingClock, readMovingClock, refuseWhileMoving } from '../accounts/clock.ts';
import { statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { yearsLater } from '../kernel/brazil.ts';
import { invalidParameter } from '../kernel/errors.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { putAsleep } from './asleep.ts';

/** The clock as the API shows it; `target` is null unless it is being advanced. */
export const viewTestClock = ({ now, target }: { now: Timestamp; target: Timestamp | null }): TestClock => ({
  object: 'test_clock',
  now,
  status: target === null ? 'ready' : 'advancing',
  target,
});

export async function retrieveTestClock(deps: Deps, scope: Scope): Promise<TestClock> {
  const clock = await readMovingClock(deps.pool, scope);
  return viewTestClock({ now: deps.clock.now({ clock }), target: clock.target });
}

/** Lets the clock stand still at an instant while it is moved to another. */
export const holdClock = statement(
  'hold_test_clock',
  `UPDATE account SET clock_held_at = $2, clock_target = $3, clock_moved_at = now() WHERE id = $1`,
);

/** Begins to advance the clock: it stands still, and from here the workflow takes it from one due instant to the next (docs/design/time.md#advancing-a-clock). */
export function advanceTestClock(deps: Deps, scope: Scope, to: Timestamp): Promise<TestClock> {
  return deps.transaction(scope, async (tx) => {
    // It may have been advanced to its end since the request was admitted.
    const clock = refuseWhileMoving(await lockMovingClock(tx));
    const now = deps.clock.now({ clock });
    refuseTarget(to, now);
    await tx.query(holdClock, [scope.accountId, now, to]);
    for (const put of putAsleep) await tx.query(put, [scope.accountId]);
    tx.enqueue({ kind: 'test-clock', key: scope.accountId });
    const object = scope.accountId;
    tx.log({ action: 'test_clock.advanced', object, before: { now }, after: { now: to } });
    return tx.answer(viewTestClock({ now, target: to }));
  });
}

/** Refuses an instant that is not ahead, or too far (docs/product/test-clock.md#advancing). */
function refuseTarget(to: Timestamp, now: Timestamp): void {
  const latest = yearsLater(now, ADVANCE_YEARS_MAX);
  if (to > now && to <= latest) return;
  const param = 'test_clock.to';
  const message = `${param} must lie after now (${now}) and at most ${ADVANCE_YEARS_MAX} calendar years ahead (${latest}), got ${to}`;
  throw invalidParameter(param, message);
}
