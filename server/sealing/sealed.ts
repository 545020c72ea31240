import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

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
  if (sealed.length < SALT_BYTES + IV_BYTES + TAG_BYTES) throw new Error('a sealed text is cut off');
  const [salt, rest] = [sealed.subarray(0, SALT_BYTES), sealed.subarray(SALT_BYTES)];
  // Without its length given, shorter tags, which are easier to guess, would pass as well.
  const options = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv(ALGORITHM, textKey(key, salt), rest.subarray(0, IV_BYTES), options);
  decipher.setAAD(boundTo);
  decipher.setAuthTag(rest.subarray(rest.length - TAG_BYTES));
  return Buffer.concat([decipher.update(rest.subarray(IV_BYTES, rest.length - TAG_BYTES)), decipher.final()]);
}

/** The parts of something as one text that no other parts make: the length keeps ['ab','c'] and ['a','bc'] apart. */
export const inOne = (parts: readonly string[]): string =>
  parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('');
