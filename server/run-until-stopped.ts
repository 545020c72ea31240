import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Composition, compose, mailOptions } from './compose.ts';
import type { Config } from './config.ts';
import { proveConnection } from './db/connection-proof.ts';
import { troublesOfLogin } from './db/login.ts';
import type { Deps } from './deps.ts';
import { configOrExit, exitSaying, reasonOf } from './exit-saying.ts';
import { raiseAlarm } from './kernel/alarms.ts';
import { workflowsPage } from './kernel/temporal-ui.ts';
import { createLogger } from './logging.ts';
import { ringOrExit } from './open-ring.ts';
import { openTracing } from './open-tracing.ts';
import { plainTextWays } from './plain-text.ts';
import { WrongEncryptionKey } from './sealing/key-check.ts';

type Environment = Record<string, string | undefined>;

/** A setting without which a process cannot do its work when nobody starts the services for it. */
type Needed = 'DATABASE_URL' | 'ENCRYPTION_KEY' | 'TEMPORAL_ADDRESS';

/** What a program is started with. */
export interface Start {
  readonly config: Config;
  readonly composition: Composition;
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Becomes true when the database has answered under our key, false when the process stops before that. */
  readonly databaseAnswers: Promise<boolean>;
}

interface Program {
  readonly name: 'api' | 'worker';
  readonly env: Environment;
  readonly needs: readonly Needed[];
  /** The process ends after this time, whatever is still in flight. */
  readonly drainMs: (config: Config) => number;
  /** Starts the work; what is returned ends it. Null: nothing was started. */
  readonly begin: (start: Start) => Promise<{ stop(): Promise<void> } | null>;
}

const LOCAL_HOST = /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/;

/** Whether nobody but this machine reaches the API: whoever is on it may ask its networks anyway. */
const isForThisMachine = ({ host, publicUrl, trustProxy }: Config): boolean =>
  trustProxy === 0 && [host, new URL(publicUrl).hostname].every((name) => LOCAL_HOST.test(name));

/** Runs the API or the worker: from its settings through its work to an orderly end at a signal. */
export async function runUntilStopped({ name, env, needs, drainMs, begin }: Program): Promise<void> {
  const { config, databaseUrl, encryptionKeys } = settingsOrExit({ name, env, needs });
  const logger = createLogger({ level: config.logLevel, process: name });
  for (const warning of plainTextWays(config)) logger.warn(warning);
  const composition = await compose({
    modes: config.modes,
    databaseUrl,
    readUrl: config.databaseReadUrl?.reveal() ?? null,
    keyRing: await ringOrExit({ keys: encryptionKeys, databaseUrl, config, logger }),
    publicUrl: config.publicUrl,
    trustProxy: config.trustProxy,
    clientCertificateHeader: config.clientCertificateHeader,
    metricsToken: config.metricsToken?.reveal() ?? null,
    securityContact: config.securityContact,
    oidc: config.oidc && { ...config.oidc, clientSecret: config.oidc.clientSecret.reveal() },
    temporalUi: config.temporalUi && workflowsPage({ ui: config.temporalUi, namespace: config.temporal.namespace }),
    rateLimit: config.rateLimit,
    chargesAtOnce: config.chargesAtOnce,
    webhookAllowedNetworks: config.webhookAllowedNetworks,
    webhookNameServers: config.webhookNameServers,
    quotesAllowedNetworks: isForThisMachine(config),
    mail: mailOptions(config),
    sharedByAccounts: name === 'api',
    logger,
    tracing: await openTracing({ to: config.traces, service: `fatura-${name}`, logger }),
  });
  surviveRejections(composition.deps);
  const stopping = new AbortController();
  const databaseAnswers = waitForDatabase({ composition, logger, stopping: stopping.signal });
  void databaseAnswers.then((answers) => (answers ? warnOfLogin(composition.deps, name) : undefined));
  const begun = begin({ config, composition, databaseUrl, logger, databaseAnswers });
  onStop((why) => {
    logger.info({ why }, 'draining');
    setTimeout(() => process.exit(1), drainMs(config));
    stopping.abort();
    begun
      .then((work) => work?.stop())
      .then(() => composition.close())
      .then(
        () => process.exit(0),
        (error) => {
          logger.error({ err: error }, 'drain failed');
          process.exit(1);
        },
      );
  });
  await begun;
}

/**
 * Lets the process live through a promise that was rejected and that nobody waited for: the fault is told and alarms.
 * One forgotten promise must not end the requests of everybody else. An exception that nobody caught still ends the process.
 */
export function surviveRejections({ logger, metrics }: Pick<Deps, 'logger' | 'metrics'>): void {
  process.on('unhandledRejection', (reason: unknown) => {
    const message = 'a promise was rejected and nobody waited for it';
    raiseAlarm({ metrics, logger }, 'unhandled_rejection', { err: reason, message });
  });
}

const NAMES = { api: 'The API', worker: 'The worker' } as const;

function settingsOrExit({ name, env, needs }: Pick<Program, 'name' | 'env' | 'needs'>) {
  const config = configOrExit(env);
  const { databaseUrl, encryptionKeys, temporal } = config;
  const given = { DATABASE_URL: databaseUrl, ENCRYPTION_KEY: encryptionKeys, TEMPORAL_ADDRESS: temporal.address };
  if (databaseUrl === null || encryptionKeys === null || needs.some((needed) => given[needed] === null)) {
    const list = `${needs.slice(0, -1).join(', ')} and ${needs.at(-1)}`;
    return exitSaying(`${NAMES[name]} alone needs ${list}; \`npm start\` runs everything on embedded defaults.`);
  }
  return { config, databaseUrl: databaseUrl.reveal(), encryptionKeys: encryptionKeys.reveal() };
}

/** Asked again after this time, and told of when it is silent for as long. */
const DATABASE_RETRY_MS = 1_000;

type Waiting = Pick<Start, 'composition' | 'logger'> & { readonly stopping: AbortSignal };

/** PostgreSQL may come after us, or be migrated after that; with another key than its own we are not to work on it. */
async function waitForDatabase({ composition, logger, stopping }: Waiting): Promise<boolean> {
  let told: string | null = null;
  const tell = (reason: string): void => {
    if (reason !== told) logger.warn(`the database cannot be used: ${reason}; it is tried again each second`);
    told = reason;
  };
  while (!stopping.aborted) {
    const silence = setTimeout(() => told ?? tell('it does not answer'), DATABASE_RETRY_MS);
    try {
      await proveConnection(composition.database.pool);
      if (told !== null) logger.info('the database answers');
      return true;
    } catch (error) {
      if (error instanceof WrongEncryptionKey) return exitSaying(error.message);
      if (!stopping.aborted) tell(reasonOf(error));
    } finally {
      clearTimeout(silence);
    }
    await sleep(DATABASE_RETRY_MS, undefined, { signal: stopping }).catch(() => {});
  }
  return false;
}

/** It goes on: what holds it back less is no reason to serve nobody. */
async function warnOfLogin({ pool, logger, settings }: Deps, name: Program['name']): Promise<void> {
  const troubles = await troublesOfLogin(pool, { process: name, modes: settings.modes }).catch(() => []);
  for (const trouble of troubles) logger.warn(`the login to the database: ${trouble}`);
}

function onStop(stop: (why: string) => void): void {
  let isStopping = false;
  const stopOnce = (why: string): void => {
    if (isStopping) return;
    isStopping = true;
    stop(why);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopOnce(signal));
  // Whoever started us with a channel is gone, even by a kill that it could not answer.
  process.once('disconnect', () => stopOnce('disconnect'));
}
