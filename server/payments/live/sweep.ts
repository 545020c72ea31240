import type { Deps } from '../../deps.ts';
import { type DueCounts, type DueRun, dueOf, runDue } from '../../jobs/due-run.ts';
import { MINUTE } from '../../kernel/time.ts';
import { liveMethod } from './methods.ts';
import { DUE_ID, ofDueId } from './store.ts';

const EVERY = 10 * MINUTE;

const claimSweeps = dueOf(
  'claim_sweeps',
  `SELECT ${DUE_ID} AS id, l.account_id, true AS live_mode, l.swept_until + ${EVERY} AS wake_at FROM live_acquirer l`,
);

/** Sweeps every acquirer that is due, side by side: one that hangs delays no other (docs/design/api-pix.md#sweep). */
export function runSweep(deps: Deps, options: Omit<DueRun, 'mode'>): Promise<DueCounts> {
  const perform = async (id: string) => {
    const { accountId, method } = ofDueId(id);
    return (await liveMethod(method).sweep?.perform(deps, accountId)) ?? 'not_due';
  };
  return runDue(deps, { ...options, mode: 'live' }, [{ claim: claimSweeps, perform }]);
}
