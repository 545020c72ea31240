import type { Check } from './check.ts';

export const customerChecks: readonly Check[] = [
  {
    name: 'customer-words',
    sql: `SELECT DISTINCT w.customer_id, w.account_id, u.account_id AS of_account, u.anonymized_at FROM customer_word w
      LEFT JOIN customer u ON u.id = w.customer_id AND u.live_mode = w.live_mode
      WHERE u.account_id IS DISTINCT FROM w.account_id OR u.anonymized_at IS NOT NULL`,
    describe:
      'words of {account_id} find {customer_id}, which is of {of_account} and was anonymized at {anonymized_at}',
  },
  {
    name: 'note-erased',
    sql: `SELECT n.id, u.id AS customer FROM note n JOIN customer u ON u.id = n.customer_id
      WHERE u.anonymized_at IS NOT NULL AND n.sealed_text IS NOT NULL`,
    describe: '{id} still tells of {customer}, which is anonymized',
  },
];
