import type { Request } from 'express';
import type { dashboardContract } from '../../contract/dashboard.ts';
import type { Member } from '../../contract/members.ts';
import type { Role } from '../../contract/roles.ts';
import { setRefundLimit } from '../accounts/service.ts';
import type { Changer } from '../audit-log/audit-log.ts';
import { BillingError } from '../kernel/errors.ts';
import { isLive } from '../kernel/mode.ts';
import { mailLink } from '../mail/set-up-letter.ts';
import { setUpLink } from '../staff/links.ts';
import { changeRole, invite, listMembers, makeLink, removeMember } from '../staff/members.ts';
import { originOfPerson } from '../staff/people.ts';
import { shownAccountSettings } from './account-settings.ts';
import { setAcquirer, testAcquirer } from './acquirers.ts';
import { requestedMode, requireFresh, requireMembership, requireSession } from './authorize.ts';
import { visitorOf } from './guard.ts';
import type { DashboardHandlers } from './handlers.ts';
import { frameOfSample, sampleFor } from './sample-letters.ts';
import { type DashboardDeps, sessionNow } from './session-routes.ts';

interface Owned {
  readonly accountId: string;
  /** Of the account. */
  readonly merchant: string;
  /** The owner, by name. */
  readonly by: string;
  readonly changer: Changer;
}

/** The account whose owner asks, freshly signed in. */
async function ownedAccount(deps: DashboardDeps, request: Request): Promise<Owned> {
  const session = await requireSession(deps, request);
  const { accountId, role, name: merchant } = requireMembership(session, request);
  if (role !== 'owner') {
    throw new BillingError('PERMISSION_DENIED', { message: `Your role is ${role}: an owner decides of this` });
  }
  await requireFresh(deps, request, session);
  const { staffId: id, name } = session;
  const changer = { pool: deps.pool, origin: originOfPerson({ id, name }, visitorOf(request)) };
  return { accountId, merchant, by: name, changer };
}

interface MadeLink {
  readonly member: Member;
  readonly token: string;
  /** Of who is invited; null: of a person who sets up anew how they sign in. */
  readonly role: Role | null;
}

/** Answers a link, and mails it where the service has a mail server. */
async function handOut(deps: DashboardDeps, { accountId, merchant, by }: Owned, { member, token, role }: MadeLink) {
  const link = setUpLink(deps.settings.publicUrl, token);
  const mail = await mailLink(deps, { accountId, merchant, by, email: member.email, role, link });
  return { member, link, mail };
}

export const staffRoutes = (deps: DashboardDeps): DashboardHandlers<typeof dashboardContract.staff> => ({
  list: async ({ req }) => {
    const { accountId, role } = requireMembership(await requireSession(deps, req), req);
    const members = await listMembers(deps.pool, accountId);
    return { data: role === 'owner' ? members : members.map((member) => ({ ...member, signs_in_by: null })) };
  },
  invite: async ({ body, req }) => {
    const owned = await ownedAccount(deps, req);
    const made = await invite(owned.changer, { accountId: owned.accountId, ...body });
    return handOut(deps, owned, { ...made, role: body.role });
  },
  change: async ({ params, body, req }) => {
    const { accountId, changer } = await ownedAccount(deps, req);
    return changeRole(changer, { accountId, id: params.id, role: body.role });
  },
  newLink: async ({ params, req }) => {
    const owned = await ownedAccount(deps, req);
    const made = await makeLink(owned.changer, { accountId: owned.accountId, id: params.id });
    return handOut(deps, owned, { ...made, role: made.member.is_set_up ? null : made.member.role });
  },
  remove: async ({ params, req }) => {
    const { accountId, changer } = await ownedAccount(deps, req);
    await removeMember(changer, { accountId, id: params.id });
    return {};
  },
  settings: async ({ req }) => {
    const { accountId } = requireMembership(await requireSession(deps, req), req);
    return shownAccountSettings(deps, { accountId, liveMode: isLive(requestedMode(req, deps.settings)) });
  },
  setRefundLimit: async ({ body, req }) => {
    const { accountId, changer } = await ownedAccount(deps, req);
    await setRefundLimit(changer, { accountId, cents: body.refund_limit });
    return sessionNow(deps, req);
  },
  setAcquirer: async ({ body, req }) => {
    const { accountId, changer } = await ownedAccount(deps, req);
    await setAcquirer(deps, { accountId, changer }, body);
    return {};
  },
  testAcquirer: async ({ body: { method }, req }) => {
    const { accountId, changer } = await ownedAccount(deps, req);
    return testAcquirer(deps, { accountId, changer }, method);
  },
  sampleLetter: ({ query, req }) => sampleFor(deps, req, query),
  sampleLetterFrame: ({ query, req, res }) => frameOfSample(deps, { req, res }, query),
});
