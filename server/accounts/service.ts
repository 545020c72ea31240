import type { MikroORM } from '@mikro-orm/postgresql';
import { CustomerCreate } from '../../contract/customers.ts';
import { text } from '../../contract/texts.ts';
import { type AuditAction, type Changer, changeLogged, differences, type LoggedTx } from '../audit-log/audit-log.ts';
import { run, statement } from '../db/statement.ts';
import { BillingError, type Violation } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { clip, snakeCase } from '../kernel/text.ts';
import { HOUR, realTime, type Timestamp } from '../kernel/time.ts';
import { type IssuedKey, issueKey } from './api-keys.ts';
import { type Account, type AccountLimits, AccountSchema } from './entity.ts';
import { FIRST_KEY } from './key-changes.ts';

/** City shown in the BR Code when the merchant names none (docs/product/pix.md#br-code). */
const CITY_DEFAULT = 'SAO PAULO';

const TEXT_MAX = 255;
const SHOWN_MAX = 80;

const plainText = text({ max: TEXT_MAX }).regex(/^\P{Cc}*$/u, 'must not contain control characters');

/** As the API takes them from its callers; the BR Code shortens name and city further. */
const profileRules = {
  name: plainText,
  email: CustomerCreate.shape.email,
  city: plainText,
};

type ProfileField = keyof typeof profileRules;

/** What was given, its texts as they are stored; all that is wrong with them comes in one refusal. */
function checkProfile<T extends { readonly [Field in ProfileField]?: string | undefined }>(given: T): T {
  const stored: Partial<Record<ProfileField, string>> = {};
  const violations: Violation[] = [];
  for (const param of ['name', 'email', 'city'] as const) {
    const value = given[param];
    if (value === undefined) continue;
    const { data, error } = profileRules[param].safeParse(value);
    if (data !== undefined) stored[param] = data;
    const broken = error?.issues[0]?.message;
    if (broken === undefined) continue;
    const message = `${param} ${broken}, got ${JSON.stringify(clip(value, SHOWN_MAX))}`;
    violations.push({ param, code: 'PARAMETER_INVALID', message });
  }
  const [first] = violations;
  if (first === undefined) return { ...given, ...stored };
  const param = first.param === null ? {} : { param: first.param };
  throw new BillingError('PARAMETER_INVALID', { message: first.message, ...param, violations });
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
  `INSERT INTO account (id, email, city, created, sandbox_offset_seconds, pix_validity_seconds)
   VALUES (:id, :email, :city, :created, :offset, :pixValiditySeconds)`,
);

const insertLook = statement(
  'insert_account_look',
  `INSERT INTO account_look (id, account_id, live_mode, created, name) VALUES (:accountId, :accountId, :liveMode, :created, :name)`,
);

const insertCollectionSettings = statement(
  'insert_collection_settings',
  `INSERT INTO collection_settings (id, account_id, live_mode, created) VALUES (:accountId, :accountId, :liveMode, :created)`,
);

/** The settings of an account that are of both modes, as operators and the log are shown them. */
export const shownSettings = (account: Account) => ({
  email: account.email,
  city: account.city,
  pix_validity_seconds: account.pixValiditySeconds,
  limits: account.limits,
  refund_limit: account.refundLimit,
});

/** Creates an account with one full key in each mode; the keys are shown here and never again. */
export async function createAccount(
  changer: Changer,
  account: NewAccount,
): Promise<{ id: string; sandbox_key: string; live_key: string }> {
  const { name, email, city = CITY_DEFAULT, clock } = checkProfile(account);
  const id = newId('acct');
  const created = realTime();
  const offset = clock === undefined ? 0 : clock - created;
  const row = { id, email, city, created, offset, pixValiditySeconds: 24 * HOUR };
  return changeLogged(changer, async (tx) => {
    await run(tx.pool, insertAccount, row);
    for (const liveMode of [true, false]) {
      await run(tx.pool, insertLook, { accountId: id, liveMode, created, name });
      await run(tx.pool, insertCollectionSettings, { accountId: id, liveMode, created });
    }
    const after = { name, email, city, ...(clock === undefined ? {} : { sandbox_clock: clock }) };
    await tx.log({ action: 'account.created', account: id, liveMode: null, object: id, before: null, after });
    const [sandbox, live] = [await firstKey(tx, id, false), await firstKey(tx, id, true)];
    return { id, sandbox_key: sandbox.key, live_key: live.key };
  });
}

