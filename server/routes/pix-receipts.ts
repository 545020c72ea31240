import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { listPixReceipts } from '../payments/pix/reconciliation.ts';

export const pixReceiptRoutes = (deps: Deps): Handlers<typeof contract.pixReceipts> => ({
  list: (scope, { query }) => listPixReceipts(deps, scope, query),
});
