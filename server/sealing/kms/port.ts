/** A key management service: it keeps a key that nobody takes out, and wraps ours with it. */
export interface Kms {
  /** The key as it may be kept in the database. */
  wrap(key: Uint8Array): Promise<string>;
  /** Rejects with `KmsFault`, as `wrap` does. */
  unwrap(wrapped: string): Promise<Uint8Array>;
}

/** Why a KMS gave no key; `refused`: it answered, and asking again changes nothing. */
export class KmsFault extends Error {
  constructor(kms: string, { refused, why }: { refused: boolean; why: string }) {
    super(`${kms} ${refused ? 'refuses' : 'does not answer'}: ${why}`);
    this.name = 'KmsFault';
  }
}

/** A call that has no answer by then is made again, so many times in all. */
export const KMS_TIMEOUT_MS = 5_000;
export const KMS_TRIES = 3;
