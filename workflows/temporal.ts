import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config } from '../server/config.ts';
import { realTimeMs } from '../server/kernel/time.ts';

/** Where Temporal is, and how it knows us. */
export interface TemporalAddress {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey: string | null;
  readonly tls: { readonly certificatePem: string; readonly keyPem: string } | null;
}

export function temporalAddress(config: Config['temporal']): TemporalAddress {
  if (config.address === null) throw new Error('TEMPORAL_ADDRESS is not set');
  const { tls, apiKey } = config;
  return {
    address: config.address,
    namespace: config.namespace,
    apiKey: apiKey?.reveal() ?? null,
    tls: tls === null ? null : { certificatePem: tls.certificatePem, keyPem: tls.keyPem.reveal() },
  };
}

function transport({ address, apiKey, tls }: TemporalAddress) {
  const pair = tls === null ? null : { crt: Buffer.from(tls.certificatePem), key: Buffer.from(tls.keyPem) };
  return {
    address,
    ...(pair === null ? {} : { tls: { clientCertPair: pair } }),
    ...(apiKey === null ? {} : { apiKey }),
    // A key travels over TLS only.
    ...(pair === null && apiKey !== null ? { tls: true } : {}),
  };
}

let installed = false;

/** The attempts' worker has none on purpose. */
const EXPECTED = 'No workflows registered';

/** Temporal's own words go to our log; the process ends its workers itself, in an order of its own. */
export function installRuntime(logger: Logger): void {
  if (installed) return;
  installed = true;
  const told = new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (message.startsWith(EXPECTED)) return;
    if (level === 'ERROR') logger.error({ temporal: meta }, message);
    else logger.warn({ temporal: meta }, message);
  });
  // The core tells each failed call; that Temporal is away is said once, by the session.
  const telemetryOptions = { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } } as const;
  Runtime.install({ shutdownSignals: [], logger: told, telemetryOptions });
}

export const connectWorker = (to: TemporalAddress): Promise<NativeConnection> =>
  NativeConnection.connect(transport(to));

/** A client that connects with its first call and again whenever the server was away. */
export function openClient(to: TemporalAddress): Client {
  return new Client({ connection: Connection.lazy(transport(to)), namespace: to.namespace });
}

/** gRPC statuses that speak of the server or the way to it, not of what was asked. */
const AWAY = new Set([1, 4, 8, 13, 14]); // cancelled, deadline exceeded, resource exhausted, internal, unavailable

/** Whether Temporal cannot be asked now; anything else is about the request. */
export function isTemporalAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'number') return AWAY.has(error.code);
  return error.cause !== undefined && isTemporalAway(error.cause);
}

const PING_MS = 2_000;

export async function answers(client: Client): Promise<boolean> {
  const { connection } = client;
  try {
    await connection.withDeadline(realTimeMs() + PING_MS, () => connection.workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
  }
}
