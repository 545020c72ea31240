import { ACCOUNT_LOOK } from '../accounts/look.ts';
import { scopeColumns, scopeOf } from '../accounts/scope.ts';
import { acrossAccounts, run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Timestamp } from '../kernel/time.ts';
import { CONFIRMABLE_FOR, confirmEmail } from '../mail/typed-email.ts';
import { refuseOtherSitesForm, tries } from './page-requests.ts';
import { fromOtherPage } from './purchase.ts';
import type { AskedRow, Question } from './question.ts';

interface ConfirmationRow extends AskedRow {
  readonly askedAt: Timestamp;
  readonly isConfirmed: boolean;
  readonly openInvoiceId: string | null;
}

const readConfirmation = acrossAccounts<ConfirmationRow>(
  'read_email_confirmation',
  `SELECT t.id, ${scopeColumns('t')}, t.asked_at AS "askedAt", t.confirmed_at IS NOT NULL AS "isConfirmed", ${ACCOUNT_LOOK},
     (SELECT i.id FROM invoice i WHERE i.customer_id = t.id AND i.status = 'open' ORDER BY i.id LIMIT 1) AS "openInvoiceId"
   FROM typed_email t JOIN account a ON a.id = t.account_id
     JOIN account_look look ON look.account_id = t.account_id AND look.live_mode = t.live_mode WHERE t.id = :id AND t.asked_at IS NOT NULL`,
);

/** The page on which an address is confirmed that its buyer typed (docs/product/mail.md#an-address-that-its-buyer-typed). */
export const confirmation = (deps: Deps): Question<ConfirmationRow> => ({
  base: '/confirm',
  page: 'confirmation',
  limit: tries.confirmation,
  find: async (id) => (await run(deps.pool, readConfirmation, { id }))[0] ?? null,
  isOver: (row) => deps.clock.now(scopeOf(row)) >= row.askedAt + CONFIRMABLE_FOR,
  show: ({ isConfirmed, openInvoiceId, liveMode }) => ({
    asking: isConfirmed ? 'confirmed' : 'confirmable',
    below: isConfirmed ? null : '',
    link:
      isConfirmed && openInvoiceId !== null ? fromOtherPage(deps.links.payment({ id: openInvoiceId, liveMode })) : null,
  }),
  acts: {
    '': async (row, request) => {
      refuseOtherSitesForm(request, deps.settings.publicUrl);
      await confirmEmail(deps, scopeOf(row), row.id);
    },
  },
});
