import { type ScopeRow, scopeColumns, scopeOf } from '../accounts/scope.ts';
import { differences } from '../audit-log/audit-log.ts';
import { acrossAccounts, run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { type DueCounts, type DueRun, dueOf, runDue } from '../jobs/due-run.ts';
import { hook } from '../unit-of-work/hooks.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { HEALTH_DUE_AT, type HealthStep, healthStep, IS_FAILING } from './deliveries/rules.ts';
import { disable, lockIfThere, settingsOf } from './endpoints.ts';
import type { WebhookEndpoint } from './entity.ts';

/** Who is told that an endpoint accepts nothing, or was switched off for it. */
export const endpointFailing =
  hook<(tx: Tx, about: { endpoint: WebhookEndpoint; step: HealthStep }) => Promise<void>>('endpoint_failing');

const findScope = acrossAccounts<ScopeRow>(
  'find_scope_of_endpoint',
  `SELECT ${scopeColumns('w')} FROM webhook_endpoint w JOIN account a ON a.id = w.account_id WHERE w.id = :id`,
);

export type HealthOutcome = 'warned' | 'disabled' | 'not_due';

/** Warns of an endpoint that accepts nothing, or switches it off, if that is due (docs/product/webhooks.md#endpoint-health). */
export async function performHealth(deps: Deps, id: string): Promise<HealthOutcome> {
  const [found] = await run(deps.pool, findScope, { id });
  if (found === undefined) return 'not_due';
  return deps.transaction<HealthOutcome>(scopeOf(found), async (tx) => {
    const endpoint = await lockIfThere(tx, id);
    if (endpoint === null || endpoint.status === 'disabled') return 'not_due';
    const { failingSince = null, warnedAt = null } = endpoint;
    const step = failingSince === null ? null : healthStep({ failingSince, warnedAt }, tx.now);
    if (step === null) return 'not_due';
    if (step === 'disable') disableFailing(tx, endpoint);
    else endpoint.warnedAt = tx.now;
    for (const tell of tx.reactionsAt(endpointFailing)) await tell(tx, { endpoint, step });
    return step === 'disable' ? 'disabled' : 'warned';
  });
}

function disableFailing(tx: Tx, endpoint: WebhookEndpoint): void {
  const before = settingsOf(endpoint);
  disable(tx, endpoint);
  tx.log({
    action: 'webhook_endpoint.disabled',
    object: endpoint.id,
    ...differences(before, settingsOf(endpoint)),
  });
}

const AHEAD = 'CASE WHEN w.live_mode THEN 0 ELSE a.sandbox_offset_seconds END';

/** By real time; whatever moves a held clock sees to its endpoints itself. */
const claimFailing = dueOf(
  'claim_failing_endpoints',
  `SELECT w.id, w.account_id, w.live_mode, ${HEALTH_DUE_AT} - ${AHEAD} AS wake_at
   FROM webhook_endpoint w JOIN account a ON a.id = w.account_id
   WHERE ${IS_FAILING} AND (w.live_mode OR a.clock_held_at IS NULL)`,
);

/** Sees to the endpoints that have accepted nothing for days. */
export const runHealth = (deps: Deps, options: DueRun): Promise<DueCounts> =>
  runDue(deps, options, [{ claim: claimFailing, perform: (id) => performHealth(deps, id) }]);
