import type { Role } from '../../contract/roles.ts';
import type { AuditAction, LoggedTx, Origin } from '../audit-log/audit-log.ts';
import type { Shown } from '../audit-log/redaction.ts';
import { acrossAccounts, type Connection, run, statement } from '../db/statement.ts';

/** A person, with what they sign in with. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | null;
  readonly totpSecret: Buffer | null;
  readonly hasTotp: boolean;
}

/** As people are found by it; mailboxes that differ by case alone are not met in practice. */
export const foldEmail = (email: string): string => email.trim().toLowerCase();

const COLUMNS = `p.id, p.email, p.name, p.password_hash AS "passwordHash", p.totp_secret AS "totpSecret",
  p.totp_since IS NOT NULL AS "hasTotp"`;

const findByEmail = statement<Person>('find_staff_by_email', `SELECT ${COLUMNS} FROM staff p WHERE p.email = :email`);
const findById = statement<Person>('find_staff', `SELECT ${COLUMNS} FROM staff p WHERE p.id = :id`);
const lockById = statement<Person>('lock_staff', `SELECT ${COLUMNS} FROM staff p WHERE p.id = :id FOR UPDATE`);
const findBySubject = statement<Person>(
  'find_staff_by_subject',
  `SELECT ${COLUMNS} FROM staff p WHERE p.oidc_subject = :subject`,
);
const insertPerson = statement(
  'insert_staff',
  'INSERT INTO staff (id, email, name) VALUES (:id, :email, :name) ON CONFLICT (email) DO NOTHING',
);
const storePassword = statement(
  'store_staff_password',
  'UPDATE staff SET name = :name, password_hash = :passwordHash WHERE id = :id',
);
const storeSubject = statement<{ id: string }>(
  'store_staff_subject',
  'UPDATE staff SET oidc_subject = :subject WHERE id = :id AND oidc_subject IS NULL RETURNING id',
);
const storeTotp = statement(
  'store_staff_totp',
  'UPDATE staff SET totp_secret = :secret, totp_since = NULL, totp_step = NULL WHERE id = :id',
);
const takeStep = statement<{ id: string }>(
  'take_staff_totp_step',
  `UPDATE staff SET totp_step = :step, totp_since = coalesce(totp_since, now())
   WHERE id = :id AND totp_secret IS NOT NULL AND coalesce(totp_step, 0) < :step RETURNING id`,
);
const forgetSignIn = statement(
  'forget_staff_sign_in',
  'UPDATE staff SET password_hash = NULL, totp_secret = NULL, totp_since = NULL, totp_step = NULL WHERE id = :id',
);
const forgetPasskeys = statement('forget_staff_passkeys', 'DELETE FROM staff_passkey WHERE staff_id = :id');
const accountsOf = acrossAccounts<{ accountId: string; role: Role }>(
  'find_accounts_of_staff',
  `SELECT m.account_id AS "accountId", m.role FROM staff_member m WHERE m.staff_id = :staffId ORDER BY m.created_at, m.account_id`,
);

const one = async (found: Promise<Person[]>): Promise<Person | null> => (await found)[0] ?? null;

export const personOfEmail = (pool: Connection, email: string): Promise<Person | null> =>
  one(run(pool, findByEmail, { email: foldEmail(email) }));

export const personOf = (pool: Connection, id: string): Promise<Person | null> => one(run(pool, findById, { id }));

/** A person whom nobody else changes until the transaction ends. */
export const lockPerson = (pool: Connection, id: string): Promise<Person | null> => one(run(pool, lockById, { id }));

export const personOfSubject = (pool: Connection, subject: string): Promise<Person | null> =>
  one(run(pool, findBySubject, { subject }));

/** The person of an address, who is made with this id where nobody has it. */
export async function ensurePerson(pool: Connection, wanted: Pick<Person, 'id' | 'email' | 'name'>): Promise<Person> {
  const { id, email, name } = wanted;
  await run(pool, insertPerson, { id, email: foldEmail(email), name });
  const person = await personOfEmail(pool, email);
  if (person === null) throw new Error('a person was made and is not there');
  return person;
}

export async function setPassword(
  pool: Connection,
  stored: { id: string; name: string; passwordHash: string },
): Promise<void> {
  await run(pool, storePassword, stored);
}

/** Binds a person to who an identity provider says it is, once; answers whether that was done. */
export const setSubject = async (pool: Connection, of: { id: string; subject: string }): Promise<boolean> =>
  (await run(pool, storeSubject, of)).length > 0;

/** Stores the secret of an app, which counts once a code of it has come; null: none. */
export async function setTotp(pool: Connection, of: { id: string; secret: Buffer | null }): Promise<void> {
  await run(pool, storeTotp, of);
}

/** Takes the step of a code, and with it the app; of two at once one does. */
export const takeTotpStep = async (pool: Connection, of: { id: string; step: number }): Promise<boolean> =>
  (await run(pool, takeStep, of)).length > 0;

/** Takes from a person all that they sign in with, before a link sets it anew. */
export async function clearSignIn(pool: Connection, id: string): Promise<void> {
  await run(pool, forgetSignIn, { id });
  await run(pool, forgetPasskeys, { id });
}

/** The accounts of a person, the first joined first. */
export const accountsOfPerson = (pool: Connection, staffId: string): Promise<{ accountId: string; role: Role }[]> =>
  run(pool, accountsOf, { staffId });

/** As the log names a person. */
export const originOfPerson = (
  { id, name }: Pick<Person, 'id' | 'name'>,
  from: { readonly address: string | null; readonly requestId: string },
): Origin => ({ actor: { kind: 'staff', id, user: name }, host: null, ...from });

/** Says something of a person in the log of each of their accounts. */
export async function logOfPerson(
  tx: LoggedTx,
  person: Pick<Person, 'id'>,
  { action, after, before = null }: { action: AuditAction; after: Shown | null; before?: Shown | null },
): Promise<void> {
  for (const { accountId: account } of await accountsOfPerson(tx.pool, person.id)) {
    await tx.log({ action, account, liveMode: null, object: person.id, before, after });
  }
}
