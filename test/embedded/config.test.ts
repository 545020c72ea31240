import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { errorCatalog } from '../../contract/errors.ts';
import { parseConfig } from '../../server/config.ts';
import { Secret } from '../../server/config-kinds.ts';
import { ConfigError } from '../../server/config-misfits.ts';
import { plainTextWays } from '../../server/plain-text.ts';

const KEY = Buffer.alloc(32, 'chave').toString('base64');
const PASSWORD = 'hunter2-of-the-database';
const DATABASE_URL = `postgres://app:${PASSWORD}@db.internal:5432/fatura`;

function problemsOf(env: Record<string, string>): string[] {
  try {
    parseConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('without any setting everything has its default', () => {
  expect(parseConfig({})).toEqual({
    modes: ['live', 'sandbox'],
    chargesAtOnce: 320,
    port: 3000,
    host: '127.0.0.1',
    publicUrl: 'http://127.0.0.1:3000',
    dataDir: resolve(import.meta.dirname, '../../.fatura'),
    databaseUrl: null,
    databaseReadUrl: null,
    temporal: {
      address: null,
      namespace: 'default',
      apiKey: null,
      tls: null,
      codec: { port: null, origins: [], token: null },
    },
    temporalUiPort: 8233,
    webhookAllowedNetworks: ['127.0.0.0/8', '::1/128'],
    webhookNameServers: null,
    rateLimit: { sandboxPerSecond: 25, livePerSecond: 100 },
    encryptionKeys: null,
    smtpUrl: null,
    mailFrom: { name: 'Fatura', address: 'no-reply@127.0.0.1' },
    trustProxy: 0,
    runShards: 1,
    drainSeconds: 5,
    clientCertificateHeader: null,
    operator: null,
    metricsToken: null,
    securityContact: null,
    oidc: null,
    temporalUi: null,
    traces: null,
    vault: null,
    logLevel: 'info',
  });
});

test.each([
  ['live', ['live']],
  [' sandbox , live ', ['live', 'sandbox']],
])('MODES=%j serves %j', (text, modes) => {
  expect(parseConfig({ MODES: text }).modes).toEqual(modes);
});

test.each(['live,live', 'both', ','])('MODES=%j is refused', (text) => {
  expect(problemsOf({ MODES: text })).toEqual([
    `MODES must be live, sandbox or live,sandbox; it is ${JSON.stringify(text)}`,
  ]);
});

test('every problem is in one message, with the limit and what came', () => {
  const env = {
    MODES: 'live,test',
    PORT: '70000',
    HOST: 'not a host',
    PUBLIC_URL: 'ftp://shop.test',
    WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8, 10.0.0.0/40',
    RATE_LIMIT_LIVE_PER_SECOND: '0',
    LOG_LEVEL: 'loud',
    TRUST_PROXY: '-1',
    TEMPORAL_ADDRESS: 'temporal.internal',
  };
  expect(problemsOf(env)).toEqual([
    'MODES must be live, sandbox or live,sandbox; it is "live,test"',
    'PORT must be a whole number from 1 to 65535; it is "70000"',
    'HOST must be an IP address or a host name; it is "not a host"',
    'PUBLIC_URL must be an http:// or https:// URL without query, fragment or password; it is "ftp://shop.test"',
    'TEMPORAL_ADDRESS must be host:port; it is "temporal.internal"',
    'WEBHOOK_ALLOWED_NETWORKS must be CIDRs separated by commas, such as 10.0.0.0/8, or "none"; it is "10.0.0.0/8, 10.0.0.0/40"',
    'RATE_LIMIT_LIVE_PER_SECOND must be a whole number from 1 to 100000; it is "0"',
    'TRUST_PROXY must be a whole number from 0 to 16; it is "-1"',
    'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent; it is "loud"',
  ]);
  expect(() => parseConfig(env)).toThrow(/^9 settings are wrong:\n {2}- MODES must be/);
});

test.each(['1', '2', '4', '8', '16'])('runs are cut into %s shards', (count) => {
  expect(parseConfig({ RUN_SHARDS: count }).runShards).toBe(Number(count));
});

test.each(['0', '3', '5', '32', '-1', '4.0', '04', 'many'])('runs are not cut into %s shards', (count) => {
  expect(problemsOf({ RUN_SHARDS: count })).toEqual([`RUN_SHARDS must be 1, 2, 4, 8 or 16; it is "${count}"`]);
});

test('what would go in plain text to another machine is told, and nothing else', () => {
  const waysOf = (env: Record<string, string>) => plainTextWays(parseConfig({ ENCRYPTION_KEY: KEY, ...env }));
  const database = (rest: string) => waysOf({ DATABASE_URL: `postgres://app:x@${rest}` });
  expect(database('db.internal/fatura')).toEqual([expect.stringMatching(/^DATABASE_URL .*plain text$/)]);
  expect(database('db.internal/fatura?sslmode=disable')).toHaveLength(1);
  expect(database('db.internal/fatura?sslmode=prefer')).toHaveLength(1);
  for (const sound of [
    'db.internal/fatura?sslmode=verify-full',
    'db.internal/fatura?sslmode=require',
    '127.0.0.1:5432/fatura',
    'localhost/fatura',
    '[::1]:5432/fatura',
    '%2Fvar%2Frun%2Fpostgresql/fatura',
    'localhost/fatura?host=/var/run/postgresql',
  ])
    expect(database(sound), sound).toEqual([]);
  const replica = (sslmode: string) =>
    waysOf({ DATABASE_URL: 'postgres://a@localhost/b', DATABASE_READ_URL: `postgres://a@db.internal/b${sslmode}` });
  expect(replica('')).toEqual([expect.stringMatching(/^DATABASE_READ_URL .*plain text$/)]);
  expect(replica('?sslmode=verify-full')).toEqual([]);
  expect(waysOf({ PUBLIC_URL: 'http://pay.loja.test' })).toEqual([expect.stringMatching(/^PUBLIC_URL /)]);
  expect(waysOf({ PUBLIC_URL: 'https://pay.loja.test' })).toEqual([]);
  expect(waysOf({ TEMPORAL_ADDRESS: 'temporal.internal:7233' })).toEqual([expect.stringMatching(/^TEMPORAL_ADDRESS /)]);
  expect(waysOf({ TEMPORAL_ADDRESS: 'temporal.internal:7233', TEMPORAL_API_KEY: 'key' })).toEqual([]);
  expect(waysOf({ TEMPORAL_ADDRESS: 'temporal.internal:7233', TEMPORAL_TLS_SERVER_NAME: 'temporal' })).toEqual([]);
  expect(waysOf({ TEMPORAL_ADDRESS: '127.0.0.1:7233' })).toEqual([]);
  const vault = (address: string, ring = 'vault:transit/fatura') =>
    plainTextWays(parseConfig({ ENCRYPTION_KEYS: ring, VAULT_ADDR: address, VAULT_TOKEN: 'hvs.x' }));
  expect(vault('http://vault.internal:8200')).toEqual([expect.stringMatching(/^VAULT_ADDR .*plain text$/)]);
  expect(vault('https://vault.internal:8200')).toEqual([]);
  expect(vault('http://127.0.0.1:8200')).toEqual([]);
  // Of Vault's own tools.
  expect(vault('http://vault.internal:8200', KEY)).toEqual([]);
});

test('a contact for weaknesses is an address or a page, and is shown as a URI', () => {
  const contactOf = (text: string) => parseConfig({ SECURITY_CONTACT: text }).securityContact;
  expect(contactOf('seguranca@loja.test')).toBe('mailto:seguranca@loja.test');
  expect(contactOf('mailto:seguranca@loja.test')).toBe('mailto:seguranca@loja.test');
  expect(contactOf('https://loja.test/seguranca')).toBe('https://loja.test/seguranca');
  for (const text of ['http://loja.test', 'https://a:b@loja.test', 'nobody', 'Loja <a@b.test>', 'a@b.test\nExpires: x'])
    expect(problemsOf({ SECURITY_CONTACT: text })).toHaveLength(1);
});

test('a token for metrics cannot be guessed, and is not shown', () => {
  expect(problemsOf({ METRICS_TOKEN: 'short-token' })).toEqual([
    'METRICS_TOKEN must be 32 to 200 characters without spaces (openssl rand -hex 32); it is a value of 11 characters (not shown)',
  ]);
  expect(problemsOf({ OTEL_TRACES_SAMPLER_ARG: '5 %', OTEL_EXPORTER_OTLP_ENDPOIN: 'http://a' })).toEqual([
    'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, such as 0.05; it is "5 %"',
    'OTEL_EXPORTER_OTLP_ENDPOIN is not a setting; did you mean OTEL_EXPORTER_OTLP_ENDPOINT?',
  ]);
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/', OTEL_TRACES_SAMPLER_ARG: '0.05' };
  expect(parseConfig(traced).traces).toEqual({ endpoint: 'http://collector:4318', share: 0.05 });
  expect(parseConfig({ METRICS_TOKEN: 'a'.repeat(32) }).metricsToken?.reveal()).toBe('a'.repeat(32));
});

test('unknown settings with a prefix of ours are problems, reported beside bad values', () => {
  const env = { FATURA_PORT: '1', RATE_LIMIT_TEST_PER_SECOND: '5', WEBHOOK_URL: 'x', PORT: 'x', UNRELATED: '1' };
  expect(problemsOf(env)).toEqual([
    'PORT must be a whole number from 1 to 65535; it is "x"',
    'FATURA_PORT is not a setting; there are FATURA_OPERATOR',
    'RATE_LIMIT_TEST_PER_SECOND is not a setting; there are RATE_LIMIT_SANDBOX_PER_SECOND, RATE_LIMIT_LIVE_PER_SECOND',
    'WEBHOOK_URL is not a setting; there are WEBHOOK_ALLOWED_NETWORKS, WEBHOOK_NAME_SERVERS',
  ]);
});

/** Where merchants are told what to export, and what reads it there. */
const CLIENT_PLACES = [
  'docs/guides',
  'docs/product',
  'sdk/README.md',
  'sdk/src',
  'sdk/examples',
  'sdk/starters',
  'README.md',
];
const REPOSITORY = resolve(import.meta.dirname, '../..');

function textsUnder(place: string): string[] {
  const path = join(REPOSITORY, place);
  if (statSync(path).isFile()) return [readFileSync(path, 'utf8')];
  return readdirSync(path).flatMap((name) => (name === 'node_modules' ? [] : textsUnder(join(place, name))));
}

test('regression-190-what guides, shops and the client tell a merchant to export does not stop the server', () => {
  const texts = CLIENT_PLACES.flatMap(textsUnder);
  const exported = /(?:\benv\.|\benv\[['"]|\bexport |^|\s)((?:FATURA|RATE_LIMIT|WEBHOOK)_[A-Z_]+)\b/gm;
  const assigned = /\b((?:FATURA|RATE_LIMIT|WEBHOOK)_[A-Z_]+)=/g;
  const names = new Set(
    texts.flatMap((text) => [...text.matchAll(exported), ...text.matchAll(assigned)].map(([, name = '']) => name)),
  );
  expect([...names]).toEqual(expect.arrayContaining(['FATURA_API_KEY', 'FATURA_BASE_URL', 'FATURA_WEBHOOK_SECRET']));
  const errorCodes: readonly string[] = Object.keys(errorCatalog);
  const values = { WEBHOOK_ALLOWED_NETWORKS: 'none', WEBHOOK_NAME_SERVERS: '9.9.9.9' };
  const shell = [...names].filter((name) => !errorCodes.includes(name)).map((name) => [name, '1']);
  expect(problemsOf({ ...Object.fromEntries(shell), ...values })).toEqual([]);
});

test('regression-46-a slip of the pen in a setting whose prefix is shared with others is a problem', () => {
  const slips = {
    TEMPORAL_ADRESS: 'TEMPORAL_ADDRESS',
    TEMPORAL_NAMEPSACE: 'TEMPORAL_NAMESPACE',
    TEMPORAL_TLS_CERTS: 'TEMPORAL_TLS_CERT',
    TEMPORAL_APIKEY: 'TEMPORAL_API_KEY',
    SMTP_URI: 'SMTP_URL',
    MAIL_FORM: 'MAIL_FROM',
  };
  expect(problemsOf(slips)).toEqual(
    Object.entries(slips)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, meant]) => `${name} is not a setting; did you mean ${meant}?`),
  );
  expect(problemsOf({ WEBHOOK_ALOWED_NETWORKS: 'none' })).toEqual([
    'WEBHOOK_ALOWED_NETWORKS is not a setting; did you mean WEBHOOK_ALLOWED_NETWORKS?',
  ]);
});

test('what other programs read under a shared prefix is theirs', () => {
  const ofOthers = [
    ...['TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE', 'TEMPORAL_CLI_ADDRESS', 'TEMPORAL_CLI_NAMESPACE', 'TEMPORAL_TLS'],
    ...['TEMPORAL_TLS_CA_DATA', 'TEMPORAL_TLS_CLIENT_CERT_PATH'],
    ...['TEMPORAL_TLS_CLIENT_KEY_DATA', 'TEMPORAL_TLS_SERVER_CA_CERT_PATH', 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION'],
    ...['TEMPORAL_TLS_CERT_DATA', 'TEMPORAL_TLS_KEY_DATA', 'TEMPORAL_CODEC_ENDPOINT', 'TEMPORAL_CODEC_AUTH'],
    ...['TEMPORAL_GRPC_META_TENANT', 'TEMPORAL_DEFAULT_NAMESPACE', 'TEMPORAL_HOST_URL', 'TEMPORAL_PORT'],
    ...['TEMPORAL_SERVICE_HOST', 'TEMPORAL_UI_ENABLED', 'TEMPORAL_CORS_ORIGINS', 'TEMPORAL_LOG_LEVEL'],
    ...['SMTP_HOST', 'SMTP_PORT', 'SMTP_USER', 'SMTP_PASSWORD', 'MAIL_HOST', 'MAIL_DRIVER', 'MAIL_PORT', 'MAIL_TO'],
  ];
  expect(problemsOf(Object.fromEntries(ofOthers.map((name) => [name, 'x'])))).toEqual([]);
});

test('a bad secret is counted, never shown', () => {
  const secrets = {
    DATABASE_URL: `mysql://app:${PASSWORD}@db/fatura`,
    ENCRYPTION_KEY: `short-${PASSWORD}`,
    SMTP_URL: `https://mail:${PASSWORD}@smtp.test`,
    TEMPORAL_API_KEY: `two words ${PASSWORD}`,
    TEMPORAL_TLS_KEY: `no pem ${PASSWORD}`,
    TEMPORAL_TLS_CERT: `no pem ${PASSWORD}`,
    TEMPORAL_ADDRESS: 'cloud.test:7233',
    MAIL_FROM: 'conta@loja.test',
  };
  const problems = problemsOf(secrets);
  expect(problems.join('\n')).not.toContain(PASSWORD);
  expect(problems).toContain(
    `DATABASE_URL must be a postgres:// URL that names a database; it is a value of ${secrets.DATABASE_URL.length} characters (not shown)`,
  );
  expect(problems).toHaveLength(6);
});

test('a secret prints as ***, in text, JSON and inspection', () => {
  const config = parseConfig({ DATABASE_URL, ENCRYPTION_KEY: KEY });
  for (const shown of [JSON.stringify(config), inspect(config, { depth: 9 }), `${config.databaseUrl}`]) {
    expect(shown).toContain('***');
    expect(shown).not.toContain(PASSWORD);
    expect(shown).not.toContain(KEY);
  }
  expect(config.databaseUrl?.reveal()).toBe(DATABASE_URL);
  expect(new Secret('x').reveal()).toBe('x');
});

test('a setting that needs another says so', () => {
  expect(problemsOf({ DATABASE_URL })).toEqual([
    'ENCRYPTION_KEY must be set when DATABASE_URL is: 32 bytes in base64, kept as long as that database (openssl rand -base64 32)',
  ]);
  expect(problemsOf({ SMTP_URL: 'smtp://mail.test', TEMPORAL_API_KEY: 'key' })).toEqual([
    'TEMPORAL_ADDRESS must be set when TEMPORAL_API_KEY is: the local Temporal server takes no key',
    'MAIL_FROM must be set when SMTP_URL is: e-mails need a sender',
  ]);
});

test('regression: the API and the UI of the local Temporal server cannot share a port', () => {
  const shared = 'TEMPORAL_UI_PORT must be another port than PORT; both are';
  expect(problemsOf({ PORT: '8233' })).toEqual([`${shared} 8233`]);
  expect(problemsOf({ TEMPORAL_UI_PORT: '3000', LOG_LEVEL: 'loud' })).toEqual([
    'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent; it is "loud"',
    `${shared} 3000`,
  ]);
  expect(problemsOf({ PORT: '8233', TEMPORAL_ADDRESS: 'temporal.internal:7233' })).toEqual([]);
});

test('an encryption key is exactly 32 bytes of plain base64', () => {
  const keyOf = (ENCRYPTION_KEY: string) => problemsOf({ ENCRYPTION_KEY }).length;
  expect(keyOf(KEY)).toBe(0);
  for (const wrong of [KEY.slice(0, -1), `${KEY}AAAA`, Buffer.alloc(31).toString('base64'), 'x'.repeat(44)]) {
    expect(keyOf(wrong)).toBe(1);
  }
});

describe('a key ring', () => {
  const [second, third] = [Buffer.alloc(32, 'ab').toString('base64'), Buffer.alloc(32, 'cd').toString('base64')];
  const ringOf = (...keys: string[]) => problemsOf({ ENCRYPTION_KEYS: keys.join(',') });
  const refusal = (why: string, length: number) =>
    `ENCRYPTION_KEYS must be different keys of 32 bytes in base64 or of a KMS, separated by commas (${why}); it is a value of ${length} characters (not shown)`;

  test('is keys separated by commas, the first of which seals', () => {
    const { encryptionKeys } = parseConfig({ DATABASE_URL, ENCRYPTION_KEYS: `${KEY}, ${second},${third}` });
    expect(encryptionKeys?.reveal()).toBe(`${KEY}, ${second},${third}`);
    expect(parseConfig({ DATABASE_URL, ENCRYPTION_KEY: KEY }).encryptionKeys?.reveal()).toBe(KEY);
  });

  test('says which of its keys is wrong, and shows none', () => {
    expect(ringOf(KEY, second, KEY)).toEqual([refusal('key 3 repeats key 1', 134)]);
    expect(ringOf(KEY, 'short')).toEqual([refusal('key 2 is not 32 bytes in base64', 50)]);
    expect(ringOf(KEY, '')).toEqual([refusal('key 2 is not 32 bytes in base64', 45)]);
    expect(ringOf(...Array<string>(9).fill(KEY))).toEqual([refusal('there are 9 keys, at most 8 may be', 404)]);
  });

  test('may name keys of a KMS', () => {
    const unreached = 'VAULT_ADDR and VAULT_TOKEN must be set when ENCRYPTION_KEYS names a key of Vault';
    const arn = 'awskms:arn:aws:kms:sa-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
    expect(ringOf(arn, KEY, `${arn}#2`)).toEqual([]);
    expect(ringOf(arn, arn)).toEqual([refusal('key 2 repeats key 1', 2 * arn.length + 1)]);
    const forms =
      'which is awskms:arn:aws:kms:<region>:<account>:key/<id> or vault:<mount>/<key>, each with #<label> behind it where one has several';
    for (const wrong of ['awskms:alias/fatura', 'vault:fatura', 'vault:transit/fatura#'])
      expect(ringOf(KEY, wrong)).toEqual([
        refusal(`key 2 names no key of a KMS, ${forms}`, KEY.length + 1 + wrong.length),
        ...(wrong.startsWith('vault') ? [unreached] : []),
      ]);
    expect(ringOf('vault:transit/fatura')).toEqual([unreached]);
    const reached = { VAULT_ADDR: 'https://vault:8200', VAULT_TOKEN: 'hvs.x' };
    expect(parseConfig({ DATABASE_URL, ENCRYPTION_KEYS: 'vault:transit/fatura', ...reached }).vault).toMatchObject({
      address: 'https://vault:8200',
      namespace: null,
    });
  });

  test('does not begin with one byte repeated, and may still open with it', () => {
    const zeros = Buffer.alloc(32).toString('base64');
    expect(ringOf(zeros, KEY)).toEqual([refusal('key 1 is one byte repeated, which is no secret', 89)]);
    expect(ringOf(KEY, zeros)).toEqual([]);
  });

  test('does not stand beside a single key', () => {
    expect(problemsOf({ ENCRYPTION_KEY: KEY, ENCRYPTION_KEYS: second })).toEqual([
      'ENCRYPTION_KEY and ENCRYPTION_KEYS are both set: move the one key into ENCRYPTION_KEYS, and unset the other',
    ]);
  });
});

test('loopback deliveries are the default of the embedded database alone', () => {
  const networksOf = (env: Record<string, string>) => parseConfig(env).webhookAllowedNetworks;
  expect(networksOf({ DATABASE_URL, ENCRYPTION_KEY: KEY })).toEqual([]);
  expect(networksOf({ WEBHOOK_ALLOWED_NETWORKS: 'none' })).toEqual([]);
  expect(networksOf({ WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8,fd00::/8' })).toEqual(['10.0.0.0/8', 'fd00::/8']);
});

test('name servers are addresses, with a port or without', () => {
  const serversOf = (text: string) => parseConfig({ WEBHOOK_NAME_SERVERS: text }).webhookNameServers;
  expect(serversOf('9.9.9.9, [2620:fe::fe]:5353 2620:fe::9,1.1.1.1:53')).toEqual([
    '9.9.9.9',
    '[2620:fe::fe]:5353',
    '2620:fe::9',
    '1.1.1.1:53',
  ]);
  for (const wrong of ['dns.quad9.net', '9.9.9', '9.9.9.9;1.1.1.1', 'none', ',']) {
    expect(problemsOf({ WEBHOOK_NAME_SERVERS: wrong })).toEqual([
      expect.stringMatching(/^WEBHOOK_NAME_SERVERS must be IP/),
    ]);
  }
});

test('an empty variable counts as unset', () => {
  expect(parseConfig({ PORT: '', DATABASE_URL: ' ', WEBHOOK_ALLOWED_NETWORKS: '' })).toEqual(parseConfig({}));
});

test('the public URL follows host and port, and loses its last slash', () => {
  expect(parseConfig({ HOST: '::1', PORT: '81' }).publicUrl).toBe('http://[::1]:81');
  expect(parseConfig({ PUBLIC_URL: 'https://pay.loja.test/' }).publicUrl).toBe('https://pay.loja.test');
});

test('e-mails come from an address, with a name or without', () => {
  const fromOf = (MAIL_FROM: string) => parseConfig({ SMTP_URL: 'smtp://mail.test', MAIL_FROM }).mailFrom;
  expect(fromOf('conta@loja.com.br')).toEqual({ name: null, address: 'conta@loja.com.br' });
  expect(fromOf('<conta@loja.com.br>')).toEqual({ name: null, address: 'conta@loja.com.br' });
  expect(fromOf('Loja do José <conta+faturas@loja.com.br>')).toEqual({
    name: 'Loja do José',
    address: 'conta+faturas@loja.com.br',
  });
  expect(fromOf('"Loja, Conta" <conta@localhost>')).toEqual({ name: 'Loja, Conta', address: 'conta@localhost' });
  expect(parseConfig({ PUBLIC_URL: 'https://pay.loja.test:8443/x' }).mailFrom).toEqual({
    name: 'Fatura',
    address: 'no-reply@pay.loja.test',
  });
});

test('what is no sender and no mail server is told beside every other problem', () => {
  const limit = 'MAIL_FROM must be an e-mail address, such as conta@loja.com.br or Loja <conta@loja.com.br>; it is';
  expect(problemsOf({ SMTP_URL: 'smtp://', MAIL_FROM: 'conta', PORT: '0' })).toEqual([
    'PORT must be a whole number from 1 to 65535; it is "0"',
    'SMTP_URL must be an smtp:// or smtps:// URL that names a host; it is a value of 7 characters (not shown)',
    `${limit} "conta"`,
  ]);
  for (const wrong of [
    'a@b, c@d',
    'Loja <a@b',
    'Loja a@b',
    'Loja\r\nBcc: x <a@b>',
    '<>',
    'a@b.',
    'a b@c',
    'Loja <a@b> <c@d>',
  ])
    expect(problemsOf({ MAIL_FROM: wrong })).toEqual([`${limit} ${JSON.stringify(wrong)}`]);
});

test('TLS to Temporal takes an authority, a name, and a client certificate with its key', () => {
  const ca = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
  const tlsOf = (env: Record<string, string>) =>
    parseConfig({ TEMPORAL_ADDRESS: 'temporal.internal:7233', ...env }).temporal.tls;
  expect(tlsOf({})).toBeNull();
  expect(tlsOf({ TEMPORAL_TLS_CA: ca, TEMPORAL_TLS_SERVER_NAME: 'temporal.internal' })).toEqual({
    caPem: ca,
    serverName: 'temporal.internal',
    client: null,
  });
  expect(problemsOf({ TEMPORAL_TLS_CA: ca, TEMPORAL_TLS_CERT: ca }).toSorted()).toEqual([
    'TEMPORAL_ADDRESS must be set when TEMPORAL_TLS_CA is: the local Temporal server speaks no TLS',
    'TEMPORAL_ADDRESS must be set when TEMPORAL_TLS_CERT is: the local Temporal server takes no certificate',
    'TEMPORAL_TLS_KEY must be set when TEMPORAL_TLS_CERT is: a client certificate comes with its key',
  ]);
});

test('what opens payloads asks for a token unless Temporal is on this machine', () => {
  const codec = { TEMPORAL_CODEC_PORT: '8234' };
  expect(problemsOf({ ...codec, TEMPORAL_ADDRESS: '127.0.0.1:7233' })).toEqual([]);
  expect(problemsOf({ ...codec, TEMPORAL_ADDRESS: 'temporal.internal:7233' })).toEqual([
    'TEMPORAL_CODEC_TOKEN must be set when TEMPORAL_CODEC_PORT is: callers show it, as TEMPORAL_ADDRESS is no loopback',
  ]);
  expect(problemsOf({ TEMPORAL_CODEC_ORIGINS: 'https://temporal.loja.test/ui' })).toEqual([
    expect.stringContaining('TEMPORAL_CODEC_ORIGINS must be origins of Temporal UIs'),
    'TEMPORAL_CODEC_PORT must be set when TEMPORAL_CODEC_ORIGINS is: nothing decodes without a port',
  ]);
});

test('a client certificate comes as PEM text or as the path of a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fatura-config-'));
  const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
  const key = '-----BEGIN PRIVATE KEY-----\nMIIC\n-----END PRIVATE KEY-----\n';
  writeFileSync(join(folder, 'key.pem'), key);
  const { temporal } = parseConfig({
    TEMPORAL_ADDRESS: 'cloud.test:7233',
    TEMPORAL_TLS_CERT: certificate,
    TEMPORAL_TLS_KEY: join(folder, 'key.pem'),
  });
  expect(temporal.tls?.client?.certificatePem).toBe(certificate.trim());
  expect(temporal.tls?.client?.keyPem.reveal()).toBe(key);
  rmSync(folder, { recursive: true });
});
