import type { AuditAction, LoggedChange } from '../audit-log/audit-log.ts';
import { type Connection, mine, readIn, run, type Statement, statement } from '../db/statement.ts';
import { type BillingError, missing } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Timestamp } from '../kernel/time.ts';
import { apiKeyHash, apiKeyHint, newApiKey } from './keys.ts';

export type KeyScope = 'full' | 'read';

/** How fresh the lists are that it asks for (docs/product/api-keys.md#lists-that-may-be-late). */
export type KeyReads = 'latest' | 'eventual';

/** What is decided of a key. */
export interface KeyTerms {
  readonly name: string;
  readonly scope: KeyScope;
  /** Where it may be used from, as CIDRs; none: anywhere. */
  readonly networks: readonly string[];
  /** Null: it has no end. */
  readonly expiresAt: Timestamp | null;
  readonly reads: KeyReads;
}

export interface KeyOwner {
  readonly accountId: string;
  readonly liveMode: boolean;
}

/** A key as it stands, without the key itself, which is stored nowhere. */
export interface ApiKey extends KeyTerms, KeyOwner {
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

export function statusOfKey({ isOver, revokedAt }: ApiKey): 'valid' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  return isOver ? 'expired' : 'valid';
}

/** The transaction in which keys are changed: that of an operator's command, or that of a request. */
export interface KeysTx {
  query<Row>(prepared: Statement<Row>, values: Readonly<Record<string, unknown>>): Promise<Row[]>;
  log(change: LoggedChange): Promise<void> | void;
}

const seconds = (instant: string): string => `floor(extract(epoch FROM ${instant}))::bigint`;

const COLUMNS = `k.id, k.account_id AS "accountId", k.live_mode AS "liveMode", k.name, k.scope,
  k.networks::text[] AS networks, k.hint, k.created, ${seconds('k.expires_at')} AS "expiresAt",
  ${seconds('k.revoked_at')} AS "revokedAt", k.replaced_by AS "replacedBy", k.bucket, k.reads,
  (SELECT ${seconds('u.used_at')} FROM api_key_use u WHERE u.key_id = k.id) AS "lastUsedAt",
  coalesce(k.expires_at <= clock_timestamp(), false) AS "isOver"`;

const readKey = statement<ApiKey>('read_api_key', `SELECT ${COLUMNS} FROM api_key k WHERE ${mine('k')} AND k.id = :id`);
const readSomeKeys = statement<ApiKey>(
  'read_api_keys',
  `SELECT ${COLUMNS} FROM api_key k WHERE ${mine('k')} AND k.id = ANY (:ids)`,
);
const readValidKeys = statement<ApiKey>(
  'read_valid_api_keys',
  `SELECT ${COLUMNS} FROM api_key k WHERE ${mine('k')} AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp()) ORDER BY k.id`,
);
const readAnyKey = statement<ApiKey>('admin_read_api_key', `SELECT ${COLUMNS} FROM api_key k WHERE k.id = :id`);
const readAllKeys = statement<ApiKey>(
  'admin_read_api_keys',
  `SELECT ${COLUMNS} FROM api_key k WHERE k.account_id = :accountId ORDER BY k.live_mode, k.id`,
);
/** Whoever changes keys of an account waits for the others here: two rolls of one key at once make one new key. */
const lockAccount = statement<{ id: string }>(
  'lock_account_keys',
  'SELECT a.id FROM account a WHERE a.id = :accountId FOR NO KEY UPDATE',
);
const insertKey = statement(
  'insert_api_key',
  `INSERT INTO api_key (id, account_id, live_mode, created, key_hash, hint, scope, name, networks, expires_at, bucket, reads)
   VALUES (:id, :accountId, :liveMode, ${seconds('clock_timestamp()')}, :keyHash, :hint, :scope, :name, :networks::text[]::cidr[],
     to_timestamp(:expiresAt::float8), :bucket, :reads)`,
);

const noSuchKey = (id: string): BillingError => missing('key', id);

/** A key of whatever account, as operators find it. */
export async function findKey(connection: Connection, id: string): Promise<ApiKey> {
  const [key] = await run(connection, readAnyKey, { id });
  if (key === undefined) throw noSuchKey(id);
  return key;
}

/** All keys that an account ever had, the oldest of each mode first. */
export const listKeys = (connection: Connection, accountId: string): Promise<ApiKey[]> =>
  run(connection, readAllKeys, { accountId });

/** The keys of some ids, in their order. */
export async function readKeys(
  pool: Parameters<typeof readIn>[0],
  owner: KeyOwner,
  ids: readonly string[],
): Promise<ApiKey[]> {
  const keys = new Map((await readIn(pool, owner, readSomeKeys, { ids })).map((key) => [key.id, key]));
  return ids.flatMap((id) => keys.get(id) ?? []);
}

/** Nobody else changes keys of the account until the transaction ends. */
export async function lockKeys(tx: KeysTx, { accountId }: Pick<KeyOwner, 'accountId'>): Promise<void> {
  const [account] = await tx.query(lockAccount, { accountId });
  if (account === undefined) throw missing('account', accountId);
}

/** A key as it stands; 404 where the account's mode has none. */
export async function keyIn(tx: KeysTx, { accountId, liveMode }: KeyOwner, id: string): Promise<ApiKey> {
  const [key] = await tx.query(readKey, { accountId, liveMode, id });
  if (key === undefined) throw noSuchKey(id);
  return key;
}

/** The oldest first. */
export const validKeysIn = (tx: KeysTx, { accountId, liveMode }: KeyOwner): Promise<ApiKey[]> =>
  tx.query(readValidKeys, { accountId, liveMode });

export interface NewKey extends KeyTerms, KeyOwner {
  readonly bucket: string | null;
}

/** What the log shows of the terms of a key. */
export const shownTerms = ({ name, scope, networks, expiresAt, reads }: KeyTerms) => ({
  name,
  scope,
  networks,
  expires_at: expiresAt,
  reads,
});

type Told = Pick<LoggedChange, 'before' | 'after'>;

export const logKey = (tx: KeysTx, action: AuditAction, { id, accountId, liveMode }: ApiKey, told: Told) =>
  tx.log({ action, account: accountId, liveMode, object: id, ...told });

/** Makes the key, in the place of others if there are any, and its entry in the log. */
export async function issueKey(tx: KeysTx, wanted: NewKey, replaces: readonly string[] = []): Promise<IssuedKey> {
  const id = newId('key');
  const key = newApiKey(wanted.liveMode);
  const hint = apiKeyHint(key);
  await tx.query(insertKey, { ...wanted, id, hint, keyHash: apiKeyHash(key) });
  const made = await keyIn(tx, wanted, id);
  await logKey(tx, 'api_key.created', made, { before: null, after: { ...shownTerms(wanted), hint, replaces } });
  return { ...made, key };
}
