import type pg from 'pg';
import { type AlarmTools, alarmEvery } from '../kernel/alarms.ts';
import { codeOf } from '../kernel/errors.ts';
import { HOUR, SECOND_MS } from '../kernel/time.ts';
import { run, statement } from './statement.ts';
import { type Watch, watch } from './watch.ts';

const DISK_FULL = '53100';

/** Near the most that a page holds. */
const PAGE_CHARACTERS = 8_000;

const writeProof = statement(
  'write_proof',
  `WITH former AS (DELETE FROM write_proof) INSERT INTO write_proof (page) VALUES (repeat(' ', ${PAGE_CHARACTERS}))`,
);

/** Whether a fault says that the disk of PostgreSQL is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && (codeOf(error) === DISK_FULL || isDiskFull(error.cause));

/** Writes a page: what PostgreSQL reads from memory says nothing of what it still takes. */
export async function proveWrite(pool: pg.Pool): Promise<void> {
  await run(pool, writeProof, {});
}

/** Goes on proving that PostgreSQL takes what is written, and raises the alarm each hour in which its disk is full. */
export function watchWrites({ pool, ...tools }: AlarmTools & { readonly pool: pg.Pool }): Watch {
  const alarm = alarmEvery(HOUR * SECOND_MS, tools, 'disk_full');
  return watch(async () => {
    const fault = await proveWrite(pool).catch((error: unknown) => error);
    if (isDiskFull(fault)) alarm({ message: 'the disk of PostgreSQL is full: nothing can be sold' });
  });
}
