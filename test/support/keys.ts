import type { KeyScope } from '../../server/accounts/api-keys.ts';
import { rollAllKeys } from '../../server/accounts/key-changes.ts';
import type { Changer } from '../../server/audit-log/audit-log.ts';

/** A new key in the place of all of a scope, as `admin key roll acct_…` makes it. */
export async function rollKey(
  changer: Changer,
  whose: { accountId: string; liveMode: boolean; scope: KeyScope; hours: number },
): Promise<string> {
  return (await rollAllKeys(changer, whose)).key;
}
