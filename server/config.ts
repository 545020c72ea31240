import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import {
  isSingleKey,
  namesDatabase,
  namesMailServer,
  operatorForm,
  readContact,
  readHost,
  readIssuer,
  readModes,
  readNameServers,
  readNetworks,
  readOrigins,
  readPublicUrl,
  readSender,
  readShare,
  ringLimit,
  SINGLE_KEY,
} from './config-formats.ts';
import {
  judgedSetting,
  pem,
  plainText,
  Secret,
  SHOWN_NEVER,
  secret,
  setting,
  shardCount,
  wholeNumber,
} from './config-kinds.ts';
import { ConfigError, misfits, type Present } from './config-misfits.ts';
import { unknownSettings } from './config-names.ts';
import { CHARGES_AT_ONCE } from './jobs/due-run.ts';
import { MODES, type Mode } from './kernel/mode.ts';
import type { ShardCount } from './kernel/shards.ts';
import { clip } from './kernel/text.ts';
import type { MailAddress } from './mail/mailer.ts';

const REPOSITORY = resolve(import.meta.dirname, '..');
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const SHOWN_CHARACTERS_MAX = 80;

/** What loopback deliveries need; the default where PostgreSQL is the embedded one. */
const LOOPBACK_NETWORKS = ['127.0.0.0/8', '::1/128'];

export type Config = {
  /** Whose requests and work the process takes: live mode, the sandboxes or both. */
  modes: readonly Mode[];
  port: number;
  host: string;
  publicUrl: string;
  dataDir: string;
  databaseUrl: Secret | null;
  /** Of a replica that what may be late is read from; null: there is none. */
  databaseReadUrl: Secret | null;
  temporal: {
    address: string | null;
    namespace: string;
    apiKey: Secret | null;
    tls: {
      caPem: string | null;
      serverName: string | null;
      client: { certificatePem: string; keyPem: Secret } | null;
    } | null;
    /** Where the worker opens payloads for Temporal's UI and command line; a null port: nowhere. */
    codec: { port: number | null; origins: string[]; token: Secret | null };
  };
  temporalUiPort: number;
  webhookAllowedNetworks: string[];
  /** Null: those of the machine. */
  webhookNameServers: string[] | null;
  rateLimit: { sandboxPerSecond: number; livePerSecond: number };
  /** Scheduled charges that a worker has at acquirers at once, in each mode. */
  chargesAtOnce: number;
  /** Keys in base64, or names of those that a KMS wraps, separated by commas: the first seals, all open. */
  encryptionKeys: Secret | null;
  /** Null: no key is Vault's. */
  vault: { address: string; token: Secret; namespace: string | null } | null;
  smtpUrl: Secret | null;
  mailFrom: MailAddress;
  trustProxy: number;
  /** Into how many parts the runs of many rows are cut, so that several workers share them. */
  runShards: ShardCount;
  /** For so long after SIGTERM connections are taken yet. */
  drainSeconds: number;
  /** Null: the proxy hands no certificate on. */
  clientCertificateHeader: string | null;
  /** Who gives operator commands; null: the user of the system. */
  operator: string | null;
  /** Null: only programs on the same machine may read the metrics. */
  metricsToken: Secret | null;
  /** A URI, as security.txt shows it; null: there is no such file. */
  securityContact: string | null;
  /** Null: people sign in to the dashboard by passwords and passkeys alone. */
  oidc: { issuer: string; clientId: string; clientSecret: Secret; isOnly: boolean } | null;
  /** Who is sent traces, and how many of those that begin here; null: nobody. */
  traces: { endpoint: string; share: number } | null;
  /** Where people of the dashboard see the workflows; null: it has no link there. */
  temporalUi: string | null;
  logLevel: (typeof LOG_LEVELS)[number];
};

const port = wholeNumber({ min: 1, max: 65_535 });
const perSecond = wholeNumber({ min: 1, max: 100_000 });

