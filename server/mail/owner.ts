import { mine, statement } from '../db/statement.ts';
import type { Tx } from '../unit-of-work/tx.ts';

/** Who owns an account, and is written to about it. */
export interface AccountOwner {
  readonly name: string;
  readonly email: string;
}

const findOwner = statement<AccountOwner>(
  'find_owner',
  `SELECT look.name, a.email FROM account a JOIN account_look look ON look.account_id = a.id WHERE ${mine('look')}`,
);

export async function readOwner(tx: Tx): Promise<AccountOwner> {
  const [owner] = await tx.query(findOwner, {});
  if (owner === undefined) throw new Error('the account is gone');
  return owner;
}
