import { MAIL_TRIES_MAX } from '../../server/mail/rules.ts';
import type { Check } from './check.ts';

export const mailChecks: readonly Check[] = [
  {
    name: 'mail-erased',
    sql: `SELECT m.id, c.id AS customer FROM mail m JOIN customer c ON c.id = m.customer_id
      WHERE c.anonymized_at IS NOT NULL
        AND (m.recipient IS NOT NULL OR m.status = 'queued' OR m.last_error IS NOT NULL)`,
    describe: '{id} still tells of {customer}, which is anonymized, or waits to be sent to it',
  },
  {
    name: 'mail-tries',
    sql: `SELECT m.id, m.attempts FROM mail m WHERE m.status = 'queued' AND m.attempts >= ${MAIL_TRIES_MAX}`,
    describe: '{id} was tried {attempts} times and still waits to be sent',
  },
];
