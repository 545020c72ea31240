import { type Collection, RECOVERY_DAYS } from '../../contract/collection.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { daysAfter } from '../kernel/collection-days.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Scope } from '../unit-of-work/tx.ts';

/** The sum and the number of invoices, as JSON. */
const counted = (which: string): string =>
  `json_build_object('amount', coalesce(sum(i.total) FILTER (WHERE ${which}), 0), 'count', count(*) FILTER (WHERE ${which}))`;

const countRecovered = statement<Collection['recovery'][number]>(
  'count_recovered_renewals',
  `SELECT i.first_decline_reason AS reason, ${counted('true')} AS declined, ${counted(`i.status = 'paid'`)} AS recovered
   FROM invoice i WHERE ${mine('i')} AND i.first_declined_at >= :since::bigint GROUP BY 1 ORDER BY count(*) DESC, 1`,
);

/** Renewals by the reason for which their stored card was declined first (docs/product/collection.md#what-was-recovered). */
export const readRecovery = (deps: Deps, scope: Scope, now: Timestamp): Promise<Collection['recovery']> =>
  readIn(deps.pool, scope, countRecovered, { since: daysAfter(now, -RECOVERY_DAYS) });
