import type { MikroORM } from '@mikro-orm/postgresql';
import { CustomerCreate } from '../../contract/customers.ts';
import { text } from '../../contract/kernel.ts';
import { type Database, run } from '../db/database.ts';
import { combine, mine, statement, type Write, writeOf } from '../db/statement.ts';
import type { CollectionDays } from '../kernel/collection-days.ts';
import { BillingError, type Violation } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { HOUR, realTime, type Timestamp } from '../kernel/time.ts';
import { checkCollectionDays } from './collection.ts';
import { type Account, type AccountLimits, AccountSchema, COLLECTION_DEFAULTS } from './entity.ts';
import { apiKeyHash, apiKeyHint, newApiKey } from './keys.ts';

/** City shown in the BR Code when the merchant names none (docs/product/pix.md#br-code). */
export const CITY_DEFAULT = 'SAO PAULO';

const insertKey = statement(
  'insert_api_key',
  `INSERT INTO api_key (id, account_id, live_mode, key_hash, hint, scope)
   VALUES (:id, :accountId, :liveMode, :keyHash, :hint, :scope)`,
);

interface NewKey {
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly scope: 'full' | 'read';
}

/** A new key, and the row that stands for it: the key itself is stored nowhere. */
function issueKey({ accountId, liveMode, scope }: NewKey): { readonly key: string; readonly row: Write } {
  const key = newApiKey(liveMode);
  const stored = { keyHash: apiKeyHash(key), hint: apiKeyHint(key) };
  return { key, row: writeOf(insertKey, { id: newId('key'), accountId, liveMode, scope, ...stored }) };
}

/** The writes in one statement, and so in one transaction. */
async function write(database: Database, writes: readonly Write[]): Promise<void> {
  const { statement: together, values } = combine(writes);
  await run(database.pool, together, values);
}

const TEXT_MAX = 255;
const SHOWN_MAX = 80;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** As the API takes them from its callers; the BR Code shortens name and city further. */
const profileRules = {
  name: text({ max: TEXT_MAX }),
  email: CustomerCreate.shape.email,
  city: text({ max: TEXT_MAX }),
};

type ProfileField = keyof typeof profileRules;

/** What was given, its texts trimmed; all that is wrong with them comes in one refusal. */
function checkProfile<T extends { readonly [Field in ProfileField]?: string | undefined }>(given: T): T {
  const trimmed: Partial<Record<ProfileField, string>> = {};
  const violations: Violation[] = [];
  for (const param of ['name', 'email', 'city'] as const) {
    const value = given[param];
    if (value === undefined) continue;
    trimmed[param] = value.trim();
    const broken = brokenRule(param, value);
    if (broken === null) continue;
    const message = `${param} ${broken}, got ${JSON.stringify(value.slice(0, SHOWN_MAX))}`;
    violations.push({ param, code: 'PARAMETER_INVALID', message });
  }
  const [first] = violations;
  if (first === undefined) return { ...given, ...trimmed };
  const param = first.param === null ? {} : { param: first.param };
  throw new BillingError('PARAMETER_INVALID', { message: first.message, ...param, violations });
}

function brokenRule(field: ProfileField, value: string): string | null {
  const issue = profileRules[field].safeParse(value).error?.issues[0];
  if (issue !== undefined) return issue.code === 'invalid_format' ? 'must be an e-mail address' : issue.message;
  return CONTROL_CHARACTER.test(value.trim()) ? 'must not contain control characters' : null;
}

export interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly city?: string | undefined;
  /** The sandbox's first instant, past or future; real time when absent. */
  readonly clock?: Timestamp | undefined;
}

const insertAccount = statement(
  'insert_account',
  `INSERT INTO account (id, name, email, city, created, sandbox_offset_seconds, pix_validity_seconds, overdue_days,
     suspend_days, cancel_days, retry_days)
   VALUES (:id, :name, :email, :city, :created, :offset, :pixValiditySeconds, :overdueDays, :suspendDays, :cancelDays, :retryDays)`,
);

/** Creates an account with one full key in each mode; the keys are shown here and never again. */
export async function createAccount(
  database: Database,
  account: NewAccount,
): Promise<{ id: string; sandbox_key: string; live_key: string }> {
  const { name, email, city = CITY_DEFAULT, clock } = checkProfile(account);
  const id = newId('acct');
  const created = realTime();
  const offset = clock === undefined ? 0 : clock - created;
  const row = { id, name, email, city, created, offset, pixValiditySeconds: 24 * HOUR, ...COLLECTION_DEFAULTS };
  const sandbox = issueKey({ accountId: id, liveMode: false, scope: 'full' });
  const live = issueKey({ accountId: id, liveMode: true, scope: 'full' });
  await write(database, [writeOf(insertAccount, row), sandbox.row, live.row]);
  return { id, sandbox_key: sandbox.key, live_key: live.key };
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
  /** They hold for what is scheduled from then on. */
  readonly collection?: Partial<CollectionDays>;
}

export async function updateAccount(orm: MikroORM, id: string, settings: AccountSettings): Promise<Account> {
  const { collection = {}, ...checked } = checkProfile(settings);
  return change(orm, id, (account) => {
    const { overdueDays, suspendDays, cancelDays, retryDays } = account;
    const days = { overdueDays, suspendDays, cancelDays, retryDays, ...collection };
    if (Object.keys(collection).length > 0) checkCollectionDays(days);
    Object.assign(account, checked, days);
  });
}

/** Null: back to the default. */
export type LimitChanges = { readonly [Name in keyof AccountLimits]: number | null };

/** Replaces the limits named; the others keep. */
export async function setLimits(orm: MikroORM, id: string, changes: LimitChanges): Promise<Account> {
  return change(orm, id, (account) => {
    const limits = Object.entries({ ...account.limits, ...changes }).filter(([, max]) => max !== null);
    account.limits = Object.fromEntries(limits);
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

/** Hours a rolled key may stay valid (docs/product/requests.md#api-keys). */
export const ROLL_HOURS = [0, 1, 24, 168] as const;

const expireKeys = statement(
  'expire_api_keys',
  `UPDATE api_key k SET expires_at = now() + make_interval(hours => :hours)
   WHERE ${mine('k')} AND k.scope = :scope AND (k.expires_at IS NULL OR k.expires_at > now() + make_interval(hours => :hours))`,
);

/** Issues a new key and lets those of its mode and scope before it run out after `hours`; a full key outlives the roll of one that reads. */
export async function rollKey(database: Database, key: NewKey & { readonly hours: number }): Promise<string> {
  const { accountId, liveMode, scope, hours } = key;
  await findAccount(database.orm, accountId);
  const issued = issueKey(key);
  // The statement sees the keys as they stood before it: the new one keeps.
  await write(database, [writeOf(expireKeys, { accountId, liveMode, scope, hours }), issued.row]);
  return issued.key;
}
