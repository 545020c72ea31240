import type { Check } from './check.ts';

const WHEN_CLEARED = 'EXISTS (SELECT FROM encryption_canary c WHERE c.cleared_at IS NOT NULL)';

/** Once all rows are sealed none is in clear (docs/design/keys.md#sealed-rows). */
export const clearTextChecks: readonly Check[] = [
  {
    name: 'customer-in-clear',
    sql: `SELECT u.id, u.account_id FROM customer u
      WHERE (u.personal IS NULL OR num_nonnulls(u.name, u.identifier, u.email, u.phone, u.address) > 0) AND ${WHEN_CLEARED}`,
    describe: '{id} of {account_id} holds personal data in clear',
  },
  {
    name: 'token-in-clear',
    sql: `SELECT m.id, m.account_id FROM payment_method m WHERE m.token IS NOT NULL AND ${WHEN_CLEARED}`,
    describe: '{id} of {account_id} holds the token of its card in clear',
  },
];
