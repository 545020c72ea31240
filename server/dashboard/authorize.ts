import type { Request, RequestHandler, Response } from 'express';
import { contract } from '../../contract/index.ts';
import { freshOperations, limitedRefunds, may, type OperationName, type Role } from '../../contract/roles.ts';
import { routesOf } from '../../contract/router.ts';
import type { Identity } from '../accounts/authentication.ts';
import type { RateLimiter } from '../admission/rate-limit.ts';
import type { Settings } from '../deps.ts';
import { holdToLimit } from '../http/authorize.ts';
import { asyncMiddleware, routeOf } from '../http/request.ts';
import type { RefundBound } from '../kernel/account.ts';
import { BillingError } from '../kernel/errors.ts';
import { isLive, type Mode, modeNotServed } from '../kernel/mode.ts';
import { freshUntil, type Membership, type OpenSession, type Sessions } from '../staff/sessions.ts';
import type { Cookies } from './cookies.ts';

const ACCOUNT = 'Fatura-Account';
const MODE = 'Fatura-Mode';

export interface SessionDeps {
  readonly sessions: Sessions;
  readonly cookies: Cookies;
  readonly rateLimiter: RateLimiter;
  readonly settings: Settings;
}

const operations = new Map(
  // The names of the routes of the contract are its operations.
  routesOf(contract).map(([name, { method, path }]) => [`${method} ${path}`, name as OperationName]),
);

function operationOf(request: Request): OperationName {
  const { method, path } = routeOf(request);
  const operation = operations.get(`${method} ${path}`);
  if (operation === undefined) throw new Error(`no operation of the contract: ${method} ${path}`);
  return operation;
}

export const sessionMissing = (): BillingError =>
  new BillingError('SESSION_MISSING', { message: 'Sign in: nobody is signed in here, or the session has ended' });

/** The session of a request's cookie. */
export async function requireSession({ sessions, cookies }: SessionDeps, request: Request): Promise<OpenSession> {
  const token = cookies.read(request, 'session');
  const session = token === null ? null : await sessions.find(token);
  if (session === null) throw sessionMissing();
  return session;
}

/** Whether the login of a session is of the last ten minutes; what was read a moment ago may not know of a new one yet. */
async function isFresh({ sessions, cookies }: SessionDeps, request: Request, session: OpenSession): Promise<boolean> {
  if (freshUntil(session) > 0) return true;
  const now = await sessions.read(cookies.read(request, 'session') ?? '');
  return now !== null && freshUntil(now) > 0;
}

/** Refuses a login that is older than ten minutes. */
export async function requireFresh(deps: SessionDeps, request: Request, session: OpenSession): Promise<void> {
  if (await isFresh(deps, request, session)) return;
  throw new BillingError('FRESH_LOGIN_REQUIRED', {
    message: 'Log in again: the last login is older than ten minutes',
  });
}

/** The account that a request names; the person's first where it names none. */
export const requireMembership = (session: OpenSession, request: Request): Membership =>
  membershipIn(session, request.get(ACCOUNT));

export function membershipIn({ memberships }: OpenSession, wanted: string | undefined): Membership {
  const found = wanted === undefined ? memberships[0] : memberships.find(({ accountId }) => accountId === wanted);
  if (found !== undefined) return found;
  const message = wanted === undefined ? 'You work in no account' : `You do not work in the account of ${ACCOUNT}`;
  throw new BillingError('PERMISSION_DENIED', { message });
}

/** The mode that a request names; live where it names none. */
export const requestedMode = (request: Request, settings: Settings): Mode =>
  servedMode(request.get(MODE) ?? 'live', settings);

export function servedMode(wanted: string, { modes }: Settings): Mode {
  if (wanted !== 'live' && wanted !== 'sandbox') {
    throw new BillingError('PARAMETER_INVALID', { message: `${MODE} must be live or sandbox`, param: MODE });
  }
  if (!modes.includes(wanted)) throw modeNotServed(modes);
  return wanted;
}

const boundOf = ({ role, refundLimit }: Membership, isFreshLogin: boolean): RefundBound => {
  if (limitedRefunds.includes(role)) return { most: refundLimit, beyond: 'PERMISSION_DENIED' };
  return { most: isFreshLogin ? null : refundLimit, beyond: 'FRESH_LOGIN_REQUIRED' };
};

/** Whoever may only look is shown no link by which they could act. */
const scopeOf = (role: Role): Identity['scope'] => (role === 'viewer' ? 'read' : 'full');

async function admit(deps: SessionDeps, request: Request, response: Response): Promise<void> {
  const session = await requireSession(deps, request);
  const membership = requireMembership(session, request);
  const mode = requestedMode(request, deps.settings);
  const { accountId, role, limits } = membership;
  const operation = operationOf(request);
  const refunds = boundOf(membership, operation === 'refunds.create' && (await isFresh(deps, request, session)));
  const person = { id: session.staffId, name: session.name, operation, refunds };
  const of = { accountId, liveMode: isLive(mode), account: membership[mode], scope: scopeOf(role), limits };
  request.identity = { keyId: session.staffId, ...of, person };
  const { limit } = routeOf(request).metadata;
  await holdToLimit(deps, { request, response, limit, bucket: `${session.staffId} ${accountId} ${mode}` });
  if (!may(role, operation)) {
    throw new BillingError('PERMISSION_DENIED', { message: `Your role is ${role}, and ${operation} is not of it` });
  }
  if (freshOperations.includes(operation)) await requireFresh(deps, request, session);
  if (routeOf(request).metadata.sandboxOnly === true && isLive(mode)) {
    throw new BillingError('ENVIRONMENT_MISMATCH', { message: 'This exists in the sandbox alone; switch to it' });
  }
}

/** Lets the requests of people to the contract in, by their session and their role in the account. */
export const authorizePeople = (deps: SessionDeps): RequestHandler =>
  asyncMiddleware((request, response) => admit(deps, request, response));
