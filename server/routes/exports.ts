import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import { createExport } from '../exports/create.ts';
import { listExports, retrieveExport } from '../exports/list.ts';
import type { Handlers } from '../http/endpoints.ts';

export const exportRoutes = (deps: Deps): Handlers<typeof contract.exports> => ({
  create: (scope, { body }) => createExport(deps, scope, body.export),
  retrieve: (scope, { params }) => retrieveExport(deps, scope, params.export_id),
  list: (scope, { query }) => listExports(deps, scope, query),
});
