import { createHmac, hkdfSync } from 'node:crypto';
import { BillingError } from '../kernel/errors.ts';
import { ENCRYPTION_KEY_BYTES, type KeyRing } from '../kernel/key-ring.ts';
import { inOne, openBytes, sealBytes } from './sealed.ts';

/** Begins each ciphertext: its version, before the id of its key. */
const MARK = Buffer.from([0x66, 0x61, 0x74, 0x01]);
const KEY_ID_END = MARK.length + 4;

/** Where a sealed text belongs: moved to another row, account or use, it does not open. */
export interface SealContext {
  readonly use: string;
  /** Null: the database's own. */
  readonly accountId: string | null;
  readonly id: string;
}

/** Encrypts what must not be read from a copy of the database, and fingerprints what must not be guessed from one. */
export interface SecretBox {
  readonly ring: KeyRing;
  seal(plain: string | Uint8Array, place: SealContext): Buffer;
  open(sealed: Uint8Array, place: SealContext): string;
  openBytes(sealed: Uint8Array, place: SealContext): Buffer;
  /** A keyed hash: equal inputs show as equal and nothing else can be learnt. It stays when keys of the ring change. */
  fingerprint(parts: readonly string[]): Buffer;
  /** Seals what Temporal keeps, which nobody seals anew: like the hash key it stays when keys of the ring change. */
  readonly payloadKey: Buffer;
  /** Takes the key of hashes that the database keeps for all processes (docs/design/keys.md#the-hash-key); before, nothing is sealed or hashed. */
  adopt(hashKey: Buffer): void;
  readonly isProven: boolean;
}

/** How everything begins that the first key of a ring has sealed. */
export const headOf = (keyId: string): Buffer => Buffer.concat([MARK, Buffer.from(keyId, 'hex')]);

/** The id of the key in a ciphertext; null: it is none of ours. */
export const keyIdIn = (sealed: Uint8Array): string | null =>
  MARK.equals(sealed.subarray(0, MARK.length))
    ? Buffer.from(sealed.subarray(MARK.length, KEY_ID_END)).toString('hex')
    : null;

const boundTo = (keyId: string, { use, accountId, id }: SealContext): Buffer =>
  Buffer.concat([headOf(keyId), Buffer.from(inOne([use, accountId ?? '', id]))]);

/** A ciphertext that no key of the ring opens in this place. */
class Unopened extends Error {
  constructor({ use, id }: SealContext, keyId: string | null) {
    super(`no key of the ring opens the ${use} of ${id}, which was sealed with the key ${keyId ?? 'of nobody'}`);
    this.name = 'Unopened';
  }
}

export function createSecretBox(ring: KeyRing, given: Buffer | null = null): SecretBox {
  let hashKey = given;
  const known = (): Buffer => {
    if (hashKey === null)
      throw new BillingError('SERVICE_UNAVAILABLE', { message: 'The service cannot answer now; repeat shortly' });
    return hashKey;
  };
  const opened = (sealed: Uint8Array, place: SealContext): Buffer => {
    const keyId = keyIdIn(sealed);
    const key = keyId === null ? undefined : ring.find(keyId);
    if (keyId === null || key === undefined) throw new Unopened(place, keyId);
    try {
      return openBytes(sealed.subarray(KEY_ID_END), { key: key.seals, boundTo: boundTo(keyId, place) });
    } catch {
      throw new Unopened(place, keyId);
    }
  };
  return {
    ring,
    get payloadKey() {
      return Buffer.from(hkdfSync('sha256', known(), '', 'fatura payloads', ENCRYPTION_KEY_BYTES));
    },
    get isProven() {
      return hashKey !== null;
    },
    adopt: (found) => {
      hashKey = found;
    },
    seal(plain, place) {
      known();
      const { id, seals } = ring.first;
      const bytes = typeof plain === 'string' ? Buffer.from(plain, 'utf8') : plain;
      return Buffer.concat([headOf(id), sealBytes(bytes, { key: seals, boundTo: boundTo(id, place) })]);
    },
    open: (sealed, place) => opened(sealed, place).toString(),
    openBytes: opened,
    fingerprint: (parts) => createHmac('sha256', known()).update(inOne(parts)).digest(),
  };
}
