import type pg from 'pg';
import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import { type AccountClock, REAL_CLOCK } from '../kernel/time.ts';

/** A row of an account with the clock of its mode. */
export interface ScopeRow extends AccountClock {
  readonly accountId: string;
  readonly liveMode: boolean;
}

/** The columns that make a row a `ScopeRow`, of a table under the alias `row` joined with `account a`. */
export const scopeColumns = (row: string): string =>
  `${row}.account_id AS "accountId", ${row}.live_mode AS "liveMode",
   CASE WHEN ${row}.live_mode THEN 0 ELSE a.sandbox_offset_seconds END AS "aheadSeconds",
   CASE WHEN NOT ${row}.live_mode THEN a.clock_held_at END AS "heldAt"`;

export const scopeOf = ({ accountId, liveMode, aheadSeconds, heldAt }: ScopeRow): Scope => ({
  accountId,
  liveMode,
  clock: { aheadSeconds, heldAt },
});

const readClockStatement = statement(
  'read_account_clock',
  `SELECT sandbox_offset_seconds AS "aheadSeconds", clock_held_at AS "heldAt" FROM account WHERE id = $1`,
);

/** The clock of an account's mode at this moment: another process may have moved it since it was last read. */
export async function readClock(
  pool: pg.Pool,
  { accountId, liveMode }: { accountId: string; liveMode: boolean },
): Promise<AccountClock> {
  if (liveMode) return REAL_CLOCK;
  const [clock] = await run<AccountClock & Record<string, unknown>>(pool, readClockStatement, [accountId]);
  if (clock === undefined) throw new Error(`no such account: ${accountId}`);
  return clock;
}

/** The same scope with its clock as it stands now: a call to an acquirer may have outlasted an advance. */
export async function refreshed(pool: pg.Pool, scope: Scope): Promise<Scope> {
  return { ...scope, clock: await readClock(pool, scope) };
}
