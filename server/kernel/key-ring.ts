import { hkdfSync } from 'node:crypto';
import { isReference, REFERENCE_FORMS, readReference } from './key-references.ts';

export const ENCRYPTION_KEY_BYTES = 32;
/** A change needs two; more are left over from changes that nobody ended. */
export const RING_KEYS_MAX = 8;

const KEY_ID_BYTES = 4;

/** One key of the ring, with what is derived from it: one key for each purpose. */
export interface RingKey {
  /** Tells the keys of a ring apart and says nothing of the key itself; it stands in each ciphertext. */
  readonly id: string;
  /** Seals what is bound to its place. */
  readonly seals: Buffer;
}

/** The keys of `ENCRYPTION_KEYS`: the first seals, all open (docs/design/keys.md). */
export interface KeyRing {
  readonly first: RingKey;
  readonly keys: readonly RingKey[];
  find(id: string): RingKey | undefined;
}

function ringKey(key: Uint8Array): RingKey {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', key, '', `fatura ${purpose}`, ENCRYPTION_KEY_BYTES));
  return {
    id: derive('key id').subarray(0, KEY_ID_BYTES).toString('hex'),
    seals: derive('seal'),
  };
}

export function createKeyRing(keys: readonly Uint8Array[]): KeyRing {
  const ring = keys.map(ringKey);
  const byId = new Map(ring.map((key) => [key.id, key]));
  const [first] = ring;
  if (first === undefined) throw new Error('a key ring needs a key');
  if (byId.size < ring.length) throw new Error('two keys of the ring have one id: make another key');
  return { first, keys: ring, find: (id) => byId.get(id) };
}

/** The keys of a setting that has passed its check and names no KMS. */
export const ringOf = (text: string): KeyRing =>
  createKeyRing(text.split(',').map((key) => Buffer.from(key.trim(), 'base64')));

/** What is wrong with the keys of a setting; null: nothing. No word of it shows a key. */
export function ringProblem(text: string): string | null {
  const keys = text.split(',').map((key) => key.trim());
  if (keys.length > RING_KEYS_MAX) return `there are ${keys.length} keys, at most ${RING_KEYS_MAX} may be`;
  for (const [index, key] of keys.entries()) {
    const bytes = Buffer.from(key, 'base64');
    const name = `key ${index + 1}`;
    const former = keys.indexOf(key);
    if (former < index) return `${name} repeats key ${former + 1}`;
    if (isReference(key)) {
      if (readReference(key) === null) return `${name} names no key of a KMS, which is ${REFERENCE_FORMS}`;
      continue;
    }
    if (bytes.length !== ENCRYPTION_KEY_BYTES || bytes.toString('base64') !== key)
      return `${name} is not ${ENCRYPTION_KEY_BYTES} bytes in base64`;
    // Behind the first it may stand, so that what it sealed can be sealed anew.
    if (index === 0 && bytes.every((byte) => byte === bytes[0]))
      return `${name} is one byte repeated, which is no secret`;
  }
  return null;
}
