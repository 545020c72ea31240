import type { Request } from 'express';
import type { dashboardContract } from '../../contract/dashboard.ts';
import { setRefundLimit } from '../accounts/service.ts';
import type { Changer } from '../audit-log/audit-log.ts';
import { BillingError } from '../kernel/errors.ts';
import { setUpLink } from '../staff/links.ts';
import { changeRole, invite, listMembers, makeLink, removeMember } from '../staff/members.ts';
import { originOfPerson } from '../staff/people.ts';
import { requireFresh, requireMembership, requireSession } from './authorize.ts';
import { visitorOf } from './guard.ts';
import type { DashboardHandlers } from './handlers.ts';
import { type DashboardDeps, sessionNow } from './session-routes.ts';

/** The account whose owner asks, freshly signed in. */
async function ownedAccount(deps: DashboardDeps, request: Request): Promise<Changer & { readonly accountId: string }> {
  const session = await requireSession(deps, request);
  const { accountId, role } = requireMembership(session, request);
  if (role !== 'owner') {
    throw new BillingError('PERMISSION_DENIED', { message: `Your role is ${role}: an owner decides of the people` });
  }
  await requireFresh(deps, request, session);
  const { staffId: id, name } = session;
  return { pool: deps.pool, origin: originOfPerson({ id, name }, visitorOf(request)), accountId };
}

export const staffRoutes = (deps: DashboardDeps): DashboardHandlers<typeof dashboardContract.staff> => ({
  list: async ({ req }) => {
    const { accountId } = requireMembership(await requireSession(deps, req), req);
    return { data: await listMembers(deps.pool, accountId) };
  },
  invite: async ({ body, req }) => {
    const { accountId, ...changer } = await ownedAccount(deps, req);
    const { member, token } = await invite(changer, { accountId, ...body });
    return { member, link: setUpLink(deps.settings.publicUrl, token) };
  },
  change: async ({ params, body, req }) => {
    const { accountId, ...changer } = await ownedAccount(deps, req);
    return changeRole(changer, { accountId, id: params.id, role: body.role });
  },
  newLink: async ({ params, req }) => {
    const { accountId, ...changer } = await ownedAccount(deps, req);
    const { member, token } = await makeLink(changer, { accountId, id: params.id });
    return { member, link: setUpLink(deps.settings.publicUrl, token) };
  },
  remove: async ({ params, req }) => {
    const { accountId, ...changer } = await ownedAccount(deps, req);
    await removeMember(changer, { accountId, id: params.id });
    return {};
  },
  setRefundLimit: async ({ body, req }) => {
    const { accountId, ...changer } = await ownedAccount(deps, req);
    await setRefundLimit(changer, { accountId, cents: body.refund_limit });
    return sessionNow(deps, req);
  },
});
