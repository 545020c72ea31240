import { exitSaying } from '../server/exit-saying.ts';
import { runUntilStopped, type Start } from '../server/run-until-stopped.ts';
import { WorkflowsNotBuilt } from './bundle.ts';
import { startCodecServer } from './codec-server.ts';
import { createPayloadReader } from './payload-codec.ts';
import { isPlainAbroad, temporalAddress } from './temporal.ts';
import { type RunningWorker, startWorker, type WorkerOptions } from './worker.ts';

/** Within what whoever started us waits for our end. */
const DRAIN_MS = 35_000;

async function work({
  config,
  composition,
  databaseUrl,
  logger,
  databaseAnswers,
}: Start): Promise<Pick<RunningWorker, 'stop'> | null> {
  if (!(await databaseAnswers)) return null;
  const temporal = temporalAddress(config.temporal);
  if (isPlainAbroad(temporal))
    logger.warn(
      { temporal: temporal.address },
      'Temporal is reached without TLS: set TEMPORAL_TLS_CA, or TEMPORAL_API_KEY',
    );
  const worker = startOrExit({ deps: composition.deps, databaseUrl, temporal, runShards: config.runShards });
  const codecServer = await openCodec({ config, composition, logger });
  logger.info({ temporal: config.temporal.address }, 'worker started');
  return {
    async stop() {
      await codecServer?.stop();
      await worker.stop();
    },
  };
}

function startOrExit(options: WorkerOptions): RunningWorker {
  try {
    return startWorker(options);
  } catch (error) {
    if (!(error instanceof WorkflowsNotBuilt)) throw error;
    return exitSaying(error.message);
  }
}

/** Another worker of this machine may serve the port already: one is enough. */
async function openCodec({ config, composition, logger }: Pick<Start, 'config' | 'composition' | 'logger'>) {
  const { port, origins, token } = config.temporal.codec;
  if (port === null) return null;
  const codec = createPayloadReader(composition.deps.secretBox);
  return startCodecServer({ codec, port, origins, token: token?.reveal() ?? null }).catch((error: unknown) => {
    logger.warn({ err: error, port }, 'this worker decodes nothing for the Temporal UI');
    return null;
  });
}

await runUntilStopped({
  name: 'worker',
  env: process.env,
  needs: ['DATABASE_URL', 'ENCRYPTION_KEY', 'TEMPORAL_ADDRESS'],
  drainMs: () => DRAIN_MS,
  begin: work,
});
