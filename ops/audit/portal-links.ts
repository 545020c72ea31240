import type { Check } from './check.ts';

/** The hourly run removes what has ended; one that is away for a day is told of by an alarm. */
const ENDED_HOURS_MAX = 24;

/** Whoever holds a link acts for its customer, so none outlasts its end or them (docs/product/portal.md#a-link-of-the-merchant). */
export const portalLinkChecks: readonly Check[] = [
  {
    name: 'portal-link-ended',
    sql: `SELECT l.customer_id AS customer, l.expires_at, count(*) AS links FROM portal_link l
      WHERE l.expires_at < now() - interval '${ENDED_HOURS_MAX} hours' GROUP BY 1, 2`,
    describe: '{links} links to the page of {customer} have ended at {expires_at} and are kept',
  },
  {
    name: 'portal-link-anonymized',
    sql: `SELECT DISTINCT c.id AS customer FROM portal_link l JOIN customer c ON c.id = l.customer_id WHERE c.anonymized_at IS NOT NULL`,
    describe: 'a link leads to the page of {customer}, which is anonymized',
  },
];
