import { ACCOUNT_LOOK } from '../accounts/look.ts';
import { scopeColumns, scopeOf } from '../accounts/scope.ts';
import { changeUnsubscription } from '../customers/unsubscription.ts';
import { acrossAccounts, run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { tries } from './page-requests.ts';
import type { AskedRow, Question } from './question.ts';

interface UnsubscriptionRow extends AskedRow {
  readonly isUnsubscribed: boolean;
}

const readUnsubscription = acrossAccounts<UnsubscriptionRow>(
  'read_unsubscription',
  `SELECT u.id, ${scopeColumns('u')}, u.unsubscribed_at IS NOT NULL AS "isUnsubscribed", ${ACCOUNT_LOOK}
   FROM customer u JOIN account a ON a.id = u.account_id
     JOIN account_look look ON look.account_id = u.account_id AND look.live_mode = u.live_mode WHERE u.id = :id AND u.anonymized_at IS NULL`,
);

/** Below the page's address: letters are wanted again. */
const AGAIN = '/again';

/**
 * The page on which a buyer ends letters that are about no money, or wants them again (docs/product/mail.md#letters-that-a-buyer-may-end).
 * Mail programs send its form by themselves, and tell of no site that it comes from (RFC 8058).
 */
export const unsubscription = (deps: Deps): Question<UnsubscriptionRow> => ({
  base: '/unsubscribe',
  page: 'unsubscription',
  limit: tries.confirmation,
  find: async (id) => (await run(deps.pool, readUnsubscription, { id }))[0] ?? null,
  isOver: () => false,
  show: ({ isUnsubscribed }) => ({
    asking: isUnsubscribed ? 'unsubscribed' : 'subscribed',
    below: isUnsubscribed ? AGAIN : '',
    link: null,
  }),
  acts: {
    '': (row) => changeUnsubscription(deps, scopeOf(row), { id: row.id, isWanted: false }),
    [AGAIN]: (row) => changeUnsubscription(deps, scopeOf(row), { id: row.id, isWanted: true }),
  },
});
