import type pg from 'pg';
import type { Member } from '../../contract/members.ts';
import type { Role } from '../../contract/roles.ts';
import { type Changer, changeLogged, type LoggedTx } from '../audit-log/audit-log.ts';
import { run, statement, unixSeconds } from '../db/statement.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import { accountsOfPerson, foldEmail, type Person } from './people.ts';
import { makeToken, newToken, tokenHash } from './tokens.ts';

/** How long a link is good (docs/product/dashboard.md#people). */
export const LINK_SECONDS = DAY;
/** People and open invitations of an account. */
const MEMBERS_MAX = 100;

interface MemberRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly created: Timestamp;
  readonly seenAt: Timestamp | null;
  readonly isSetUp: boolean;
  readonly signsInBy: NonNullable<Member['signs_in_by']>;
  readonly expiresAt: Timestamp | null;
}

const listMembersOf = statement<MemberRow>(
  'list_staff_members',
  `SELECT p.id, p.email, p.name, m.role, ${unixSeconds('m.created_at')} AS created, true AS "isSetUp", ${unixSeconds('p.seen_at')} AS "seenAt",
     array_remove(ARRAY[CASE WHEN p.password_hash IS NOT NULL THEN 'password' END, CASE WHEN p.totp_since IS NOT NULL THEN 'totp' END,
       CASE WHEN EXISTS (SELECT FROM staff_passkey k WHERE k.staff_id = p.id) THEN 'passkey' END,
       CASE WHEN p.oidc_subject IS NOT NULL THEN 'provider' END], NULL) AS "signsInBy", NULL::bigint AS "expiresAt"
   FROM staff_member m JOIN staff p ON p.id = m.staff_id WHERE m.account_id = :accountId
   UNION ALL
   SELECT i.id, i.email, '', i.role, ${unixSeconds('i.created_at')}, false, NULL, '{}', ${unixSeconds('i.expires_at')}
   FROM staff_invitation i WHERE i.account_id = :accountId
   ORDER BY "isSetUp" DESC, created, id`,
);
/** Whoever changes people of an account waits for the others here: of two that end the last owner one does. */
const lockAccount = statement<{ id: string }>(
  'lock_account_staff',
  'SELECT a.id FROM account a WHERE a.id = :accountId FOR NO KEY UPDATE',
);
const insertInvitation = statement(
  'insert_staff_invitation',
  `INSERT INTO staff_invitation (id, account_id, email, role, token_hash, expires_at)
   VALUES (:id, :accountId, :email, :role, :hash, now() + make_interval(secs => :seconds))
   ON CONFLICT (account_id, email) DO UPDATE SET role = excluded.role, token_hash = excluded.token_hash,
     created_at = now(), expires_at = excluded.expires_at`,
);
const readInvitation = statement<{ id: string }>(
  'read_staff_invitation',
  'SELECT i.id FROM staff_invitation i WHERE i.account_id = :accountId AND i.email = :email',
);
const changeInvitation = statement<{ email: string }>(
  'change_staff_invitation',
  'UPDATE staff_invitation SET role = :role WHERE account_id = :accountId AND id = :id RETURNING email',
);
const renewInvitation = statement<{ email: string }>(
  'renew_staff_invitation',
  `UPDATE staff_invitation SET token_hash = :hash, expires_at = now() + make_interval(secs => :seconds)
   WHERE account_id = :accountId AND id = :id RETURNING email`,
);
const deleteInvitation = statement<{ email: string }>(
  'delete_staff_invitation',
  'DELETE FROM staff_invitation WHERE account_id = :accountId AND id = :id RETURNING email',
);
const changeMember = statement(
  'change_staff_member',
  'UPDATE staff_member SET role = :role WHERE account_id = :accountId AND staff_id = :id',
);
const deleteMember = statement(
  'delete_staff_member',
  'DELETE FROM staff_member WHERE account_id = :accountId AND staff_id = :id',
);

const isOfPerson = (id: string): boolean => id.startsWith('staff_');

/** The people of an account and behind them those who are invited, the first first. */
export const listMembers = async (pool: pg.Pool | pg.ClientBase, accountId: string): Promise<Member[]> =>
  (await run(pool, listMembersOf, { accountId })).map(({ seenAt, isSetUp, signsInBy, expiresAt, ...member }) => ({
    ...member,
    last_seen_at: seenAt,
    is_set_up: isSetUp,
    signs_in_by: signsInBy,
    expires_at: expiresAt,
  }));

async function lockMembers({ pool }: LoggedTx, accountId: string): Promise<Member[]> {
  const [account] = await run(pool, lockAccount, { accountId });
  if (account === undefined) throw missing('account', accountId);
  return listMembers(pool, accountId);
}

async function lockMember(tx: LoggedTx, { accountId, id }: { accountId: string; id: string }): Promise<Member> {
  const member = (await lockMembers(tx, accountId)).find((one) => one.id === id);
  if (member === undefined) throw missing('person of the account', id);
  return member;
}

const isOwner = ({ role, is_set_up: isSetUp }: Member): boolean => role === 'owner' && isSetUp;

function refuseLastOwner(members: readonly Member[], id: string): void {
  const owners = members.filter(isOwner);
  if (owners.length > 1 || owners[0]?.id !== id) return;
  throw new BillingError('INVALID_STATE', {
    message: `${id} is the last owner of the account: make another one first`,
  });
}

