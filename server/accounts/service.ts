import type { MikroORM } from '@mikro-orm/postgresql';
import type { Database } from '../db/database.ts';
import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { BillingError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { HOUR, realTime } from '../kernel/time.ts';
import { type Account, type AccountLimits, AccountSchema } from './entity.ts';
import { apiKeyHash, apiKeyHint, newApiKey } from './keys.ts';

/** City shown in the BR Code when the merchant names none (decisions §1). */
export const CITY_DEFAULT = 'SAO PAULO';

const insertKey = statement(
  'insert_api_key',
  `INSERT INTO api_key (id, account_id, live_mode, key_hash, hint, scope) VALUES ($1, $2, $3, $4, $5, $6)`,
);

async function issueKey(
  database: Database,
  key: { accountId: string; liveMode: boolean; scope: 'full' | 'read' },
): Promise<string> {
  const secret = newApiKey(key.liveMode);
  await run(database.pool, insertKey, [
    newId('key'),
    key.accountId,
    key.liveMode,
    apiKeyHash(secret),
    apiKeyHint(secret),
    key.scope,
  ]);
  return secret;
}

export interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly city?: string | undefined;
}

/** Creates an account with one full key in each mode; the keys are shown here and never again. */
export async function createAccount(
  database: Database,
  account: NewAccount,
): Promise<{ id: string; sandbox_key: string; live_key: string }> {
  const id = newId('acct');
  const em = database.orm.em.fork();
  em.create(AccountSchema, {
    id,
    name: account.name,
    email: account.email,
    city: account.city ?? CITY_DEFAULT,
    created: realTime(),
    pixValiditySeconds: 24 * HOUR,
    limits: {},
  });
  await em.flush();
  const sandboxKey = await issueKey(database, { accountId: id, liveMode: false, scope: 'full' });
  const liveKey = await issueKey(database, { accountId: id, liveMode: true, scope: 'full' });
  return { id, sandbox_key: sandboxKey, live_key: liveKey };
}

export async function findAccount(orm: MikroORM, id: string): Promise<Account> {
  const account = await orm.em.fork().findOne(AccountSchema, { id });
  if (account === null) throw new BillingError('RESOURCE_MISSING', { message: `No such account: ${id}` });
  return account;
}

/** All accounts, oldest first. */
export function listAccounts(orm: MikroORM): Promise<Account[]> {
  return orm.em.fork().find(AccountSchema, {}, { orderBy: { id: 'asc' } });
}

export interface AccountSettings {
  readonly name?: string;
  readonly email?: string;
  readonly city?: string;
  readonly pixValiditySeconds?: number;
}

export async function updateAccount(orm: MikroORM, id: string, settings: AccountSettings): Promise<Account> {
  return change(orm, id, (account) => Object.assign(account, settings));
}

/** Replaces the limits named; the others keep. */
export async function setLimits(orm: MikroORM, id: string, limits: AccountLimits): Promise<Account> {
  return change(orm, id, (account) => {
    account.limits = { ...account.limits, ...limits };
  });
}

async function change(orm: MikroORM, id: string, apply: (account: Account) => void): Promise<Account> {
  const em = orm.em.fork();
  const account = await em.findOne(AccountSchema, { id });
  if (account === null) throw new BillingError('RESOURCE_MISSING', { message: `No such account: ${id}` });
  apply(account);
  await em.flush();
  return account;
}

/** Hours a rolled key may stay valid (decisions §2, Keys). */
export const ROLL_HOURS = [0, 1, 24, 168] as const;

const expireKeys = statement(
  'expire_api_keys',
  `UPDATE api_key SET expires_at = now() + make_interval(hours => $4)
   WHERE account_id = $1 AND live_mode = $2 AND id <> ALL ($3::text[]) AND (expires_at IS NULL OR expires_at > now() + make_interval(hours => $4))`,
);

/** Issues a new key and lets those before it run out after `hours`. */
export async function rollKey(
  database: Database,
  key: { accountId: string; liveMode: boolean; scope: 'full' | 'read'; hours: number },
): Promise<string> {
  await findAccount(database.orm, key.accountId);
  await run(database.pool, expireKeys, [key.accountId, key.liveMode, [], key.hours]);
  return issueKey(database, key);
}

interface AccountRow {
  name: string;
  city: string;
  pix_validity_seconds: number;
  sandbox_offset_seconds: number;
}

const readSettings = statement(
  'read_account_settings',
  `SELECT name, city, pix_validity_seconds, sandbox_offset_seconds FROM account WHERE id = $1`,
);

/** What the money side needs to know of an account. */
export async function accountSettings(pool: Database['pool'], id: string): Promise<AccountRow> {
  const [row] = await run<AccountRow & Record<string, unknown>>(pool, readSettings, [id]);
  if (row === undefined) throw new Error(`no such account: ${id}`);
  return row;
}
