import type { Config } from './config.ts';
import { namesVault } from './kernel/key-references.ts';
import { isPlainHttpUrl, namesLoopback } from './kernel/loopback.ts';

/** The modes of libpq and pg in which a connection is never without TLS. */
const ENCRYPTED = new Set(['require', 'verify-ca', 'verify-full', 'no-verify']);

function isPlainDatabase(url: string): boolean {
  const { hostname, searchParams } = new URL(url);
  // A socket of this machine has a path instead of a host.
  const isSocket = hostname === '' || /^%2f/i.test(hostname) || (searchParams.get('host') ?? '').startsWith('/');
  if (isSocket || namesLoopback(url)) return false;
  return !ENCRYPTED.has(searchParams.get('sslmode') ?? '') && searchParams.get('ssl') !== 'true';
}

/** What goes over a network that others may listen to, by the settings (docs/operations.md#encrypted-ways). */
export function plainTextWays({ databaseUrl, databaseReadUrl, publicUrl, temporal, encryptionKeys, vault }: Config) {
  const { address, apiKey, tls } = temporal;
  const warnings: (string | false)[] = [
    databaseUrl !== null &&
      isPlainDatabase(databaseUrl.reveal()) &&
      'DATABASE_URL names another machine without sslmode=verify-full: rows and the password go in plain text',
    databaseReadUrl !== null &&
      isPlainDatabase(databaseReadUrl.reveal()) &&
      'DATABASE_READ_URL names another machine without sslmode=verify-full: rows and the password go in plain text',
    isPlainHttpUrl(publicUrl) &&
      'PUBLIC_URL is http: API keys and card numbers go in plain text, unless a proxy has TLS and PUBLIC_URL is wrong',
    address !== null &&
      apiKey === null &&
      tls === null &&
      !namesLoopback(`http://${address}`) &&
      'TEMPORAL_ADDRESS names another machine without TEMPORAL_TLS_CA, TEMPORAL_TLS_SERVER_NAME, TEMPORAL_TLS_CERT or TEMPORAL_API_KEY: ids go in plain text',
    vault !== null &&
      namesVault(encryptionKeys?.reveal() ?? '') &&
      isPlainHttpUrl(vault.address) &&
      'VAULT_ADDR is http and names another machine: the token and the keys that Vault unwraps go in plain text',
  ];
  return warnings.filter((warning) => warning !== false);
}
