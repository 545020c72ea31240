import { createHmac, hkdfSync } from 'node:crypto';
import { BillingError } from '../kernel/errors.ts';
import { ENCRYPTION_KEY_BYTES, type KeyRing } from '../kernel/key-ring.ts';
import { firstThat, inOne, openBytes, openFormerly, sealBytes, sealFormerly } from './sealed.ts';

/** Marks a ciphertext that says its version and its key; what has none is of the versions without a ring. */
const MARK = Buffer.from([0x66, 0x61, 0x74, 0x01]);
const KEY_ID_END = MARK.length + 4;

/** Where a sealed text belongs: moved to another row, account or use, it does not open. */
export interface Place {
  readonly use: string;
  /** Null: the database's own. */
  readonly accountId: string | null;
  readonly id: string;
}

/** What the database holds for all processes, whatever their keys (docs/design/keys.md#the-hash-key). */
export interface BoxState {
  readonly hashKey: Buffer;
  /** Whether everything that reads this database reads what is sealed with a ring; else texts are sealed as before. */
  readonly isSealing: boolean;
  /** Whether all of what was sealed before has been sealed anew: what still looks like it was put there by somebody else. */
  readonly isCleared: boolean;
}

/** Encrypts what must not be read from a copy of the database, and fingerprints what must not be guessed from one. */
export interface SecretBox {
  readonly ring: KeyRing;
  readonly isSealing: boolean;
  readonly isCleared: boolean;
  seal(plain: string, place: Place): Buffer;
  open(sealed: Uint8Array, place: Place): string;
  /** A keyed hash: equal inputs show as equal and nothing else can be learnt. It stays when keys of the ring change. */
  fingerprint(parts: readonly string[]): Buffer;
  /** Seals what Temporal keeps, which nobody seals anew: like the hash key it stays when keys of the ring change. */
  readonly payloadKey: Buffer;
  /** Takes what the database holds; without it nothing is sealed and nothing hashed. */
  adopt(state: BoxState): void;
  readonly isProven: boolean;
  /** Takes what the database tells later on; neither is ever taken back. */
  learn(news: Pick<BoxState, 'isSealing' | 'isCleared'>): void;
  /** One that opens what was sealed before whether or not all of that was sealed anew. */
  takingFormer(): SecretBox;
}

/** How everything begins that the first key of a ring has sealed. */
export const headOf = (keyId: string): Buffer => Buffer.concat([MARK, Buffer.from(keyId, 'hex')]);

/** The id of the key in a ciphertext; null: it is of the versions without a ring. */
export const keyIdIn = (sealed: Uint8Array): string | null =>
  MARK.equals(sealed.subarray(0, MARK.length))
    ? Buffer.from(sealed.subarray(MARK.length, KEY_ID_END)).toString('hex')
    : null;

const boundTo = (keyId: string, { use, accountId, id }: Place): Buffer =>
  Buffer.concat([headOf(keyId), Buffer.from(inOne([use, accountId ?? '', id]))]);

/** A ciphertext that no key of the ring opens in this place. */
class Unopened extends Error {
  constructor({ use, id }: Place, keyId: string | null) {
    const sealedWith = keyId === null ? 'before there were key ids' : `with the key ${keyId}`;
    super(`no key of the ring opens the ${use} of ${id}, which was sealed ${sealedWith}`);
    this.name = 'Unopened';
  }
}

export function createSecretBox(ring: KeyRing, given: BoxState | null = null): SecretBox {
  let state = given;
  const known = (): BoxState => {
    if (state === null)
      throw new BillingError('SERVICE_UNAVAILABLE', { message: 'The service cannot answer now; repeat shortly' });
    return state;
  };
  return {
    ring,
    get isSealing() {
      return known().isSealing;
    },
    get isCleared() {
      return known().isCleared;
    },
    get payloadKey() {
      return Buffer.from(hkdfSync('sha256', known().hashKey, '', 'fatura payloads', ENCRYPTION_KEY_BYTES));
    },
    get isProven() {
      return state !== null;
    },
    adopt: (found) => {
      state = found;
    },
    learn: ({ isSealing, isCleared }) => {
      const before = known();
      state = {
        ...before,
        isSealing: before.isSealing || isSealing,
        isCleared: before.isCleared || isCleared,
      };
    },
    takingFormer: () => createSecretBox(ring, { ...known(), isCleared: false }),
    seal(plain, place) {
      const { id, seals, sealedFormerly } = ring.first;
      const bytes = Buffer.from(plain, 'utf8');
      if (!known().isSealing) return sealFormerly(bytes, sealedFormerly);
      return Buffer.concat([headOf(id), sealBytes(bytes, { key: seals, boundTo: boundTo(id, place) })]);
    },
    open(sealed, place) {
      const keyId = keyIdIn(sealed);
      const key = keyId === null ? undefined : ring.find(keyId);
      if (keyId !== null && key !== undefined) {
        try {
          return openBytes(sealed.subarray(KEY_ID_END), { key: key.seals, boundTo: boundTo(keyId, place) }).toString();
        } catch {
          // One text of the versions before in some thousand millions begins like the mark by chance.
        }
      }
      // Bound to nothing, it would open wherever somebody puts it.
      if (state?.isCleared === true) throw new Unopened(place, keyId);
      const found = firstThat(ring, ({ sealedFormerly }) => openFormerly(sealed, sealedFormerly));
      if (found === null) throw new Unopened(place, keyId);
      return found.value.toString();
    },
    fingerprint: (parts) => createHmac('sha256', known().hashKey).update(inOne(parts)).digest(),
  };
}
