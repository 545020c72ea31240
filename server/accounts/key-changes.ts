import { KEYS_MAX } from '../../contract/api-keys.ts';
import { type Changer, changeLogged, differences, type LoggedTx } from '../audit-log/audit-log.ts';
import { mine, statement } from '../db/statement.ts';
import { BillingError } from '../kernel/errors.ts';
import { realTime, type Timestamp } from '../kernel/time.ts';
import {
  type ApiKey,
  findKey,
  type IssuedKey,
  issueKey,
  type KeyOwner,
  type KeyScope,
  type KeysTx,
  type KeyTerms,
  keyIn,
  lockKeys,
  logKey,
  type NewKey,
  shownTerms,
  validKeysIn,
} from './api-keys.ts';

const replaceKey = statement(
  'replace_api_key',
  `UPDATE api_key k SET replaced_by = coalesce(k.replaced_by, :by),
     expires_at = least(k.expires_at, clock_timestamp() + make_interval(hours => :hours))
   WHERE ${mine('k')} AND k.id = :id`,
);
const endKey = statement(
  'revoke_api_key',
  `UPDATE api_key k SET expires_at = clock_timestamp(), revoked_at = clock_timestamp() WHERE ${mine('k')} AND k.id = :id`,
);
const changeKey = statement(
  'change_api_key',
  `UPDATE api_key k SET name = :name, networks = :networks::text[]::cidr[] WHERE ${mine('k')} AND k.id = :id`,
);

const modeName = ({ liveMode }: KeyOwner): string => (liveMode ? 'live mode' : 'the sandbox');

const invalidState = (message: string): BillingError => new BillingError('INVALID_STATE', { message });

async function refuseTooMany(tx: KeysTx, owner: KeyOwner): Promise<void> {
  const { length } = await validKeysIn(tx, owner);
  if (length <= KEYS_MAX) return;
  throw invalidState(
    `${owner.accountId} would have ${length} valid keys in ${modeName(owner)}, at most ${KEYS_MAX}: revoke one first`,
  );
}

/** A new key beside those that the account has. This and the changes below are made behind `lockKeys`. */
export async function addKey(tx: KeysTx, wanted: NewKey): Promise<IssuedKey> {
  const issued = await issueKey(tx, wanted);
  await refuseTooMany(tx, wanted);
  return issued;
}

/** The successor of a key lives as long as that was to live, and goes on with its count of requests: a roll doubles no limit. */
const successorOf = ({ accountId, liveMode, name, scope, networks, reads, ...former }: ApiKey): NewKey => {
  const { expiresAt, created, id, bucket, replacedBy } = former;
  const lifetime = expiresAt === null || replacedBy !== null ? null : Math.max(1, expiresAt - created);
  return {
    accountId,
    liveMode,
    name,
    scope,
    networks,
    reads,
    expiresAt: lifetime === null ? null : realTime() + lifetime,
    bucket: bucket ?? id,
  };
};

const sooner = (one: Timestamp | null, other: Timestamp | null): Timestamp | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

async function replace(tx: KeysTx, former: readonly ApiKey[], options: { by: ApiKey; hours: number }): Promise<void> {
  const { by, hours } = options;
  const shownEnd = ({ expiresAt, replacedBy }: ApiKey) => ({ expires_at: expiresAt, replaced_by: replacedBy });
  for (const key of former) {
    const { id, accountId, liveMode } = key;
    await tx.query(replaceKey, { id, accountId, liveMode, by: by.id, hours });
    await logKey(tx, 'api_key.rolled', key, differences(shownEnd(key), shownEnd(await keyIn(tx, key, id))));
  }
}

/**
 * Puts a new key of the same name, scope and networks in the place of a key, which runs out after `hours`; the new one ends no
 * later than `until`.
 */
export async function succeedKey(
  tx: KeysTx,
  former: ApiKey,
  { hours, until = null }: { hours: number; until?: Timestamp | null },
): Promise<IssuedKey> {
  const { id, replacedBy, isOver } = former;
  if (replacedBy !== null) throw invalidState(`${id} was rolled already: ${replacedBy} is in its place`);
  if (isOver) throw invalidState(`${id} is not valid any more: create another key`);
  const successor = successorOf(former);
  const issued = await issueKey(tx, { ...successor, expiresAt: sooner(successor.expiresAt, until) }, [id]);
  await replace(tx, [former], { by: issued, hours });
  await refuseTooMany(tx, former);
  return issued;
}