interface Invitation {
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
}

/** Invites somebody to an account; the token of the link is shown here and never again. Another invitation takes its place. */
export const invite = (changer: Changer, wanted: Invitation): Promise<{ member: Member; token: string }> =>
  changeLogged(changer, async (tx) => {
    const { accountId, role } = wanted;
    const email = foldEmail(wanted.email);
    const members = await lockMembers(tx, accountId);
    const known = members.find((member) => member.email === email);
    if (known?.is_set_up === true) {
      const message = `${email} is a person of the account already: change the role of ${known.id}`;
      throw new BillingError('INVALID_STATE', { message, param: 'email' });
    }
    if (known === undefined && members.length >= MEMBERS_MAX) {
      throw new BillingError('INVALID_STATE', {
        message: `An account has at most ${MEMBERS_MAX} people and invitations`,
      });
    }
    const token = newToken();
    const stored = { id: newId('inv'), accountId, email, role, hash: tokenHash(token), seconds: LINK_SECONDS };
    await run(tx.pool, insertInvitation, stored);
    const [invitation] = await run(tx.pool, readInvitation, { accountId, email });
    const member = (await listMembers(tx.pool, accountId)).find(({ id }) => id === invitation?.id);
    if (member === undefined) throw new Error('an invitation was stored and is not there');
    await logMember(tx, 'staff.invited', { accountId, object: member.id, before: null, after: { email, role } });
    return { member, token };
  });

type MemberAction = 'staff.invited' | 'staff.role_changed' | 'staff.removed' | 'staff.link_made';

interface Told {
  readonly accountId: string;
  readonly object: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

const logMember = (tx: LoggedTx, action: MemberAction, { accountId: account, ...told }: Told): Promise<void> =>
  tx.log({ action, account, liveMode: null, ...told });

/** Gives a person, or an invitation, another role; the last owner stays one. */
export const changeRole = (
  changer: Changer,
  { accountId, id, role }: { accountId: string; id: string; role: Role },
): Promise<Member> =>
  changeLogged(changer, async (tx) => {
    const before = await lockMember(tx, { accountId, id });
    if (role !== 'owner') refuseLastOwner(await listMembers(tx.pool, accountId), id);
    await run(tx.pool, isOfPerson(id) ? changeMember : changeInvitation, { accountId, id, role });
    const told = { accountId, object: id, before: { role: before.role }, after: { role } };
    await logMember(tx, 'staff.role_changed', told);
    return { ...before, role };
  });

/** Takes a person, or an invitation, from an account: in every process within a second. The last owner stays. */
export const removeMember = (changer: Changer, { accountId, id }: { accountId: string; id: string }): Promise<void> =>
  changeLogged(changer, async (tx) => {
    const { email, role } = await lockMember(tx, { accountId, id });
    refuseLastOwner(await listMembers(tx.pool, accountId), id);
    await run(tx.pool, isOfPerson(id) ? deleteMember : deleteInvitation, { accountId, id });
    await logMember(tx, 'staff.removed', { accountId, object: id, before: { email, role }, after: null });
  });

/**
 * Makes another link: of an invitation, or one by which a person sets up anew how they sign in. Whoever works in other accounts
 * too is set up anew by an operator alone: the owner of one account must not come into another by the link.
 */
export const makeLink = (
  changer: Changer,
  { accountId, id }: { accountId: string; id: string },
): Promise<{ member: Member; token: string }> =>
  changeLogged(changer, async (tx) => {
    const member = await lockMember(tx, { accountId, id });
    const token = isOfPerson(id) ? await resetLink(tx, { accountId, id }) : await renewedLink(tx, { accountId, id });
    await logMember(tx, 'staff.link_made', {
      accountId,
      object: id,
      before: null,
      after: { hours: LINK_SECONDS / 3_600 },
    });
    return { member, token };
  });

async function renewedLink({ pool }: LoggedTx, of: { accountId: string; id: string }): Promise<string> {
  const token = newToken();
  await run(pool, renewInvitation, { ...of, hash: tokenHash(token), seconds: LINK_SECONDS });
  return token;
}

async function resetLink({ pool }: LoggedTx, { accountId, id }: { accountId: string; id: string }): Promise<string> {
  const others = (await accountsOfPerson(pool, id)).filter((one) => one.accountId !== accountId);
  if (others.length > 0) {
    const message = `${id} works in other accounts too: whoever runs the service makes the link`;
    throw new BillingError('INVALID_STATE', { message });
  }
  return makeToken(pool, { kind: 'reset', staffId: id, seconds: LINK_SECONDS });
}

/** An operator's link for a person to set up anew how they sign in, whatever accounts they work in. */
export const resetPerson = (changer: Changer, person: Pick<Person, 'id'>): Promise<string> =>
  changeLogged(changer, async (tx) => {
    const token = await makeToken(tx.pool, { kind: 'reset', staffId: person.id, seconds: LINK_SECONDS });
    for (const { accountId } of await accountsOfPerson(tx.pool, person.id)) {
      const after = { hours: LINK_SECONDS / 3_600 };
      await logMember(tx, 'staff.link_made', { accountId, object: person.id, before: null, after });
    }
    return token;
  });