const firstKey = (tx: LoggedTx, accountId: string, liveMode: boolean): Promise<IssuedKey> =>
  issueKey(tx, { accountId, liveMode, ...FIRST_KEY, bucket: null });

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
  readonly email?: string;
  readonly city?: string;
  readonly pixValiditySeconds?: number;
}

/** Changes settings, which are of both modes. */
export async function updateAccount(changer: Changer, id: string, settings: AccountSettings): Promise<Account> {
  const checked = checkProfile(settings);
  return change(changer, { id, action: 'account.updated' }, (tx, account) => store(tx, { ...account, ...checked }));
}

/** Null: back to the default. */
export type LimitChanges = { readonly [Name in keyof AccountLimits]: number | null };

/** Replaces the limits named; the others keep. */
export function setLimits(changer: Changer, id: string, changes: LimitChanges): Promise<Account> {
  return change(changer, { id, action: 'account.limits_changed' }, async (tx, account) => {
    const limits = Object.entries({ ...account.limits, ...changes }).filter(([, max]) => max !== null);
    await store(tx, { ...account, limits: Object.fromEntries(limits) });
  });
}

const storeRefundLimit = statement(
  'store_account_refund_limit',
  'UPDATE account SET refund_limit = :cents WHERE id = :accountId',
);

/** Changes how much of one payment people of the dashboard give back without a fresh login, in cents. */
export const setRefundLimit = (
  changer: Changer,
  { accountId, cents }: { accountId: string; cents: number },
): Promise<void> =>
  changeLogged(changer, async (tx) => {
    const { refundLimit } = await lockSettings(tx, accountId);
    await run(tx.pool, storeRefundLimit, { accountId, cents });
    const told = { object: accountId, before: { refund_limit: refundLimit }, after: { refund_limit: cents } };
    await tx.log({ action: 'staff.refund_limit_changed', account: accountId, liveMode: null, ...told });
  });

// An entity schema declares exactly the columns of its rows, under their names in the code.
const columns = Object.keys(AccountSchema.meta.properties)
  .map((name) => `a.${snakeCase(name)} AS "${name}"`)
  .join(', ');

const lockAccount = statement<Account>(
  'lock_account_settings',
  `SELECT ${columns} FROM account a WHERE a.id = :id FOR NO KEY UPDATE`,
);

const storeAccount = statement(
  'store_account_settings',
  `UPDATE account SET email = :email, city = :city, pix_validity_seconds = :pixValiditySeconds,
     limits = :limits::jsonb WHERE id = :id`,
);

async function store(tx: LoggedTx, account: Account): Promise<void> {
  const { id, email, city, pixValiditySeconds } = account;
  const settings = { id, email, city, pixValiditySeconds };
  await run(tx.pool, storeAccount, { ...settings, limits: JSON.stringify(account.limits) });
}

/** The settings of an account, which nobody else changes until the transaction ends. */
export async function lockSettings({ pool }: LoggedTx, id: string): Promise<Account> {
  const [account] = await run(pool, lockAccount, { id });
  if (account === undefined) throw new BillingError('RESOURCE_MISSING', { message: `No such account: ${id}` });
  return account;
}

/** Changes an account behind its lock, and says in the log what of it is another. */
const change = (
  changer: Changer,
  { id, action }: { id: string; action: AuditAction },
  apply: (tx: LoggedTx, account: Account) => Promise<void>,
): Promise<Account> =>
  changeLogged(changer, async (tx) => {
    const before = await lockSettings(tx, id);
    await apply(tx, before);
    const after = await lockSettings(tx, id);
    const differing = differences(shownSettings(before), shownSettings(after));
    await tx.log({ action, account: id, liveMode: null, object: id, ...differing });
    return after;
  });
