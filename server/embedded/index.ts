import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { stopLeftover } from './child.ts';
import { makeFolder, readIfThere, writePrivately } from './files.ts';
import { type Kept, keepRunning } from './keep-running.ts';
import { FolderInUse, type FolderLock, lockFolder } from './lock.ts';
import { whyNotFree } from './ports.ts';
import { type RunningPostgres, startPostgres } from './postgres.ts';
import { DATA_DIR_LOCK } from './running-instance.ts';
import { type RunningTemporal, startTemporal } from './temporal.ts';

export { readRunningInstance } from './running-instance.ts';

export type EmbeddedOptions = {
  config: Config;
  env: Record<string, string | undefined>;
  report: (line: string) => void;
};

export type Embedded = {
  databaseUrl: string;
  temporalAddress: string;
  encryptionKey: string;
  /** Null: it came from ENCRYPTION_KEY. */
  encryptionKeyFile: string | null;
  webhookAllowedNetworks: string[];
  /** Temporal before PostgreSQL, which is what everything else needs to end well. */
  stop(): Promise<void>;
  kill(): void;
};

/** In the order in which they are to stop. */
const PROGRAMS = ['demo-account', 'migrate', 'worker', 'api'] as const;

/** Where the process id of one of our programs is kept for the next start. */
export function processRecord(dataDir: string, program: (typeof PROGRAMS)[number]): string {
  return join(dataDir, `${program}.process`);
}

/** Takes DATA_DIR for itself, cleans up after a killed start, and starts what the settings do not name. */
export async function startEmbedded({ config, env, report }: EmbeddedOptions): Promise<Embedded> {
  const lock = lockDataDir(config);
  try {
    for (const program of PROGRAMS) await stopLeftover(processRecord(config.dataDir, program), report);
    await stopLeftover(join(config.dataDir, 'temporal.process'), report);
    await refusePortsInUse(config);
    const key = encryptionKeyOf(config);
    const services = await startServices({ config, env, report });
    return { ...key, ...assemble({ config, services, lock }) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function lockDataDir({ dataDir }: Config): FolderLock {
  try {
    makeFolder(dataDir);
    return lockFolder({ folder: dataDir, purpose: DATA_DIR_LOCK });
  } catch (error) {
    if (!(error instanceof FolderInUse)) {
      const reason = error instanceof Error ? error.message : error;
      throw new Error(
        `DATA_DIR: ${dataDir} cannot be made or written to (${reason}); set DATA_DIR to a folder of your own.`,
      );
    }
    throw new Error(
      `Fatura already runs here: ${error.message}. Stop that one first, or give this one a folder and ports of ` +
        'its own (DATA_DIR, PORT, TEMPORAL_UI_PORT).',
    );
  }
}

async function refusePortsInUse(config: Config): Promise<void> {
  const wanted = [
    { setting: 'PORT', port: config.port, host: config.host },
    ...(config.temporal.address === null
      ? [{ setting: 'TEMPORAL_UI_PORT', port: config.temporalUiPort, host: '127.0.0.1' }]
      : []),
  ];
  const problems: string[] = [];
  for (const { setting, port, host } of wanted) {
    const reason = await whyNotFree({ port, host });
    if (reason !== null) problems.push(describePortProblem({ setting, port, host, reason }));
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

function describePortProblem(wanted: { setting: string; port: number; host: string; reason: string }): string {
  const { setting, port, host, reason } = wanted;
  if (reason === 'EADDRINUSE')
    return `${setting}: another program listens on ${host}:${port}; set ${setting} to a free port.`;
  if (reason === 'EACCES')
    return `${setting}: the system keeps port ${port} to itself; set ${setting} to one above 1023.`;
  return `${setting}: nobody can listen on ${host}:${port} here (${reason}); set HOST to an address of this machine.`;
}

/** The key is as old as the database: made anew, it would leave every stored secret unreadable. */
function encryptionKeyOf(config: Config): Pick<Embedded, 'encryptionKey' | 'encryptionKeyFile'> {
  if (config.encryptionKey) return { encryptionKey: config.encryptionKey.reveal(), encryptionKeyFile: null };
  const file = join(config.dataDir, 'encryption.key');
  const kept = readIfThere(file)?.trim();
  if (kept) return { encryptionKey: kept, encryptionKeyFile: file };
  if (existsSync(join(config.dataDir, 'postgres'))) {
    throw new Error(`${file} is missing, and the database beside it needs it. Put it back, or set ENCRYPTION_KEY.`);
  }
  const made = randomBytes(32).toString('base64');
  writePrivately(file, made);
  return { encryptionKey: made, encryptionKeyFile: file };
}

type Services = { postgres: Kept<RunningPostgres> | null; temporal: Kept<RunningTemporal> | null };

async function startServices(options: EmbeddedOptions): Promise<Services> {
  const [postgres, temporal] = await Promise.allSettled([keepPostgres(options), keepTemporal(options)]);
  if (postgres.status === 'fulfilled' && temporal.status === 'fulfilled') {
    return { postgres: postgres.value, temporal: temporal.value };
  }
  const failures: unknown[] = [];
  for (const outcome of [temporal, postgres]) {
    if (outcome.status === 'rejected') failures.push(outcome.reason);
    else await outcome.value?.stop();
  }
  throw new Error(failures.map((failure) => (failure instanceof Error ? failure.message : String(failure))).join('\n'));
}

async function keepPostgres({ config, report }: EmbeddedOptions): Promise<Kept<RunningPostgres> | null> {
  if (config.databaseUrl) return null;
  report(`Starting PostgreSQL in ${config.dataDir} …`);
  let port: number | undefined;
  const start = async () => {
    const server = await startPostgres({ dir: config.dataDir, report, ...(port === undefined ? {} : { port }) });
    port = server.port; // the API and the worker know this one
    return server;
  };
  return keepRunning({ name: 'PostgreSQL', start, report });
}

async function keepTemporal({ config, env, report }: EmbeddedOptions): Promise<Kept<RunningTemporal> | null> {
  if (config.temporal.address !== null) return null;
  report('Starting the Temporal server …');
  const { dataDir: dir, temporalUiPort: uiPort, temporal } = config;
  const start = () => startTemporal({ dir, uiPort, namespace: temporal.namespace, env, report });
  return keepRunning({ name: 'The Temporal server', start, report });
}

type Assembly = { config: Config; services: Services; lock: FolderLock };

function assemble({ config, services, lock }: Assembly): Omit<Embedded, 'encryptionKey' | 'encryptionKeyFile'> {
  const databaseUrl = services.postgres?.first.url ?? config.databaseUrl?.reveal();
  const temporalAddress = services.temporal?.first.address ?? config.temporal.address;
  if (!databaseUrl || !temporalAddress) throw new Error('A service was neither named nor started.');
  return {
    databaseUrl,
    temporalAddress,
    webhookAllowedNetworks: config.webhookAllowedNetworks,
    stop: async () => {
      await services.temporal?.stop();
      await services.postgres?.stop();
      lock.release();
    },
    kill: () => {
      services.temporal?.kill();
      services.postgres?.kill();
    },
  };
}
