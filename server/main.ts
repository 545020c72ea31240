import { createApp } from './app.ts';
import { compose, mailOf } from './compose.ts';
import { ConfigError, parseConfig } from './config.ts';
import { answerClientErrors } from './http/client-errors.ts';
import { createReadiness } from './http/readiness.ts';
import { ANSWER_MAX_MS } from './http/request.ts';
import { createLogger } from './logging.ts';
import { surviveRejections } from './rejections.ts';

/** Answers under way get this long to end after SIGTERM; longer than any request may take. */
const DRAIN_MS = 28_000;
const SWEEP_MS = 50;

function configOrExit() {
  try {
    return parseConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

const config = configOrExit();
const logger = createLogger({ level: config.logLevel, process: 'api' });
if (config.databaseUrl === null || config.encryptionKey === null) {
  console.error(
    'The API alone needs DATABASE_URL and ENCRYPTION_KEY; `npm start` runs everything on embedded defaults.',
  );
  process.exit(1);
}

const composition = await compose({
  databaseUrl: config.databaseUrl.reveal(),
  encryptionKey: Buffer.from(config.encryptionKey.reveal(), 'base64'),
  publicUrl: config.publicUrl,
  trustProxy: config.trustProxy,
  rateLimit: config.rateLimit,
  webhookAllowedNetworks: config.webhookAllowedNetworks,
  mail: mailOf(config),
  logger,
});
surviveRejections(composition.deps);
const app = createApp(composition.deps, { readiness: createReadiness(composition.deps.pool) });
const server = app.listen(config.port, config.host, (error?: Error) => {
  if (error !== undefined) {
    console.error(`Cannot listen on ${config.host}:${config.port} (${error.message}); choose another PORT.`);
    process.exit(1);
  }
  logger.info({ url: config.publicUrl }, 'API listening');
});
answerClientErrors(server, composition.deps);
server.requestTimeout = ANSWER_MAX_MS;
server.keepAliveTimeout = 65_000;

/** Lets answers under way end, takes no new ones, then closes what they stood on. */
async function drain(why: string): Promise<void> {
  logger.info({ why }, 'draining');
  const hardStop = setTimeout(() => process.exit(1), DRAIN_MS);
  const closed = new Promise((resolve) => server.close(resolve));
  // A kept-alive connection idles as soon as its answer is out.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  await composition.close();
  clearTimeout(hardStop);
}

let draining = false;
function drainOnce(why: string): void {
  if (draining) return;
  draining = true;
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
