import type pg from 'pg';
import { type AlarmTools, alarmEvery } from '../kernel/alarms.ts';
import { clockSkewMs, goBy, HOUR, SECOND_MS } from '../kernel/time.ts';
import { run, statement } from './statement.ts';
import { type Watch, watch } from './watch.ts';

/** From then on a machine's clock is an operator's concern. */
export const SKEW_MAX_MS = 2_000;

const readClock = statement<{ shownMs: number }>(
  'read_clock',
  'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS "shownMs"',
);

/** Has the process go by the clock of the database. */
export async function goByDatabase(client: pg.Pool | pg.ClientBase): Promise<void> {
  const askedMs = performance.now();
  const [row] = await run(client, readClock, {});
  if (row !== undefined) goBy({ ...row, askedMs, answeredMs: performance.now() });
}

/** Goes on reading the database's clock, and raises the alarm each hour in which the machine's is far from it. */
export function watchClock({ pool, ...tools }: AlarmTools & { readonly pool: pg.Pool }): Watch {
  const alarm = alarmEvery(HOUR * SECOND_MS, tools, 'clock_skewed');
  return watch(async () => {
    await goByDatabase(pool);
    if (Math.abs(clockSkewMs()) <= SKEW_MAX_MS) return;
    const message = "the clock of this machine differs from the database's, which the service goes by";
    alarm({ aheadSeconds: clockSkewMs() / SECOND_MS, message });
  });
}