/** Ends a key at once; the last full one of its account and mode only where `evenLast` says so. */
export async function endKeyNow(tx: KeysTx, key: ApiKey, { evenLast }: { evenLast: boolean }): Promise<ApiKey> {
  const { id, accountId, liveMode, scope } = key;
  if (key.revokedAt !== null) throw invalidState(`${id} was revoked already`);
  if (key.isOver) throw invalidState(`${id} is not valid any more: it ran out`);
  const isLast = !(await validKeysIn(tx, key)).some((other) => other.scope === 'full' && other.id !== id);
  if (scope === 'full' && isLast && !evenLast) throw lastKey(key);
  await tx.query(endKey, { id, accountId, liveMode });
  const after = await keyIn(tx, key, id);
  const shownEnd = ({ expiresAt, revokedAt }: ApiKey) => ({ expires_at: expiresAt, revoked_at: revokedAt });
  await logKey(tx, 'api_key.revoked', key, differences(shownEnd(key), shownEnd(after)));
  return after;
}

const lastKey = (key: ApiKey): BillingError =>
  invalidState(
    `${key.id} is the last valid full key of ${key.accountId} in ${modeName(key)}: without it the merchant can change nothing. ` +
      'Create another one first',
  );

export interface KeyChanges {
  readonly name?: string | undefined;
  readonly networks?: readonly string[] | undefined;
}

/** Changes what was named; the others keep. */
export async function changeKeyTerms(tx: KeysTx, key: ApiKey, { name, networks }: KeyChanges): Promise<ApiKey> {
  const { id, accountId, liveMode } = key;
  const wanted = { name: name ?? key.name, networks: networks ?? key.networks };
  await tx.query(changeKey, { id, accountId, liveMode, ...wanted });
  const after = await keyIn(tx, key, id);
  await logKey(tx, 'api_key.updated', key, differences(shownTerms(key), shownTerms(after)));
  return after;
}

/** What an operator does with a key as it stands behind the lock of its account. */
const withKey = <T>(changer: Changer, id: string, work: (tx: LoggedTx, key: ApiKey) => Promise<T>): Promise<T> =>
  changeLogged(changer, async (tx) => {
    const key = await findKey(tx.pool, id);
    await lockKeys(tx, key);
    return work(tx, await keyIn(tx, key, id));
  });

export const createKey = (changer: Changer, wanted: KeyTerms & KeyOwner): Promise<IssuedKey> =>
  changeLogged(changer, async (tx) => {
    await lockKeys(tx, wanted);
    return addKey(tx, { ...wanted, bucket: null });
  });

export const rollKey = (changer: Changer, { keyId, hours }: { keyId: string; hours: number }): Promise<IssuedKey> =>
  withKey(changer, keyId, (tx, key) => succeedKey(tx, key, { hours }));

export const revokeKey = (
  changer: Changer,
  { keyId, evenLast }: { keyId: string; evenLast: boolean },
): Promise<ApiKey> => withKey(changer, keyId, (tx, key) => endKeyNow(tx, key, { evenLast }));

export const setKey = (changer: Changer, { keyId, ...changes }: KeyChanges & { keyId: string }): Promise<ApiKey> =>
  withKey(changer, keyId, (tx, key) => changeKeyTerms(tx, key, changes));

/** What each mode of an account begins with. */
export const FIRST_KEY: KeyTerms = { name: 'default', scope: 'full', networks: [], expiresAt: null, reads: 'latest' };

/** Of several keys the one that lasts, and of those the newest. */
const newestOf = (keys: readonly ApiKey[]): ApiKey | undefined =>
  keys.findLast(({ expiresAt }) => expiresAt === null) ?? keys.at(-1);

/** One new key in the place of all of a mode and scope; a full key outlives the roll of those that read. */
export const rollAllKeys = (
  changer: Changer,
  { accountId, liveMode, scope, hours }: KeyOwner & { readonly scope: KeyScope; readonly hours: number },
): Promise<IssuedKey> =>
  changeLogged(changer, async (tx) => {
    await lockKeys(tx, { accountId });
    const former = (await validKeysIn(tx, { accountId, liveMode })).filter((key) => key.scope === scope);
    const newest = newestOf(former);
    const first = { ...FIRST_KEY, accountId, liveMode, scope, bucket: null };
    const wanted = newest === undefined ? first : successorOf(newest);
    const issued = await issueKey(
      tx,
      wanted,
      former.map(({ id }) => id),
    );
    await replace(tx, former, { by: issued, hours });
    await refuseTooMany(tx, { accountId, liveMode });
    return issued;
  });
