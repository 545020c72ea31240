import type { Request } from 'express';
import QRCode from 'qrcode';
import type { dashboardContract, Session } from '../../contract/dashboard.ts';
import { changeLogged } from '../audit-log/audit-log.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { addPasskey, listPasskeys, registrationOptions, removePasskey } from '../staff/passkeys.ts';
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

/** Says in the logs of a person's accounts what they sign in with now, and answers the session as it stands. */
async function told(deps: DashboardDeps, request: Request, person: Person, what: string): Promise<Session> {
  const session = await sessionNow(deps, request);
  if (session.accounts.length > 0) {
    const origin = originOfPerson(person, visitorOf(request));
    await changeLogged({ pool: deps.pool, origin }, (tx) =>
      logOfPerson(tx, person, { action: 'staff.sign_in_changed', after: { what } }),
    );
  }
  return session;
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
    await setPassword(deps.pool, { id: person.id, name: person.name, passwordHash });
    const { id } = await requireSession(deps, req);
    await endSessions(deps.pool, person.id, id);
    return told(deps, req, person, 'password');
  },
  passkeys: async ({ req }) => {
    const { staffId } = await requireSession(deps, req);
    return { data: await listPasskeys(deps, staffId) };
  },
  passkeyOptions: async ({ req }) => registrationOptions(deps, await freshPerson(deps, req)),
  addPasskey: async ({ body, req }) => {
    const person = await freshPerson(deps, req);
    await addPasskey(deps, person, body);
    return told(deps, req, person, 'passkey added');
  },
  removePasskey: async ({ params, req }) => {
    const person = await freshPerson(deps, req);
    const session = await sessionNow(deps, req);
    refuseLastWay(session, { passkeys: session.sign_in.passkeys - 1 });
    if (!(await removePasskey(deps, { id: params.id, staffId: person.id }))) throw missing('passkey', params.id);
    return told(deps, req, person, 'passkey removed');
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
    return told(deps, req, person, 'authenticator app added');
  },
  removeTotp: async ({ req }) => {
    const person = await freshPerson(deps, req);
    await setTotp(deps.pool, { id: person.id, secret: null });
    return told(deps, req, person, 'authenticator app removed');
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
