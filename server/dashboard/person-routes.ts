import type { Request } from 'express';
import QRCode from 'qrcode';
import type { dashboardContract, Session } from '../../contract/dashboard.ts';
import { changeLogged } from '../audit-log/audit-log.ts';
import type { Connection } from '../db/statement.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { judgePasskey, listPasskeys, registrationOptions, removePasskey, storePasskey } from '../staff/passkeys.ts';
import { checkPassword, hashPassword } from '../staff/passwords.ts';
import { logOfPerson, originOfPerson, type Person, personOf, setPassword, setTotp } from '../staff/people.ts';
import { endSession, endSessions, listOpenSessions } from '../staff/sessions.ts';
import { isCode, newTotp } from '../staff/sign-in.ts';
import { requireFresh, requireSession, sessionMissing } from './authorize.ts';
import { visitorOf } from './guard.ts';
import type { DashboardHandlers } from './handlers.ts';
import { type DashboardDeps, sessionNow } from './session-routes.ts';

async function freshPerson(deps: DashboardDeps, request: Request): Promise<Person> {
  const session = await requireSession(deps, request);
  await requireFresh(deps, request, session);
  const person = await personOf(deps.pool, session.staffId);
  if (person === null) throw sessionMissing();
  return person;
}

/**
 * Changes what a person signs in with, and says so in the logs of their accounts, in one transaction; answers the session as it
 * stands then. Who works in no account any more has no log.
 */
async function changeSignIn(
  deps: DashboardDeps,
  request: Request,
  { person, what, change }: { person: Person; what: string; change: (pool: Connection) => Promise<void> },
): Promise<Session> {
  const { accounts } = await sessionNow(deps, request);
  const origin = originOfPerson(person, visitorOf(request));
  if (accounts.length === 0) await change(deps.pool);
  else {
    await changeLogged({ pool: deps.pool, origin }, async (tx) => {
      await change(tx.pool);
      await logOfPerson(tx, person, { action: 'staff.sign_in_changed', after: { what } });
    });
  }
  return sessionNow(deps, request);
}

/** The last way to sign in stays. */
function refuseLastWay(session: Session, left: { passkeys: number }): void {
  const { has_password: hasPassword, oidc_only: isOidcOnly } = session.sign_in;
  if (hasPassword || isOidcOnly || left.passkeys > 0) return;
  throw new BillingError('INVALID_STATE', { message: 'It is the last way in which you sign in: set a password first' });
}

export const personRoutes = (deps: DashboardDeps): DashboardHandlers<typeof dashboardContract.person> => ({
  setPassword: async ({ body, req }) => {
    const person = await freshPerson(deps, req);
    checkPassword(body.password, person);
    const passwordHash = await hashPassword(body.password);
    const { id: current } = await requireSession(deps, req);
    const change = async (pool: Connection): Promise<void> => {
      await setPassword(pool, { id: person.id, name: person.name, passwordHash });
      await endSessions(pool, person.id, current);
    };
    return changeSignIn(deps, req, { person, what: 'password', change });
  },
  passkeys: async ({ req }) => {
    const { staffId } = await requireSession(deps, req);
    return { data: await listPasskeys(deps, staffId) };
  },
  passkeyOptions: async ({ req }) => registrationOptions(deps, await freshPerson(deps, req)),
  addPasskey: async ({ body, req }) => {
    const person = await freshPerson(deps, req);
    const passkey = await judgePasskey(deps, person, body);
    const change = (pool: Connection) => storePasskey(pool, passkey);
    return changeSignIn(deps, req, { person, what: 'passkey added', change });
  },
  removePasskey: async ({ params, req }) => {
    const person = await freshPerson(deps, req);
    const session = await sessionNow(deps, req);
    refuseLastWay(session, { passkeys: session.sign_in.passkeys - 1 });
    const change = (pool: Connection) => removePasskey(pool, { id: params.id, staffId: person.id });
    return changeSignIn(deps, req, { person, what: 'passkey removed', change });
  },
  beginTotp: async ({ req }) => {
    const person = await freshPerson(deps, req);
    if (person.hasTotp)
      throw new BillingError('INVALID_STATE', { message: 'You have an app already: remove it first' });
    const { secret, uri } = await newTotp(deps, person);
    return { secret, uri, qr: await QRCode.toDataURL(uri, { margin: 4, width: 240 }) };
  },
  confirmTotp: async ({ body, req }) => {
    const person = await freshPerson(deps, req);
    if (!(await isCode(deps, person, body.code))) {
      const message = 'The code is wrong or was used: take the one that the app shows now';
      throw new BillingError('PARAMETER_INVALID', { message, param: 'code' });
    }
    return changeSignIn(deps, req, { person, what: 'authenticator app added', change: async () => {} });
  },
  removeTotp: async ({ req }) => {
    const person = await freshPerson(deps, req);
    const change = (pool: Connection) => setTotp(pool, { id: person.id, secret: null });
    return changeSignIn(deps, req, { person, what: 'authenticator app removed', change });
  },
  sessions: async ({ req }) => {
    const { id: current, staffId } = await requireSession(deps, req);
    const sessions = await listOpenSessions(deps.pool, staffId);
    return {
      data: sessions.map(({ id, created, seenAt, address, userAgent }) => ({
        id,
        created,
        last_seen_at: seenAt,
        address,
        user_agent: userAgent,
        is_current: id === current,
      })),
    };
  },
  endSession: async ({ params, req }) => {
    const { staffId } = await requireSession(deps, req);
    if (!(await endSession(deps.pool, { id: params.id, staffId }))) throw missing('session', params.id);
    return {};
  },
});