const settings = z.object({
  MODES: setting('live, sandbox or live,sandbox', readModes).default([...MODES]),
  PORT: port.default(3000),
  HOST: setting('an IP address or a host name', readHost).default('127.0.0.1'),
  PUBLIC_URL: setting('an http:// or https:// URL without query, fragment or password', readPublicUrl).optional(),
  DATA_DIR: setting('a folder', (text) => resolve(text)).default(resolve(REPOSITORY, '.fatura')),
  DATABASE_URL: secret('a postgres:// URL that names a database', namesDatabase).optional(),
  DATABASE_READ_URL: secret('a postgres:// URL that names a database', namesDatabase).optional(),
  TEMPORAL_ADDRESS: plainText('host:port', /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+):\d{1,5}$/i).optional(),
  TEMPORAL_NAMESPACE: plainText('1 to 255 characters without spaces', /^\S{1,255}$/).default('default'),
  TEMPORAL_API_KEY: secret('an API key of Temporal Cloud, without spaces', (text) => /^\S+$/.test(text)).optional(),
  TEMPORAL_TLS_CA: pem('certificate').optional(),
  TEMPORAL_TLS_SERVER_NAME: setting('a host name', (text) => (isIP(text) ? null : readHost(text))).optional(),
  TEMPORAL_TLS_CERT: pem('certificate').optional(),
  TEMPORAL_TLS_KEY: pem('private key').optional(),
  TEMPORAL_UI_PORT: port.default(8233),
  TEMPORAL_CODEC_PORT: port.optional(),
  TEMPORAL_CODEC_ORIGINS: setting(
    'origins of Temporal UIs separated by commas, such as https://temporal.loja.com.br',
    readOrigins,
  ).optional(),
  TEMPORAL_CODEC_TOKEN: secret('16 to 200 characters without spaces', (text) => /^\S{16,200}$/.test(text)).optional(),
  WEBHOOK_ALLOWED_NETWORKS: setting(
    'CIDRs separated by commas, such as 10.0.0.0/8, or "none"',
    readNetworks,
  ).optional(),
  WEBHOOK_NAME_SERVERS: setting(
    'IP addresses of name servers separated by commas, such as 9.9.9.9 or [2620:fe::fe]:53',
    readNameServers,
  ).optional(),
  RATE_LIMIT_SANDBOX_PER_SECOND: perSecond.default(25),
  RATE_LIMIT_LIVE_PER_SECOND: perSecond.default(100),
  CHARGES_AT_ONCE: wholeNumber({ min: 8, max: 10_000 }).default(CHARGES_AT_ONCE),
  ENCRYPTION_KEY: secret(SINGLE_KEY, isSingleKey).optional(),
  ENCRYPTION_KEYS: judgedSetting(ringLimit, (text) => new Secret(text)).optional(),
  VAULT_ADDR: setting('an http:// or https:// URL without query, fragment or password', readPublicUrl).optional(),
  VAULT_TOKEN: secret('a token of Vault, without spaces', (text) => /^\S{1,4000}$/.test(text)).optional(),
  VAULT_NAMESPACE: plainText('a namespace of Vault, without spaces', /^\S{1,255}$/).optional(),
  SMTP_URL: secret('an smtp:// or smtps:// URL that names a host', namesMailServer).optional(),
  MAIL_FROM: setting('an e-mail address, such as conta@loja.com.br or Loja <conta@loja.com.br>', readSender).optional(),
  TRUST_PROXY: wholeNumber({ min: 0, max: 16 }).default(0),
  RUN_SHARDS: shardCount.default(1),
  DRAIN_SECONDS: wholeNumber({ min: 0, max: 60 }).default(5),
  CLIENT_CERTIFICATE_HEADER: plainText(
    'the name of a header, such as x-client-certificate',
    /^[a-z0-9-]{1,80}$/i,
  ).optional(),
  FATURA_OPERATOR: setting('1 to 100 characters in one line', operatorForm).optional(),
  METRICS_TOKEN: secret('32 to 200 characters without spaces (openssl rand -hex 32)', (text) =>
    /^[!-~]{32,200}$/.test(text),
  ).optional(),
  SECURITY_CONTACT: setting('an e-mail address, or an https:// URL, for reports of weaknesses', readContact).optional(),
  OIDC_ISSUER: setting('an https:// URL without query, fragment or password', readIssuer).optional(),
  OIDC_CLIENT_ID: setting('1 to 255 characters without spaces', (text) =>
    /^\S{1,255}$/.test(text) ? text : null,
  ).optional(),
  OIDC_CLIENT_SECRET: secret('the secret of the client, without spaces', (text) => /^\S{1,500}$/.test(text)).optional(),
  OIDC_ONLY: setting('1 or 0', (text) => ({ 1: true, 0: false })[text] ?? null).default(false),
  TEMPORAL_UI_URL: setting('an http:// or https:// URL without query, fragment or password', readPublicUrl).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    'an http:// or https:// URL without query, fragment or password',
    readPublicUrl,
  ).optional(),
  OTEL_TRACES_SAMPLER_ARG: setting('a number from 0 to 1, such as 0.05', readShare).default(1),
  LOG_LEVEL: setting(
    `one of ${LOG_LEVELS.join(', ')}`,
    (text) => LOG_LEVELS.find((level) => level === text) ?? null,
  ).default('info'),
});

type Environment = Record<string, string | undefined>;

export const settingNames: readonly string[] = Object.keys(settings.shape);

