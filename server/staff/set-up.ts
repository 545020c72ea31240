import type { Role } from '../../contract/roles.ts';
import { changeLogged, type LoggedTx } from '../audit-log/audit-log.ts';
import { acrossAccounts, type Connection, run, statement } from '../db/statement.ts';
import { BillingError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { checkPassword, hashPassword } from './passwords.ts';
import {
  accountsOfPerson,
  clearSignIn,
  ensurePerson,
  lockPerson,
  logOfPerson,
  originOfPerson,
  type Person,
  personOf,
  personOfEmail,
  setPassword,
} from './people.ts';
import { endSessions } from './sessions.ts';
import { countNamelessTry, type StaffDeps, type Visitor } from './sign-in.ts';
import { endTokens, lookAtToken, takeToken, tokenHash } from './tokens.ts';

interface Invitation {
  readonly id: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly email: string;
  readonly role: Role;
}

const COLUMNS = `i.id, i.account_id AS "accountId", i.email, i.role, coalesce((SELECT l.name FROM account_look l
  WHERE l.account_id = i.account_id ORDER BY l.live_mode DESC LIMIT 1), '') AS "accountName"`;

/** The link says itself whose it is. */
const findInvitation = acrossAccounts<Invitation>(
  'find_staff_invitation',
  `SELECT ${COLUMNS} FROM staff_invitation i WHERE i.token_hash = :hash AND i.expires_at > now()`,
);
const findInvitations = acrossAccounts<Invitation>(
  'find_staff_invitations_of_email',
  `SELECT ${COLUMNS} FROM staff_invitation i WHERE i.email = :email AND i.expires_at > now()`,
);
const takeInvitation = acrossAccounts<{ id: string }>(
  'take_staff_invitation',
  'DELETE FROM staff_invitation i WHERE i.id = :id AND i.expires_at > now() RETURNING i.id',
);
const insertMember = statement(
  'insert_staff_member',
  `INSERT INTO staff_member (account_id, staff_id, role) VALUES (:accountId, :staffId, :role)
   ON CONFLICT (account_id, staff_id) DO NOTHING`,
);

/** What whoever follows a link has to do. */
export interface LinkLook {
  readonly email: string;
  readonly name: string;
  /** Null: the link is of no account. */
  readonly accountName: string | null;
  /** A password to be set; the person's own sign-in first; nothing more; or the identity provider. */
  readonly needs: 'password' | 'sign_in' | 'accept' | 'oidc';
}

const invalid = (): BillingError =>
  new BillingError('SETUP_LINK_INVALID', {
    message: 'The link was used, has run out, or was never made: ask for another one',
  });

const invitationOf = async (pool: Connection, token: string): Promise<Invitation | null> =>
  (await run(pool, findInvitation, { hash: tokenHash(token) }))[0] ?? null;

/** Says what a link is for; `staffId` is who is signed in. */
export async function lookAtLink(
  deps: StaffDeps,
  visitor: Visitor,
  { token, staffId, isOidcOnly }: { token: string; staffId: string | null; isOidcOnly: boolean },
): Promise<LinkLook> {
  await countNamelessTry(deps, visitor);
  const invitation = await invitationOf(deps.pool, token);
  if (invitation !== null) {
    const person = await personOfEmail(deps.pool, invitation.email);
    const needs = needsOf(person, { staffId, isOidcOnly });
    return { email: invitation.email, name: person?.name ?? '', accountName: invitation.accountName, needs };
  }
  const reset = await lookAtToken(deps.pool, 'reset', token);
  const person = reset?.staffId == null ? null : await personOf(deps.pool, reset.staffId);
  if (person === null) throw invalid();
  return { email: person.email, name: person.name, accountName: null, needs: isOidcOnly ? 'oidc' : 'password' };
}

function needsOf(
  person: Person | null,
  { staffId, isOidcOnly }: { staffId: string | null; isOidcOnly: boolean },
): LinkLook['needs'] {
  if (isOidcOnly) return 'oidc';
  if (person === null) return 'password';
  return person.id === staffId ? 'accept' : 'sign_in';
}

interface Chosen {
  readonly token: string;
  readonly name: string;
  readonly password: string;
}

/** Takes an invitation for somebody who is signed in as the one who was invited. */
export async function acceptInvitation(
  deps: StaffDeps,
  visitor: Visitor,
  { token, person }: { token: string; person: Pick<Person, 'id' | 'name' | 'email'> },
): Promise<void> {
  await countNamelessTry(deps, visitor);
  const invitation = await invitationOf(deps.pool, token);
  if (invitation === null || invitation.email !== person.email) throw invalid();
  await changeLogged({ pool: deps.pool, origin: originOfPerson(person, visitor) }, (tx) =>
    join(tx, invitation, person),
  );
}

/** Takes every invitation of an address that an identity provider vouches for. */
export async function acceptAllInvitations(
  deps: StaffDeps,
  visitor: Visitor,
  { email, name }: { email: string; name: string },
): Promise<void> {
  for (const invitation of await run(deps.pool, findInvitations, { email })) {
    const person = await ensurePerson(deps.pool, { id: newId('staff'), email, name });
    await changeLogged({ pool: deps.pool, origin: originOfPerson(person, visitor) }, (tx) =>
      join(tx, invitation, person),
    );
  }
}

/** Of two who follow a link at once one joins. */
async function join(tx: LoggedTx, invitation: Invitation, person: Pick<Person, 'id'>): Promise<void> {
  const { id, accountId, role } = invitation;
  const [taken] = await run(tx.pool, takeInvitation, { id });
  if (taken === undefined) throw invalid();
  await run(tx.pool, insertMember, { accountId, staffId: person.id, role });
  // Whoever had a link to set the person up anew was to come into the former accounts alone.
  await endTokens(tx.pool, person.id);
  const after = { role, invitation: id };
  await tx.log({ action: 'staff.joined', account: accountId, liveMode: null, object: person.id, before: null, after });
}

/** Follows a link for somebody who sets a name and a password; answers who that is. */
export async function setUp(deps: StaffDeps, visitor: Visitor, { token, name, password }: Chosen): Promise<Person> {
  await countNamelessTry(deps, visitor);
  const invitation = await invitationOf(deps.pool, token);
  const known =
    invitation === null ? await personOfReset(deps, token) : await personOfEmail(deps.pool, invitation.email);
  const email = invitation?.email ?? known?.email;
  // Whoever has a sign-in already shows that, not the link alone.
  if (email === undefined || (invitation !== null && known !== null)) throw invalid();
  checkPassword(password, { email, name });
  const passwordHash = await hashPassword(password);
  const id = known?.id ?? newId('staff');
  return changeLogged({ pool: deps.pool, origin: originOfPerson({ id, name }, visitor) }, async (tx) => {
    if (invitation !== null) {
      const person = await newPerson(tx, { id, email, name });
      await setPassword(tx.pool, { id: person.id, name, passwordHash });
      await join(tx, invitation, person);
      return { ...person, name, passwordHash };
    }
    return setUpAnew(tx, { token, name, passwordHash });
  });
}

async function personOfReset({ pool }: StaffDeps, token: string): Promise<Person | null> {
  const reset = await lookAtToken(pool, 'reset', token);
  return reset?.staffId == null ? null : personOf(pool, reset.staffId);
}

/** Nobody else may have become the person of the address meanwhile. */
async function newPerson({ pool }: LoggedTx, of: { id: string; email: string; name: string }): Promise<Person> {
  const person = await ensurePerson(pool, of);
  if (person.id !== of.id) throw invalid();
  return person;
}

async function setUpAnew(
  tx: LoggedTx,
  { token, name, passwordHash }: { token: string; name: string; passwordHash: string },
): Promise<Person> {
  const used = await takeToken(tx.pool, 'reset', token);
  const person = used?.staffId == null ? null : await lockPerson(tx.pool, used.staffId);
  if (person === null || (await accountsOfPerson(tx.pool, person.id)).length === 0) throw invalid();
  await clearSignIn(tx.pool, person.id);
  await setPassword(tx.pool, { id: person.id, name, passwordHash });
  await endSessions(tx.pool, person.id);
  await endTokens(tx.pool, person.id);
  await logOfPerson(tx, person, { action: 'staff.sign_in_changed', after: { by: 'link' } });
  return { ...person, name, passwordHash, hasTotp: false };
}
