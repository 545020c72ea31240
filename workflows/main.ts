import { setTimeout as sleep } from 'node:timers/promises';
import { type Composition, compose, mailOf } from '../server/compose.ts';
import { type Config, ConfigError, parseConfig } from '../server/config.ts';
import { createLogger } from '../server/logging.ts';
import { surviveRejections } from '../server/rejections.ts';
import { temporalAddress } from './temporal.ts';
import { type RunningWorker, startWorker } from './worker.ts';

const COMPOSE_RETRY_MS = 1_000;
/** Within what whoever started us waits for our end. */
const HARD_STOP_MS = 35_000;

function configOrExit(): Config {
  try {
    return parseConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

const config = configOrExit();
const { databaseUrl, encryptionKey, temporal } = config;
if (databaseUrl === null || encryptionKey === null || temporal.address === null) {
  console.error(
    'The worker alone needs DATABASE_URL, ENCRYPTION_KEY and TEMPORAL_ADDRESS; `npm start` runs everything on embedded defaults.',
  );
  process.exit(1);
}
const logger = createLogger({ level: config.logLevel, process: 'worker' });
const stopping = new AbortController();

/** PostgreSQL may come after us. */
async function composeWhenPossible(url: string, key: string): Promise<Composition | null> {
  while (!stopping.signal.aborted) {
    try {
      return await compose({
        databaseUrl: url,
        encryptionKey: Buffer.from(key, 'base64'),
        publicUrl: config.publicUrl,
        trustProxy: config.trustProxy,
        rateLimit: config.rateLimit,
        webhookAllowedNetworks: config.webhookAllowedNetworks,
        mail: mailOf(config),
        logger,
      });
    } catch (error) {
      logger.warn({ err: error }, 'the database is not there yet');
      await sleep(COMPOSE_RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  return null;
}

let worker: RunningWorker | null = null;
let composition: Composition | null = null;

async function drain(why: string): Promise<void> {
  logger.info({ why }, 'draining');
  const hardStop = setTimeout(() => process.exit(1), HARD_STOP_MS);
  await worker?.stop();
  await composition?.close();
  clearTimeout(hardStop);
}

function drainOnce(why: string): void {
  if (stopping.signal.aborted) return;
  stopping.abort();
  drain(why).then(
    () => process.exit(0),
    (error) => {
      logger.error({ err: error }, 'drain failed');
      process.exit(1);
    },
  );
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => drainOnce(signal));
// Whoever started us with a channel is gone, even by a kill that it could not answer.
process.once('disconnect', () => drainOnce('disconnect'));

composition = await composeWhenPossible(databaseUrl.reveal(), encryptionKey.reveal());
if (composition !== null && !stopping.signal.aborted) {
  surviveRejections(composition.deps);
  worker = startWorker({
    deps: composition.deps,
    databaseUrl: databaseUrl.reveal(),
    temporal: temporalAddress(temporal),
  });
  logger.info({ temporal: temporal.address }, 'worker started');
}
