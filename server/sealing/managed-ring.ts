import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { run, statement } from '../db/statement.ts';
import { isReference, type KeyReference, readReference } from '../kernel/key-references.ts';
import { createKeyRing, ENCRYPTION_KEY_BYTES, type KeyRing } from '../kernel/key-ring.ts';
import { openAwsKms } from './kms/aws.ts';
import { type Kms, KmsFault } from './kms/port.ts';
import { openVault, type VaultAccess } from './kms/vault.ts';

/** What the keys of a ring are read with. */
export interface RingAccess {
  readonly target: pg.Pool | pg.ClientBase;
  /** Null: no key of the ring is Vault's. */
  readonly vault: VaultAccess | null;
}

const readWrapped = statement<{ wrapped: string }>(
  'read_wrapped_key',
  'SELECT k.wrapped FROM wrapped_key k WHERE k.reference = :reference',
);
const keepWrapped = statement(
  'keep_wrapped_key',
  'INSERT INTO wrapped_key (reference, wrapped) VALUES (:reference, :wrapped) ON CONFLICT (reference) DO NOTHING',
);
const replaceWrapped = statement(
  'replace_wrapped_key',
  'UPDATE wrapped_key SET wrapped = :wrapped WHERE reference = :reference',
);

function kmsOf(named: KeyReference, { vault }: RingAccess): Promise<Kms> | Kms {
  if (named.kms === 'awskms') return openAwsKms(named);
  if (vault === null) throw new Error('VAULT_ADDR and VAULT_TOKEN are not set');
  return openVault(named, vault);
}

const wrappedOf = async ({ target }: RingAccess, { reference }: KeyReference): Promise<string | null> => {
  const [kept] = await run(target, readWrapped, { reference });
  return kept?.wrapped ?? null;
};

/** The key of the process that kept one first, which may be another one that starts at this moment. */
async function firstWrapped(access: RingAccess, named: KeyReference, kms: Kms): Promise<string> {
  const wrapped = await kms.wrap(randomBytes(ENCRYPTION_KEY_BYTES));
  await run(access.target, keepWrapped, { reference: named.reference, wrapped });
  const kept = await wrappedOf(access, named);
  if (kept === null) throw new Error('a wrapped key was removed while it was written');
  return kept;
}

async function managedKey(access: RingAccess, named: KeyReference, { makes }: { makes: boolean }): Promise<Uint8Array> {
  const kms = await kmsOf(named, access);
  const kept = await wrappedOf(access, named);
  if (kept === null && !makes) throw new Error(`no process has started with the key ${named.reference} yet`);
  const key = await kms.unwrap(kept ?? (await firstWrapped(access, named, kms)));
  if (key.length === ENCRYPTION_KEY_BYTES) return key;
  throw new KmsFault('The KMS', { refused: true, why: `it unwraps ${key.length} bytes, which are no key of ours` });
}

/** The keys of a setting that has passed its check, as they stand there. */
const textsOf = (text: string): string[] => text.split(',').map((key) => key.trim());

export const namesKms = (text: string): boolean => textsOf(text).some(isReference);

const referencesIn = (text: string): KeyReference[] => textsOf(text).flatMap((key) => readReference(key) ?? []);

/**
 * The ring of a setting (docs/design/keys.md#a-kms): keys that a KMS wraps are kept by the database and unwrapped now, once.
 * `makes`: whether a key that the database does not have yet is made.
 */
export async function openKeyRing(text: string, access: RingAccess, options: { makes: boolean }): Promise<KeyRing> {
  const keys: Uint8Array[] = [];
  for (const each of textsOf(text)) {
    const named = readReference(each);
    keys.push(named === null ? Buffer.from(each, 'base64') : await managedKey(access, named, options));
  }
  return createKeyRing(keys);
}

/** Has the KMS wrap the keys of a ring anew, with what is its newest version by now; answers which. */
export async function wrapAnew(text: string, access: RingAccess): Promise<string[]> {
  const references = referencesIn(text);
  for (const named of references) {
    const key = await managedKey(access, named, { makes: false });
    const wrapped = await (await kmsOf(named, access)).wrap(key);
    await run(access.target, replaceWrapped, { reference: named.reference, wrapped });
  }
  return references.map(({ reference }) => reference);
}
