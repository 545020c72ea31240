import { randomBytes } from 'node:crypto';
import { createSecretBox, type SecretBox } from '../../server/db/secret-box.ts';
import { createKeyRing } from '../../server/kernel/key-ring.ts';

/** A box over these keys that no database has approved of; its hashes are its own. */
export const newSecretBox = (
  keys: readonly Uint8Array[] = [randomBytes(32)],
  { isSealing = true }: { isSealing?: boolean } = {},
): SecretBox => createSecretBox(createKeyRing(keys), { hashKey: randomBytes(32), isSealing });
