import { BATCH_MAX, type DueCounts, type DueRow, type DueRun, runDue } from '../db/due-run.ts';
import { acrossAccounts } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { performExpiry } from './expire.ts';

const claimSessions = acrossAccounts<DueRow>(
  'claim_due_sessions',
  `SELECT id, wake_at AS "wakeAt" FROM checkout_session WHERE wake_at <= :now AND (wake_at, id) > (:wakeAt::bigint, :id::text)
   ORDER BY wake_at, id LIMIT ${BATCH_MAX}`,
);

/** Decides on the sessions that came to their deadline (docs/product/checkout-sessions.md#deadline). */
export const runExpiry = (deps: Deps, options: DueRun): Promise<DueCounts> =>
  runDue(deps, options, [{ claim: claimSessions, perform: (id) => performExpiry(deps, id) }]);
