import type pg from 'pg';
import { run, statement } from '../db/statement.ts';
import type { Tx } from '../db/tx.ts';
import type { AccountLook } from '../kernel/account.ts';

/** The look of the account `a`, as one column. */
export const ACCOUNT_LOOK = `json_build_object('name', a.name, 'taxId', a.tax_id, 'supportEmail', a.support_email,
  'supportPhone', a.support_phone, 'color', a.color,
  'logoDigest', (SELECT l.digest FROM account_logo l WHERE l.account_id = a.id),
  'logoSize', (SELECT json_build_object('width', l.width, 'height', l.height) FROM account_logo l WHERE l.account_id = a.id)) AS look`;

const findLook = statement<{ look: AccountLook }>(
  'read_account_look',
  `SELECT ${ACCOUNT_LOOK} FROM account a WHERE a.id = :accountId`,
);

/** What buyers see of an account. */
export const readLook = async (pool: pg.Pool, accountId: string): Promise<AccountLook> =>
  theOnly(await run(pool, findLook, { accountId }));

/** The same for what a transaction writes to a buyer. */
export const lookIn = (tx: Tx): Promise<AccountLook> =>
  tx.once('look', async () => theOnly(await tx.query(findLook, {})));

function theOnly([row]: readonly { look: AccountLook }[]): AccountLook {
  if (row === undefined) throw new Error('the account is gone');
  return row.look;
}
