import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { KeyRing, RingKey } from '../kernel/key-ring.ts';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** From these bytes and the key of the ring each text gets a key of its own, so that no number of texts wears a key out. */
const SALT_BYTES = 16;

interface Sealing {
  readonly key: Buffer;
  /** What the text belongs to: it opens nowhere else. */
  readonly boundTo: Uint8Array;
}

const textKey = (key: Buffer, salt: Uint8Array): Buffer => createHmac('sha256', key).update(salt).digest();

/** Seals bytes: salt, initial vector, text and tag. */
export function sealBytes(plain: Uint8Array, { key, boundTo }: Sealing): Buffer {
  const head = randomBytes(SALT_BYTES + IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, textKey(key, head.subarray(0, SALT_BYTES)), head.subarray(SALT_BYTES));
  cipher.setAAD(boundTo);
  return Buffer.concat([head, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Opens what `sealBytes` made; throws where the key or what it is bound to is another, or a bit was changed. */
export function openBytes(sealed: Uint8Array, { key, boundTo }: Sealing): Buffer {
  const [salt, rest] = [sealed.subarray(0, SALT_BYTES), sealed.subarray(SALT_BYTES)];
  return openPlainly(rest, textKey(key, salt), boundTo);
}

/** The way of the versions without a ring: initial vector, text and tag, bound to nothing. */
export function sealFormerly(plain: Uint8Array, key: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

export const openFormerly = (sealed: Uint8Array, key: Buffer): Buffer => openPlainly(sealed, key, null);

function openPlainly(sealed: Uint8Array, key: Buffer, boundTo: Uint8Array | null): Buffer {
  if (sealed.length < IV_BYTES + TAG_BYTES) throw new Error('a sealed text is cut off');
  // Without its length given, shorter tags, which are easier to guess, would pass as well.
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  if (boundTo !== null) decipher.setAAD(boundTo);
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, sealed.length - TAG_BYTES)), decipher.final()]);
}

/** The parts of something as one text that no other parts make: the length keeps ['ab','c'] and ['a','bc'] apart. */
export const inOne = (parts: readonly string[]): string =>
  parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('');

/** The key of the ring that does what is tried; null: none does. */
export function firstThat<T>({ keys }: KeyRing, attempt: (key: RingKey) => T): { key: RingKey; value: T } | null {
  for (const key of keys) {
    try {
      return { key, value: attempt(key) };
    } catch {
      // Another key of the ring may do.
    }
  }
  return null;
}
