import { setTimeout as sleep } from 'node:timers/promises';
import { createConduct } from '../../server/payments/acquirer/sandbox/behaviour.ts';
import { runUntilStopped } from '../../server/run-until-stopped.ts';
import { temporalAddress } from '../../workflows/temporal.ts';
import { startWorker } from '../../workflows/worker.ts';

const DRAIN_MS = 35_000;

/** A worker as the service has it, with an acquirer that approves every charge and writes nothing: what live mode costs us. */
await runUntilStopped({
  name: 'worker',
  env: process.env,
  needs: ['DATABASE_URL', 'ENCRYPTION_KEY', 'TEMPORAL_ADDRESS'],
  drainMs: () => DRAIN_MS,
  begin: async ({ config, composition: { deps }, databaseUrl, databaseAnswers }) => {
    if (!(await databaseAnswers)) return null;
    const conductOf = createConduct(deps.pool);
    const { sandbox } = deps.acquirers;
    const chargeCard: typeof sandbox.chargeCard = async ({ accountId }) => {
      const { latencyMs } = await conductOf(accountId, 'chargeCard');
      if (latencyMs > 0) await sleep(latencyMs);
      return { known: true, value: { status: 'approved' } };
    };
    Object.assign(sandbox, { chargeCard });
    return startWorker({ deps, databaseUrl, temporal: temporalAddress(config.temporal), runShards: config.runShards });
  },
});
