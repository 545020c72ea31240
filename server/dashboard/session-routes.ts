import type { Request, Response } from 'express';
import type { dashboardContract, Session } from '../../contract/dashboard.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Oidc } from '../staff/oidc.ts';
import { authenticationOptions, personOfPasskey } from '../staff/passkeys.ts';
import type { Person } from '../staff/people.ts';
import { endSession, freshen, freshUntil, type OpenSession } from '../staff/sessions.ts';
import { acceptInvitation, lookAtLink, setUp } from '../staff/set-up.ts';
import { checkCredentials, type SignInMethod, type StaffDeps, signIn } from '../staff/sign-in.ts';
import { requireSession, type SessionDeps, sessionMissing } from './authorize.ts';
import { visitorOf } from './guard.ts';
import type { DashboardHandlers } from './handlers.ts';

export interface DashboardDeps extends SessionDeps, StaffDeps, Pick<Deps, 'mailer' | 'links' | 'clock'> {
  readonly oidc: Oidc | null;
}

/** A browser keeps the cookie as long as a session can live. */
const COOKIE_SECONDS = 7 * 86_400;

/** A session as its person is shown it. */
export function shownSession(deps: DashboardDeps, session: OpenSession): Session {
  const { settings, oidc } = deps;
  return {
    staff: { id: session.staffId, email: session.email, name: session.name },
    accounts: session.memberships.map(({ accountId: id, name, role, refundLimit, hasAcquirer }) => ({
      id,
      name,
      role,
      refund_limit: refundLimit,
      has_acquirer: hasAcquirer,
    })),
    modes: [...settings.modes],
    fresh_until: freshUntil(session),
    sign_in: {
      has_password: session.hasPassword,
      passkeys: session.passkeys,
      has_totp: session.hasTotp,
      oidc_only: oidc?.isOnly ?? false,
    },
    temporal_ui: session.memberships.some(({ role }) => role === 'owner' || role === 'developer')
      ? settings.temporalUi
      : null,
    public_url: settings.publicUrl,
  };
}

/** The session of a request as it stands now. */
export async function sessionNow(deps: DashboardDeps, request: Request): Promise<Session> {
  const token = deps.cookies.read(request, 'session');
  const session = token === null ? null : await deps.sessions.read(token);
  if (session === null) throw sessionMissing();
  return shownSession(deps, session);
}

/** Opens a session for whoever has shown who they are; the one that the browser had before ends. */
export async function openFor(
  deps: DashboardDeps,
  { req, res }: { req: Request; res: Response },
  signedIn: { person: Person; method: SignInMethod },
): Promise<Session> {
  const former = deps.cookies.read(req, 'session');
  const before = former === null ? null : await deps.sessions.read(former);
  if (before !== null) await endSession(deps.pool, { id: before.id, staffId: before.staffId });
  const token = await signIn(deps, visitorOf(req), signedIn);
  deps.cookies.set(res, 'session', token, COOKIE_SECONDS);
  const session = await deps.sessions.read(token);
  if (session === null) throw new Error('a session was opened and is not there');
  return shownSession(deps, session);
}

function refuseUnderOidc({ oidc }: DashboardDeps): void {
  if (oidc?.isOnly !== true) return;
  throw new BillingError('INVALID_STATE', { message: 'People sign in at the identity provider alone' });
}

/** A fresh login is of the person whose session it is. */
async function freshenFor(deps: DashboardDeps, request: Request, person: Person): Promise<Session> {
  const session = await requireSession(deps, request);
  if (person.id !== session.staffId) throw new BillingError('LOGIN_FAILED', { message: 'That is somebody else' });
  await freshen(deps.pool, session.id);
  return sessionNow(deps, request);
}

export const sessionRoutes = (deps: DashboardDeps): DashboardHandlers<typeof dashboardContract.session> => ({
  retrieve: async ({ req }) => sessionNow(deps, req),
  methods: async () => ({ password: deps.oidc?.isOnly !== true, oidc: deps.oidc !== null }),
  login: async ({ body, ...exchange }) => {
    refuseUnderOidc(deps);
    const person = await checkCredentials(deps, visitorOf(exchange.req), body);
    return openFor(deps, exchange, { person, method: 'password' });
  },
  passkeyOptions: async ({ req }) => {
    refuseUnderOidc(deps);
    return authenticationOptions(deps, visitorOf(req));
  },
  passkeyLogin: async ({ body, ...exchange }) => {
    refuseUnderOidc(deps);
    const person = await personOfPasskey(deps, visitorOf(exchange.req), body);
    return openFor(deps, exchange, { person, method: 'passkey' });
  },
  logout: async ({ req, res }) => {
    const { id, staffId } = await requireSession(deps, req);
    await endSession(deps.pool, { id, staffId });
    deps.cookies.clear(res, 'session');
    return {};
  },
  lookAtLink: async ({ body, req }) => {
    const session = await requireSession(deps, req).catch(() => null);
    const who = { staffId: session?.staffId ?? null, isOidcOnly: deps.oidc?.isOnly ?? false };
    const { accountName, ...look } = await lookAtLink(deps, visitorOf(req), { ...body, ...who });
    return { ...look, account_name: accountName };
  },
  setUp: async ({ body, ...exchange }) => {
    refuseUnderOidc(deps);
    const person = await setUp(deps, visitorOf(exchange.req), body);
    return openFor(deps, exchange, { person, method: 'link' });
  },
  accept: async ({ body, req }) => {
    const { staffId: id, name, email } = await requireSession(deps, req);
    await acceptInvitation(deps, visitorOf(req), { token: body.token, person: { id, name, email } });
    return sessionNow(deps, req);
  },
  fresh: async ({ body, req }) => {
    refuseUnderOidc(deps);
    const { email } = await requireSession(deps, req);
    return freshenFor(deps, req, await checkCredentials(deps, visitorOf(req), { ...body, email }));
  },
  freshByPasskey: async ({ body, req }) => {
    refuseUnderOidc(deps);
    await requireSession(deps, req);
    return freshenFor(deps, req, await personOfPasskey(deps, visitorOf(req), body));
  },
});
