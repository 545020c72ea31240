import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { listMails } from '../mail/list.ts';

export const mailRoutes = (deps: Deps): Handlers<typeof contract.mails> => ({
  list: (scope, { query, req }) => listMails(deps, scope, { query, showsLinks: req.identity.scope === 'full' }),
});
