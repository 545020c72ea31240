import type pg from 'pg';
import {
  type AuditAction,
  type Changer,
  changeLogged,
  differences,
  type LoggedChange,
  type LoggedTx,
} from '../audit-log/audit-log.ts';
import { mine, run, statement } from '../db/statement.ts';
import { BillingError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { realTime, type Timestamp } from '../kernel/time.ts';
import { apiKeyHash, apiKeyHint, newApiKey } from './keys.ts';

export type KeyScope = 'full' | 'read';

/** What an operator decides of a key. */
export interface KeyTerms {
  readonly name: string;
  readonly scope: KeyScope;
  /** Where it may be used from, as CIDRs; none: anywhere. */
  readonly networks: readonly string[];
  /** Null: it has no end. */
  readonly expiresAt: Timestamp | null;
}

interface Owner {
  readonly accountId: string;
  readonly liveMode: boolean;
}

/** A key as it stands, without the key itself, which is stored nowhere. */
export interface ApiKey extends KeyTerms, Owner {
  readonly id: string;
  /** The end of the key. */
  readonly hint: string;
  readonly created: Timestamp;
  readonly revokedAt: Timestamp | null;
  /** The key that a roll put in its place. */
  readonly replacedBy: string | null;
  /** Known to about a minute. */
  readonly lastUsedAt: Timestamp | null;
  /** The key whose count of requests it goes on with. */
  readonly bucket: string | null;
  /** Expired or revoked. */
  readonly isOver: boolean;
}

export interface IssuedKey extends ApiKey {
  /** Shown here and never again. */
  readonly key: string;
}

/** Valid keys of an account in one mode. */
export const KEYS_MAX = 20;

/** Hours a rolled key may stay valid (docs/product/requests.md#api-keys). */
export const ROLL_HOURS = [0, 1, 24, 168] as const;

const seconds = (instant: string): string => `floor(extract(epoch FROM ${instant}))::bigint`;

const COLUMNS = `k.id, k.account_id AS "accountId", k.live_mode AS "liveMode", k.name, k.scope,
  k.networks::text[] AS networks, k.hint, ${seconds('k.created_at')} AS created, ${seconds('k.expires_at')} AS "expiresAt",
  ${seconds('k.revoked_at')} AS "revokedAt", k.replaced_by AS "replacedBy", k.bucket,
  (SELECT ${seconds('u.used_at')} FROM api_key_use u WHERE u.key_id = k.id) AS "lastUsedAt",
  coalesce(k.expires_at <= clock_timestamp(), false) AS "isOver"`;

const readKey = statement<ApiKey>('admin_read_api_key', `SELECT ${COLUMNS} FROM api_key k WHERE k.id = :id`);
const readKeys = statement<ApiKey>(
  'admin_read_api_keys',
  `SELECT ${COLUMNS} FROM api_key k WHERE k.account_id = :accountId ORDER BY k.live_mode, k.created_at, k.id`,
);
/** Whoever changes keys of an account waits for the others here: two rolls of one key at once make one new key. */
const lockAccount = statement<{ id: string }>(
  'lock_account_keys',
  'SELECT a.id FROM account a WHERE a.id = :accountId FOR NO KEY UPDATE',
);
const insertKey = statement(
  'insert_api_key',
  `INSERT INTO api_key (id, account_id, live_mode, key_hash, hint, scope, name, networks, expires_at, bucket, created_at)
   VALUES (:id, :accountId, :liveMode, :keyHash, :hint, :scope, :name, :networks::text[]::cidr[], to_timestamp(:expiresAt::float8), :bucket, clock_timestamp())`,
);
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

const modeName = ({ liveMode }: Owner): string => (liveMode ? 'live mode' : 'the sandbox');

const invalidState = (message: string): BillingError => new BillingError('INVALID_STATE', { message });

export async function findKey(pool: pg.Pool | pg.ClientBase, id: string): Promise<ApiKey> {
  const [key] = await run(pool, readKey, { id });
  if (key === undefined) throw new BillingError('RESOURCE_MISSING', { message: `No such key: ${id}` });
  return key;
}

/** All keys that an account ever had, the oldest of each mode first. */
export const listKeys = (pool: pg.Pool | pg.ClientBase, accountId: string): Promise<ApiKey[]> =>
  run(pool, readKeys, { accountId });

async function lock({ pool }: LoggedTx, accountId: string): Promise<void> {
  const [account] = await run(pool, lockAccount, { accountId });
  if (account === undefined) throw new BillingError('RESOURCE_MISSING', { message: `No such account: ${accountId}` });
}

/** The key as it stands behind the lock of its account. */
async function lockKey(tx: LoggedTx, id: string): Promise<ApiKey> {
  const { accountId } = await findKey(tx.pool, id);
  await lock(tx, accountId);
  return findKey(tx.pool, id);
}

async function validKeys({ pool }: LoggedTx, { accountId, liveMode }: Owner): Promise<ApiKey[]> {
  return (await listKeys(pool, accountId)).filter((key) => key.liveMode === liveMode && !key.isOver);
}

/** What each mode of an account begins with. */
export const FIRST_KEY: KeyTerms = { name: 'default', scope: 'full', networks: [], expiresAt: null };

interface NewKey extends KeyTerms, Owner {
  readonly bucket: string | null;
  readonly replaces: readonly string[];
}

const shownTerms = ({ name, scope, networks, expiresAt }: KeyTerms) => ({
  name,
  scope,
  networks,
  expires_at: expiresAt,
});

type Told = Pick<LoggedChange, 'before' | 'after'>;

const logKey = (tx: LoggedTx, action: AuditAction, { id, accountId, liveMode }: ApiKey, told: Told): Promise<void> =>
  tx.log({ action, account: accountId, liveMode, object: id, ...told });

/** Makes the key and its entry in the log. */
export async function issueKey(tx: LoggedTx, wanted: NewKey): Promise<IssuedKey> {
  const { replaces, ...stored } = wanted;
  const id = newId('key');
  const key = newApiKey(wanted.liveMode);
  const hint = apiKeyHint(key);
  await run(tx.pool, insertKey, { ...stored, id, hint, keyHash: apiKeyHash(key) });
  const made = await findKey(tx.pool, id);
  await logKey(tx, 'api_key.created', made, { before: null, after: { ...shownTerms(wanted), hint, replaces } });
  return { ...made, key };
}

async function refuseTooMany(tx: LoggedTx, owner: Owner): Promise<void> {
  const { length } = await validKeys(tx, owner);
  if (length <= KEYS_MAX) return;
  throw invalidState(
    `${owner.accountId} would have ${length} valid keys in ${modeName(owner)}, at most ${KEYS_MAX}: revoke one first`,
  );
}

/** A new key beside those that the account has. */
export const createKey = (changer: Changer, wanted: KeyTerms & Owner): Promise<IssuedKey> =>
  changeLogged(changer, async (tx) => {
    await lock(tx, wanted.accountId);
    const issued = await issueKey(tx, { ...wanted, bucket: null, replaces: [] });
    await refuseTooMany(tx, wanted);
    return issued;
  });

/** The successor of a key lives as long as that was to live, and goes on with its count of requests: a roll doubles no limit. */
const successorOf = ({ accountId, liveMode, name, scope, networks, ...former }: ApiKey): Omit<NewKey, 'replaces'> => {
  const { expiresAt, created, id, bucket, replacedBy } = former;
  const lifetime = expiresAt === null || replacedBy !== null ? null : Math.max(1, expiresAt - created);
  return {
    accountId,
    liveMode,
    name,
    scope,
    networks,
    expiresAt: lifetime === null ? null : realTime() + lifetime,
    bucket: bucket ?? id,
  };
};

async function replace(tx: LoggedTx, former: readonly ApiKey[], options: { by: ApiKey; hours: number }): Promise<void> {
  const { by, hours } = options;
  const shownEnd = ({ expiresAt, replacedBy }: ApiKey) => ({ expires_at: expiresAt, replaced_by: replacedBy });
  for (const key of former) {
    const { id, accountId, liveMode } = key;
    await run(tx.pool, replaceKey, { id, accountId, liveMode, by: by.id, hours });
    await logKey(tx, 'api_key.rolled', key, differences(shownEnd(key), shownEnd(await findKey(tx.pool, id))));
  }
}

/** Puts a new key of the same name, scope and networks in the place of a key, which runs out after `hours`. */
export const rollKey = (changer: Changer, { keyId, hours }: { keyId: string; hours: number }): Promise<IssuedKey> =>
  changeLogged(changer, async (tx) => {
    const former = await lockKey(tx, keyId);
    if (former.replacedBy !== null)
      throw invalidState(`${keyId} was rolled already: ${former.replacedBy} is in its place`);
    if (former.isOver) throw invalidState(`${keyId} is not valid any more: create another key`);
    const issued = await issueKey(tx, { ...successorOf(former), replaces: [keyId] });
    await replace(tx, [former], { by: issued, hours });
    await refuseTooMany(tx, former);
    return issued;
  });

/** Of several keys the one that lasts, and of those the newest. */
const newestOf = (keys: readonly ApiKey[]): ApiKey | undefined =>
  keys.findLast(({ expiresAt }) => expiresAt === null) ?? keys.at(-1);

/** One new key in the place of all of a mode and scope; a full key outlives the roll of those that read. */
export const rollAllKeys = (
  changer: Changer,
  { accountId, liveMode, scope, hours }: Owner & { readonly scope: KeyScope; readonly hours: number },
): Promise<IssuedKey> =>
  changeLogged(changer, async (tx) => {
    await lock(tx, accountId);
    const former = (await validKeys(tx, { accountId, liveMode })).filter((key) => key.scope === scope);
    const newest = newestOf(former);
    const first = { ...FIRST_KEY, accountId, liveMode, scope, bucket: null };
    const wanted = newest === undefined ? first : successorOf(newest);
    const issued = await issueKey(tx, { ...wanted, replaces: former.map(({ id }) => id) });
    await replace(tx, former, { by: issued, hours });
    await refuseTooMany(tx, { accountId, liveMode });
    return issued;
  });

/** Ends a key at once; the last full one of its account and mode only where `evenLast` says so. */
export const revokeKey = (
  changer: Changer,
  { keyId, evenLast }: { keyId: string; evenLast: boolean },
): Promise<ApiKey> =>
  changeLogged(changer, async (tx) => {
    const key = await lockKey(tx, keyId);
    const { accountId, liveMode, scope } = key;
    if (key.revokedAt !== null) throw invalidState(`${keyId} was revoked already`);
    if (key.isOver) throw invalidState(`${keyId} is not valid any more: it ran out`);
    const isLast = !(await validKeys(tx, key)).some((other) => other.scope === 'full' && other.id !== keyId);
    if (scope === 'full' && isLast && !evenLast) throw lastKey(key);
    await run(tx.pool, endKey, { id: keyId, accountId, liveMode });
    const after = await findKey(tx.pool, keyId);
    const shownEnd = ({ expiresAt, revokedAt }: ApiKey) => ({ expires_at: expiresAt, revoked_at: revokedAt });
    await logKey(tx, 'api_key.revoked', key, differences(shownEnd(key), shownEnd(after)));
    return after;
  });

const lastKey = (key: ApiKey): BillingError =>
  invalidState(
    `${key.id} is the last valid full key of ${key.accountId} in ${modeName(key)}: without it the merchant can change nothing. ` +
      'Create another one first, or repeat with --yes',
  );

/** Changes what was named; the others keep. */
export const setKey = (
  changer: Changer,
  { keyId, name, networks }: { keyId: string; name?: string | undefined; networks?: readonly string[] | undefined },
): Promise<ApiKey> =>
  changeLogged(changer, async (tx) => {
    const key = await lockKey(tx, keyId);
    const { accountId, liveMode } = key;
    const wanted = { name: name ?? key.name, networks: networks ?? key.networks };
    await run(tx.pool, changeKey, { id: keyId, accountId, liveMode, ...wanted });
    const after = await findKey(tx.pool, keyId);
    await logKey(tx, 'api_key.updated', key, differences(shownTerms(key), shownTerms(after)));
    return after;
  });