/** The only reader of the environment. An empty variable counts as unset. */
export function parseConfig(env: Environment): Config {
  const present = presentSettings(env);
  const parsed = settings.safeParse(present);
  const problems = [
    ...(parsed.error?.issues ?? []).map((issue) =>
      describe({ name: String(issue.path[0]), limit: issue.message, present }),
    ),
    ...misfits(present),
    ...sharedPort(present),
    ...unknownSettings(Object.keys(env), settingNames),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return toConfig(parsed.data);
}

function toConfig(values: z.output<typeof settings>): Config {
  const { PORT, HOST, DATABASE_URL } = values;
  const publicUrl = values.PUBLIC_URL ?? `http://${isIP(HOST) === 6 ? `[${HOST}]` : HOST}:${PORT}`;
  return {
    modes: values.MODES,
    port: PORT,
    host: HOST,
    publicUrl,
    dataDir: values.DATA_DIR,
    databaseUrl: DATABASE_URL ?? null,
    databaseReadUrl: values.DATABASE_READ_URL ?? null,
    temporal: {
      address: values.TEMPORAL_ADDRESS ?? null,
      namespace: values.TEMPORAL_NAMESPACE,
      apiKey: values.TEMPORAL_API_KEY ?? null,
      tls: temporalTls(values),
      codec: {
        port: values.TEMPORAL_CODEC_PORT ?? null,
        origins: values.TEMPORAL_CODEC_ORIGINS ?? [],
        token: values.TEMPORAL_CODEC_TOKEN ?? null,
      },
    },
    temporalUiPort: values.TEMPORAL_UI_PORT,
    webhookAllowedNetworks: values.WEBHOOK_ALLOWED_NETWORKS ?? (DATABASE_URL ? [] : LOOPBACK_NETWORKS),
    webhookNameServers: values.WEBHOOK_NAME_SERVERS ?? null,
    rateLimit: {
      sandboxPerSecond: values.RATE_LIMIT_SANDBOX_PER_SECOND,
      livePerSecond: values.RATE_LIMIT_LIVE_PER_SECOND,
    },
    chargesAtOnce: values.CHARGES_AT_ONCE,
    encryptionKeys: values.ENCRYPTION_KEYS ?? values.ENCRYPTION_KEY ?? null,
    vault: vaultOf(values),
    smtpUrl: values.SMTP_URL ?? null,
    mailFrom: values.MAIL_FROM ?? { name: 'Fatura', address: `no-reply@${new URL(publicUrl).hostname}` },
    trustProxy: values.TRUST_PROXY,
    runShards: values.RUN_SHARDS,
    drainSeconds: values.DRAIN_SECONDS,
    clientCertificateHeader: values.CLIENT_CERTIFICATE_HEADER ?? null,
    operator: values.FATURA_OPERATOR ?? null,
    metricsToken: values.METRICS_TOKEN ?? null,
    securityContact: values.SECURITY_CONTACT ?? null,
    oidc: oidcOf(values),
    traces: tracesOf(values),
    temporalUi: values.TEMPORAL_UI_URL ?? null,
    logLevel: values.LOG_LEVEL,
  };
}

function tracesOf({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_TRACES_SAMPLER_ARG: share,
}: z.output<typeof settings>): Config['traces'] {
  return endpoint === undefined ? null : { endpoint, share };
}

function vaultOf(values: z.output<typeof settings>): Config['vault'] {
  const { VAULT_ADDR: address, VAULT_TOKEN: token, VAULT_NAMESPACE: namespace } = values;
  return address === undefined || token === undefined ? null : { address, token, namespace: namespace ?? null };
}

function oidcOf(values: z.output<typeof settings>): Config['oidc'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_ONLY: isOnly } = values;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  return { issuer, clientId, clientSecret, isOnly };
}

function temporalTls(values: z.output<typeof settings>): Config['temporal']['tls'] {
  const { TEMPORAL_TLS_CA: caPem, TEMPORAL_TLS_SERVER_NAME: serverName, TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY } = values;
  const isPair = TEMPORAL_TLS_CERT !== undefined && TEMPORAL_TLS_KEY !== undefined;
  const client = isPair ? { certificatePem: TEMPORAL_TLS_CERT, keyPem: new Secret(TEMPORAL_TLS_KEY) } : null;
  if (caPem === undefined && serverName === undefined && client === null) return null;
  return { caPem: caPem ?? null, serverName: serverName ?? null, client };
}

function presentSettings(env: Environment): Present {
  const present: Record<string, string> = {};
  for (const name of settingNames) {
    const text = env[name]?.trim();
    if (text) present[name] = text;
  }
  return present;
}

function describe({ name, limit, present }: { name: string; limit: string; present: Present }): string {
  const text = present[name] ?? '';
  const came = SHOWN_NEVER.has(name)
    ? `a value of ${text.length} characters (not shown)`
    : JSON.stringify(clip(text, SHOWN_CHARACTERS_MAX, '…'));
  return `${name} must be ${limit}; it is ${came}`;
}

/** Temporal's UI would take the port first, and the API could never listen. */
function sharedPort(present: Present): string[] {
  const api = settings.shape.PORT.safeParse(present.PORT).data;
  const ui = settings.shape.TEMPORAL_UI_PORT.safeParse(present.TEMPORAL_UI_PORT).data;
  if (present.TEMPORAL_ADDRESS || api === undefined || api !== ui) return [];
  return [`TEMPORAL_UI_PORT must be another port than PORT; both are ${api}`];
}
