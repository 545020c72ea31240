import type pg from 'pg';
import { codeOf } from '../kernel/errors.ts';
import type { SecretBox } from './secret-box.ts';
import { acrossAccounts, run, sendAlone, statement, writeOf } from './statement.ts';

const PLAIN = 'sealed with the ENCRYPTION_KEY of this database';
/** So many sealed texts of each kind are tried where no canary was written yet. */
const SAMPLES_MAX = 20;
const UNDEFINED_TABLE = '42P01';

const readCanary = statement<{ sealed: Buffer }>('read_encryption_canary', 'SELECT sealed FROM encryption_canary');

const writeCanary = statement(
  'write_encryption_canary',
  'INSERT INTO encryption_canary (sealed) VALUES (:sealed) ON CONFLICT (is_only) DO NOTHING',
);

const readSealed = acrossAccounts<{ sealed: Buffer }>(
  'read_sealed_samples',
  `(SELECT secret AS sealed FROM webhook_endpoint ORDER BY id DESC LIMIT ${SAMPLES_MAX})
   UNION ALL (SELECT answer FROM idempotency_key WHERE answer IS NOT NULL LIMIT ${SAMPLES_MAX})`,
);

/** Every stored secret, stored answer and payment link of the database belongs to another key. */
export class WrongEncryptionKey extends Error {
  constructor() {
    super(
      'ENCRYPTION_KEY is not the key that this database was sealed with: ' +
        'set it to the key of the former starts, or set DATABASE_URL to the database of this key.',
    );
    this.name = 'WrongEncryptionKey';
  }
}

/** Lets the connections of a process through once one of them has shown that the key is the database's. */
export function createKeyProof(secretBox: SecretBox): (client: pg.ClientBase) => Promise<void> {
  let isProven = false;
  return async (client) => {
    if (isProven) return;
    await proveKey(client, secretBox).catch((error: unknown) => {
      throw codeOf(error) === UNDEFINED_TABLE
        ? new Error('it has no tables of this version: run `npm run migrate`')
        : error;
    });
    isProven = true;
  };
}

async function proveKey(client: pg.ClientBase, secretBox: SecretBox): Promise<void> {
  const canary = (await canaryOf(client)) ?? (await firstCanary(client, secretBox));
  if (!opens(secretBox, canary)) throw new WrongEncryptionKey();
}

async function canaryOf(client: pg.ClientBase): Promise<Buffer | null> {
  const [row] = await run(client, readCanary, {});
  return row?.sealed ?? null;
}

/** The canary of the process that wrote it first, which may be another one that starts at this moment. */
async function firstCanary(client: pg.ClientBase, secretBox: SecretBox): Promise<Buffer> {
  // A database of before the canary shows its key by what was sealed there.
  const samples = await sendAlone<{ sealed: Buffer }>(client, writeOf(readSealed, {}));
  if (samples.length > 0 && !samples.some(({ sealed }) => opens(secretBox, sealed))) throw new WrongEncryptionKey();
  await run(client, writeCanary, { sealed: secretBox.seal(PLAIN) });
  const written = await canaryOf(client);
  if (written === null) throw new Error('the encryption canary was removed while it was written');
  return written;
}

function opens(secretBox: SecretBox, sealed: Buffer): boolean {
  try {
    secretBox.open(sealed);
    return true;
  } catch {
    return false;
  }
}
