import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { createKeyRing } from '../../server/kernel/key-ring.ts';
import { openReadingBox } from '../../server/sealing/key-check.ts';
import { createSecretBox, type SecretBox } from '../../server/sealing/secret-box.ts';

/** Keys as `ENCRYPTION_KEYS` holds them. */
export const textOf = (keys: readonly Uint8Array[]): string =>
  keys.map((key) => Buffer.from(key).toString('base64')).join(',');

/** A box over these keys that no database has approved of; its hashes are its own. */
export const newSecretBox = (keys: readonly Uint8Array[] = [randomBytes(32)]): SecretBox =>
  createSecretBox(createKeyRing(keys), randomBytes(32));

/** A box that reads what the processes of a database sealed, and hashes as they do. */
export const boxOf = (pool: pg.Pool, keys: readonly Uint8Array[]): Promise<SecretBox> =>
  openReadingBox(pool, createKeyRing(keys));
