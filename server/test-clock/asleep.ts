import type pg from 'pg';
import { run } from '../db/database.ts';
import { type Statement, statement } from '../db/statement.ts';
import { ofSandbox, places, type Waiting, type Wake } from '../waiting.ts';

/** The places in which something wakes, and those of them that an advance puts asleep. */
const waking = places.flatMap(([name, place]) =>
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
export const wakeUp: readonly Statement[] = waking.map(({ name, place, wake }) =>
  statement(`wake_up_${name}`, awaken(place, wake, `${ofSandbox(place)} AND ${wake.woken ?? 'true'}`)),
);

/**
 * What a transaction wrote while the clock was held and committed after it was released has no instant in real time, and
 * nothing would ever wake it.
 */
const rewakes = sleepers.map(({ name, place, wake, asleep: { is, counted } }) => ({
  counted,
  rewakeAll: statement(`rewake_${name}`, `${awaken(place, wake, is)} RETURNING 1`),
}));

/** Wakes what an advance that ended left asleep; answers how much. */
export async function rewake(pool: pg.Pool): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { counted, rewakeAll } of rewakes) counts[counted] = (await run(pool, rewakeAll, [])).length;
  return counts;
}
