import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Encrypts what must not be read from a copy of the database, and fingerprints what must not be guessed from one. */
export interface SecretBox {
  seal(plain: string): Buffer;
  open(sealed: Uint8Array): string;
  /** A keyed hash: equal inputs show as equal and nothing else can be learnt. */
  fingerprint(parts: readonly string[]): Buffer;
}

/** `key` is the ENCRYPTION_KEY of 32 bytes; encryption and fingerprints use keys derived from it. */
export function createSecretBox(key: Uint8Array): SecretBox {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `fatura ${purpose}`, KEY_BYTES));
  const boxKey = derive('box');
  const hashKey = derive('fingerprint');
  return {
    seal(plain) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, boxKey, iv);
      const body = cipher.update(plain, 'utf8');
      return Buffer.concat([iv, body, cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed) {
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv(ALGORITHM, boxKey, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      const body = decipher.update(bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES));
      return Buffer.concat([body, decipher.final()]).toString('utf8');
    },
    fingerprint(parts) {
      // The length keeps ['ab','c'] and ['a','bc'] apart.
      const whole = parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('');
      return createHmac('sha256', hashKey).update(whole).digest();
    },
  };
}
