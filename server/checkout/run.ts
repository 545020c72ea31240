import type { Deps } from '../deps.ts';
import { type DueCounts, type DueRun, dueInTurn, runDue } from '../jobs/due-run.ts';
import { performExpiry } from './expire.ts';

const claimSessions = dueInTurn('claim_due_sessions', { table: 'checkout_session' });

/** Decides on the sessions that came to their deadline (docs/product/checkout-sessions.md#deadline). */
export const runExpiry = (deps: Deps, options: DueRun): Promise<DueCounts> =>
  runDue(deps, options, [{ claim: claimSessions, perform: (id) => performExpiry(deps, id) }]);
