import type pg from 'pg';
import { readScope } from '../accounts/scope.ts';
import { acrossAccounts, run, type Statement, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { MERGE_ASKED } from '../unit-of-work/facts.ts';
import { ofSandbox, type Waiting, type Wake, waitingPlaces } from '../waiting.ts';

/** The places in which something wakes, and those of them that an advance puts asleep. */
const waking = waitingPlaces.flatMap(([name, place]) =>
  place.wake === undefined ? [] : [{ name, place, wake: place.wake, asleep: place.wake.asleep }],
);
const sleepers = waking.flatMap(({ asleep, ...waker }) => (asleep === undefined ? [] : [{ ...waker, asleep }]));

/** What waits for an instant is woken by nothing but the advance until the clock is ready again; the account is `$1`. */
export const putAsleep: readonly Statement[] = sleepers.map(({ name, place, wake: { column }, asleep }) =>
  statement(
    `put_asleep_${name}`,
    `UPDATE ${place.table} w SET ${column} = ${asleep.value} WHERE ${ofSandbox(place)} AND ${place.waits} AND ${asleep.from}`,
  ),
);

const awaken = (place: Waiting, { column, awake }: Wake, which: string): string =>
  `UPDATE ${place.table} w SET ${column} = ${awake} FROM account a
   WHERE ${place.waits} AND NOT w.live_mode AND a.id = w.account_id AND a.clock_held_at IS NULL AND ${which}`;

/** Behind the release of the clock, what falls due has an instant in real time again; the account is `$1`. */
const wakeUp: readonly Statement[] = waking.map(({ name, place, wake }) =>
  statement(`wake_up_${name}`, awaken(place, wake, `${ofSandbox(place)} AND ${wake.woken ?? 'true'}`)),
);

/**
 * What a transaction wrote while the clock was held and committed after it was released has no instant in real time, and
 * nothing would ever wake it.
 */
const rewakes = sleepers.map(({ name, place, wake, asleep: { is, counted } }) => ({
  counted,
  rewakeAll: acrossAccounts(`rewake_${name}`, `${awaken(place, wake, is)} RETURNING 1`),
}));

/** Wakes what an advance that ended left asleep; answers how much. */
export async function rewake(pool: pg.Pool): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { counted, rewakeAll } of rewakes) counts[counted] = (await run(pool, rewakeAll, [])).length;
  return counts;
}

const releaseClock = statement(
  'release_test_clock',
  `UPDATE account SET sandbox_offset_seconds = clock_target - :real::bigint, clock_held_at = NULL, clock_target = NULL, clock_moved_at = NULL
   WHERE id = :accountId AND clock_held_at = clock_target RETURNING 1`,
);

/** Every case of the account that waits for its clock looks again. */
const tellCases = statement(
  'tell_cases_of_account',
  `INSERT INTO outbox (kind, key, account_id, live_mode)
   SELECT kind, key, $1, false FROM (${waitingPlaces
     .filter(([, place]) => place.looksAfterAdvance === true)
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
