import { runUntilStopped, type Start } from '../server/run-until-stopped.ts';
import { temporalAddress } from './temporal.ts';
import { type RunningWorker, startWorker } from './worker.ts';

/** Within what whoever started us waits for our end. */
const DRAIN_MS = 35_000;

async function work({
  config,
  composition,
  databaseUrl,
  logger,
  databaseAnswers,
}: Start): Promise<RunningWorker | null> {
  if (!(await databaseAnswers)) return null;
  const worker = startWorker({ deps: composition.deps, databaseUrl, temporal: temporalAddress(config.temporal) });
  logger.info({ temporal: config.temporal.address }, 'worker started');
  return worker;
}

await runUntilStopped({
  name: 'worker',
  env: process.env,
  needs: ['DATABASE_URL', 'ENCRYPTION_KEY', 'TEMPORAL_ADDRESS'],
  drainMs: DRAIN_MS,
  begin: work,
});
