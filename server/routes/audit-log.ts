import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { listAuditLog } from '../profile/audit-log.ts';

export const auditLogRoutes = (deps: Deps): Handlers<typeof contract.auditLog> => ({
  list: (scope, { query, req }) => listAuditLog(deps, scope, { query, showsKeys: req.identity.scope === 'full' }),
});
