import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

/** What one delivery is signed over, and the one or (for 24 hours after a rotation) two secrets to sign with. */
export type WebhookToSign = {
  id: string;
  /** The sending instant in Unix seconds. */
  timestamp: number;
  body: string | Uint8Array;
  secrets: readonly [string] | readonly [string, string];
};

/** The three headers by which a receiver authenticates a delivery. */
export type SignatureHeaders = {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const CACHED_KEYS_MAX = 10_000;

/** Signs a delivery after the Standard Webhooks scheme `v1`, once with each secret. */
export function signWebhook(webhook: WebhookToSign): SignatureHeaders {
  if (!Number.isSafeInteger(webhook.timestamp) || webhook.timestamp < 0) {
    throw new RangeError(`webhook-timestamp must be whole Unix seconds, got ${webhook.timestamp}`);
  }
  const timestamp = String(webhook.timestamp);
  const head = `${webhook.id}.${timestamp}.`;
  const [current, former] = webhook.secrets;
  const signature = sign(head, webhook.body, current);
  return {
    'webhook-id': webhook.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': former === undefined ? signature : `${signature} ${sign(head, webhook.body, former)}`,
  };
}

/** Makes a new endpoint secret, `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

function sign(head: string, body: string | Uint8Array, secret: string): string {
  return `v1,${createHmac('sha256', keyOf(secret)).update(head).update(body).digest('base64')}`;
}

// Decoding a secret costs a fifth of a signature, and the same few endpoints are signed for again and again.
const keys = new Map<string, KeyObject>();

function keyOf(secret: string): KeyObject {
  const known = keys.get(secret);
  if (known) return known;
  const key = createSecretKey(decodeSecret(secret));
  if (keys.size >= CACHED_KEYS_MAX) keys.clear(); // refilled within as many signatures; keeps the common path one look-up
  keys.set(secret, key);
  return key;
}

function decodeSecret(secret: string): Buffer {
  const encoded = secret.slice(SECRET_PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  // Node skips what is not base64, which would sign with another key than the receiver's: demand the same text back.
  if (!secret.startsWith(SECRET_PREFIX) || key.length === 0 || key.toString('base64') !== encoded) {
    throw new Error('a webhook secret must be whsec_ followed by base64');
  }
  return key;
}
