import { isLoopback } from './config-formats.ts';
import { namesVault } from './kernel/key-references.ts';

/** The settings that are given, as they were written. */
export type Present = Readonly<Record<string, string>>;

/** All that is wrong with the settings, in one message. */
export class ConfigError extends Error {
  readonly problems: string[];
  constructor(problems: string[]) {
    const count = problems.length === 1 ? '1 setting is wrong' : `${problems.length} settings are wrong`;
    super(`${count}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Settings that are of no use without another. */
const COMPANIONS = [
  {
    of: 'DATABASE_URL',
    needed: 'ENCRYPTION_KEY',
    why: '32 bytes in base64, kept as long as that database (openssl rand -base64 32)',
  },
  { of: 'TEMPORAL_TLS_CERT', needed: 'TEMPORAL_TLS_KEY', why: 'a client certificate comes with its key' },
  { of: 'TEMPORAL_TLS_KEY', needed: 'TEMPORAL_TLS_CERT', why: 'a client key comes with its certificate' },
  { of: 'TEMPORAL_TLS_CERT', needed: 'TEMPORAL_ADDRESS', why: 'the local Temporal server takes no certificate' },
  { of: 'TEMPORAL_TLS_CA', needed: 'TEMPORAL_ADDRESS', why: 'the local Temporal server speaks no TLS' },
  { of: 'TEMPORAL_TLS_SERVER_NAME', needed: 'TEMPORAL_ADDRESS', why: 'the local Temporal server speaks no TLS' },
  { of: 'TEMPORAL_API_KEY', needed: 'TEMPORAL_ADDRESS', why: 'the local Temporal server takes no key' },
  { of: 'TEMPORAL_CODEC_ORIGINS', needed: 'TEMPORAL_CODEC_PORT', why: 'nothing decodes without a port' },
  { of: 'TEMPORAL_CODEC_TOKEN', needed: 'TEMPORAL_CODEC_PORT', why: 'nothing decodes without a port' },
  { of: 'CLIENT_CERTIFICATE_HEADER', needed: 'TRUST_PROXY', why: 'only a proxy in front can tell of certificates' },
  { of: 'SMTP_URL', needed: 'MAIL_FROM', why: 'e-mails need a sender' },
  { of: 'OIDC_ISSUER', needed: 'OIDC_CLIENT_ID', why: 'the provider knows the service by it' },
  { of: 'OIDC_ISSUER', needed: 'OIDC_CLIENT_SECRET', why: 'the service proves itself to the provider with it' },
  { of: 'OIDC_CLIENT_ID', needed: 'OIDC_ISSUER', why: 'nobody else takes it' },
  { of: 'OIDC_CLIENT_SECRET', needed: 'OIDC_ISSUER', why: 'nobody else takes it' },
  { of: 'OIDC_ONLY', needed: 'OIDC_ISSUER', why: 'nobody could sign in' },
];

/** What is wrong with settings that do not go together. */
export const misfits = (present: Present): string[] => [
  ...missingCompanions(present),
  ...twoRings(present),
  ...openCodec(present),
  ...unreachedVault(present),
];

function missingCompanions(present: Present): string[] {
  const isGiven = (needed: string) => present[needed] || (needed === 'ENCRYPTION_KEY' && present.ENCRYPTION_KEYS);
  return COMPANIONS.filter(({ of, needed }) => present[of] && !isGiven(needed)).map(
    ({ of, needed, why }) => `${needed} must be set when ${of} is: ${why}`,
  );
}

/** On a Temporal of this machine whoever reaches the codec reads the ciphertext as well; elsewhere callers show a token. */
function openCodec({
  TEMPORAL_ADDRESS: address,
  TEMPORAL_CODEC_PORT: port,
  TEMPORAL_CODEC_TOKEN: token,
}: Present): string[] {
  if (!port || token || !address || isLoopback(address)) return [];
  return [
    'TEMPORAL_CODEC_TOKEN must be set when TEMPORAL_CODEC_PORT is: callers show it, as TEMPORAL_ADDRESS is no loopback',
  ];
}

function twoRings({ ENCRYPTION_KEY: one, ENCRYPTION_KEYS: ring }: Present): string[] {
  if (!one || !ring) return [];
  return [
    'ENCRYPTION_KEY and ENCRYPTION_KEYS are both set: move the one key into ENCRYPTION_KEYS, and unset the other',
  ];
}

/** Whoever has Vault's own tools on the machine may have its variables too, so that they are there alone is no slip. */
function unreachedVault({ ENCRYPTION_KEYS: ring = '', VAULT_ADDR: address, VAULT_TOKEN: token }: Present): string[] {
  if (!namesVault(ring) || (address && token)) return [];
  return ['VAULT_ADDR and VAULT_TOKEN must be set when ENCRYPTION_KEYS names a key of Vault'];
}
