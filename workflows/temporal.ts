import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, type LogEntry, NativeConnection, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config } from '../server/config.ts';
import { isLoopback } from '../server/config-formats.ts';
import { machineTimeMs } from '../server/kernel/time.ts';
import { type Tracing, untraced } from '../server/kernel/tracing.ts';
import type { SecretBox } from '../server/sealing/secret-box.ts';
import { createPayloadCodec } from './payload-codec.ts';
import { clientTraces } from './traces.ts';

/** Where Temporal is, and how it knows us. */
export interface TemporalAddress {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey: string | null;
  /** Null: in plain text, unless there is an API key. */
  readonly tls: TemporalTls | null;
}

interface TemporalTls {
  /** Who vouches for the server; null: who vouches for the web. */
  readonly caPem: string | null;
  /** The name in the server's certificate where it is not the one of the address. */
  readonly serverName: string | null;
  /** What we show the server. */
  readonly client: { readonly certificatePem: string; readonly keyPem: string } | null;
}

export function temporalAddress(config: Config['temporal']): TemporalAddress {
  if (config.address === null) throw new Error('TEMPORAL_ADDRESS is not set');
  const { tls, apiKey } = config;
  return {
    address: config.address,
    namespace: config.namespace,
    apiKey: apiKey?.reveal() ?? null,
    tls: tls && { ...tls, client: tls.client && { ...tls.client, keyPem: tls.client.keyPem.reveal() } },
  };
}

/** Whether everything that Temporal is told goes through a network that others may listen to. */
export const isPlainAbroad = ({ address, apiKey, tls }: TemporalAddress): boolean =>
  tls === null && apiKey === null && !isLoopback(address);

/** How a connection to it is made. */
export function transport({ address, apiKey, tls }: TemporalAddress) {
  return {
    address,
    ...(tls === null ? {} : { tls: tlsOf(tls) }),
    ...(apiKey === null ? {} : { apiKey }),
    // A key travels over TLS only.
    ...(tls === null && apiKey !== null ? { tls: true } : {}),
  };
}

const tlsOf = ({ caPem, serverName, client }: TemporalTls) => ({
  ...(caPem === null ? {} : { serverRootCACertificate: Buffer.from(caPem) }),
  ...(serverName === null ? {} : { serverNameOverride: serverName }),
  ...(client === null
    ? {}
    : { clientCertPair: { crt: Buffer.from(client.certificatePem), key: Buffer.from(client.keyPem) } }),
});

/** Sandboxed workflows load it, too. */
export const FAILURE_CONVERTER = new URL('failures.ts', import.meta.url).pathname;

/** What is told to Temporal is sealed, of schedules and failures, too. */
export const dataConverter = (box: SecretBox) => ({
  payloadCodecs: [createPayloadCodec(box)],
  failureConverterPath: FAILURE_CONVERTER,
});

/** Errors are written by our serializer: what failed in an activity may be the database's, with the values of a row. */
export function tell(logger: Logger, { level, message, meta }: Pick<LogEntry, 'level' | 'message' | 'meta'>): void {
  if (message.startsWith(EXPECTED)) return;
  const { error, ...temporal } = meta ?? {};
  const line = error === undefined ? { temporal } : { temporal, err: error };
  if (level === 'ERROR') logger.error(line, message);
  else logger.warn(line, message);
}

let installed = false;

/** The attempts' worker has none on purpose. */
const EXPECTED = 'No workflows registered';

/** Temporal's own words go to our log; the process ends its workers itself, in an order of its own. */
export function installRuntime(logger: Logger): void {
  if (installed) return;
  installed = true;
  const told = new DefaultLogger('WARN', (entry) => tell(logger, entry));
  // The core tells each failed call; that Temporal is away is said once, by the session.
  const telemetryOptions = { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } } as const;
  Runtime.install({ shutdownSignals: [], logger: told, telemetryOptions });
}

export const connectWorker = (to: TemporalAddress): Promise<NativeConnection> =>
  NativeConnection.connect(transport(to));

/** A client that connects with its first call and again whenever the server was away. */
export function openClient(to: TemporalAddress, box: SecretBox, tracing: Tracing = untraced): Client {
  const connection = Connection.lazy(transport(to));
  return new Client({
    connection,
    namespace: to.namespace,
    dataConverter: dataConverter(box),
    ...clientTraces(tracing),
  });
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
    await connection.withDeadline(machineTimeMs() + PING_MS, () => connection.workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
  }
}
