import type pg from 'pg';
import { run, statement } from '../db/statement.ts';
import type { AccountTerms } from '../kernel/account.ts';
import { type AccountClock, REAL_CLOCK, realTimeMs } from '../kernel/time.ts';
import type { Scope } from '../unit-of-work/tx.ts';

/** A row of an account with the clock of its mode. */
export interface ClockRow extends AccountClock {
  readonly accountId: string;
  readonly liveMode: boolean;
}

/** The columns that make a row a `ClockRow`, of a table under the alias `row` joined with `account a`. */
export const clockColumns = (row: string): string =>
  `${row}.account_id AS "accountId", ${row}.live_mode AS "liveMode",
   CASE WHEN ${row}.live_mode THEN 0 ELSE a.sandbox_offset_seconds END AS "aheadSeconds",
   CASE WHEN NOT ${row}.live_mode THEN a.clock_held_at END AS "heldAt"`;

export const clockOf = ({ aheadSeconds, heldAt }: AccountClock): { clock: AccountClock } => ({
  clock: { aheadSeconds, heldAt, readAtMs: realTimeMs() },
});

/** A row that brings all that a scope knows of its account. */
export interface ScopeRow extends ClockRow {
  readonly account: AccountTerms;
}

/** The terms of the account `a` in a mode, as one column; SQL of the caller's names both. */
export const accountTerms = (of: {
  accountId: string;
  liveMode: string;
}): string => `(SELECT json_build_object('name', look.name, 'city', a.city, 'pixValiditySeconds', a.pix_validity_seconds,
    'overdueDays', days.overdue_days, 'suspendDays', days.suspend_days, 'cancelDays', days.cancel_days, 'retryDays', days.retry_days, 'reminderDays', days.reminder_days, 'penaltyOnUnpaid', days.penalty_on_unpaid, 'portalCancel', days.portal_cancel, 'lateFees', days.late_fees)
  FROM account_look look JOIN collection_settings days ON days.account_id = look.account_id AND days.live_mode = look.live_mode
  WHERE look.account_id = ${of.accountId} AND look.live_mode = ${of.liveMode}) AS account`;

/** The columns that make a row a `ScopeRow`, of a table under the alias `row` joined with `account a`. */
export const scopeColumns = (row: string): string =>
  `${clockColumns(row)}, ${accountTerms({ accountId: `${row}.account_id`, liveMode: `${row}.live_mode` })}`;

export const scopeOf = ({ accountId, liveMode, account, ...clock }: ScopeRow): Scope => ({
  accountId,
  liveMode,
  account,
  ...clockOf(clock),
});

type Known = Pick<ScopeRow, 'account'> & AccountClock;

const readAccount = statement<Known>(
  'read_account_of_scope',
  `SELECT sandbox_offset_seconds AS "aheadSeconds", clock_held_at AS "heldAt", ${accountTerms({ accountId: ':accountId', liveMode: ':liveMode' })} FROM account a WHERE a.id = :accountId`,
);

/** The scope of an account's mode as it stands at this moment: another process may have moved its clock since it was last read. */
export async function readScope(
  pool: pg.Pool,
  { accountId, liveMode }: { accountId: string; liveMode: boolean },
): Promise<Scope> {
  const [known] = await run(pool, readAccount, { accountId, liveMode });
  if (known === undefined) throw new Error(`no such account: ${accountId}`);
  const scope = scopeOf({ accountId, liveMode, ...known });
  return liveMode ? { ...scope, clock: REAL_CLOCK } : scope;
}
