import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { run, statement } from '../db/statement.ts';
import { codeOf } from '../kernel/errors.ts';
import { newSuffix } from '../kernel/ids.ts';
import { ENCRYPTION_KEY_BYTES, type KeyRing } from '../kernel/key-ring.ts';
import { places } from './sealed-columns.ts';
import { createSecretBox, type SecretBox } from './secret-box.ts';

const PLAIN = 'sealed with the ENCRYPTION_KEY of this database';
const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';

/** Three times what a process tells of itself (server/db/watch.ts): one that was not seen for longer has ended, or cannot reach the database and seals nothing. */
export const SEEN_WITHIN_SECONDS = 15;

interface KeyCheck {
  readonly sealed: Buffer;
  readonly hashKey: Buffer;
}

const readKeyCheck = statement<KeyCheck>(
  'read_key_check',
  'SELECT c.sealed, c.hash_key AS "hashKey" FROM encryption_key_check c',
);

const writeKeyCheck = statement(
  'write_key_check',
  'INSERT INTO encryption_key_check (sealed, hash_key) VALUES (:sealed, :hashKey) ON CONFLICT (is_only) DO NOTHING',
);

/**
 * Tells of a process and its ring; answers the keys in use. Keys are in use from before something is sealed with
 * them: each process tells of its first one before it seals.
 */
const tellRing = statement<{ keysInUse: string[] }>(
  'tell_ring',
  `WITH used AS (INSERT INTO encryption_key (id) VALUES (:firstKey) ON CONFLICT (id) DO NOTHING),
   told AS (
     INSERT INTO encryption_ring (process, first_key, keys) VALUES (:process, :firstKey, :keys::text[])
     ON CONFLICT (process) DO UPDATE SET is_stopped = false, seen_at = now()),
   gone AS (DELETE FROM encryption_ring WHERE seen_at < now() - interval '1 day')
   SELECT coalesce((SELECT array_agg(k.id ORDER BY k.id) FROM encryption_key k), '{}') AS "keysInUse"`,
);

const findLacking = statement<{ process: string; seconds: number }>(
  'find_rings_that_lack_a_key',
  `SELECT r.process, extract(epoch FROM now() - r.seen_at)::integer AS seconds FROM encryption_ring r
   WHERE NOT r.is_stopped AND r.seen_at > now() - interval '${SEEN_WITHIN_SECONDS} seconds' AND NOT :key = ANY(r.keys)
   ORDER BY r.seen_at DESC LIMIT 1`,
);

const namesOf = (ids: readonly string[]): string => `${ids.length === 1 ? 'key' : 'keys'} ${ids.join(', ')}`;

/** The ring lacks a key that the database needs. */
export class WrongEncryptionKey extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'WrongEncryptionKey';
  }
}

const wrongKey = ({ keys }: KeyRing): WrongEncryptionKey =>
  new WrongEncryptionKey(
    'ENCRYPTION_KEY is not the key that this database was sealed with: ' +
      'set it to the key of the former starts, or set DATABASE_URL to the database of this key. ' +
      `The ring has the ${namesOf(keys.map(({ id }) => id))}.`,
  );

/** The keys of the database that a ring lacks. */
export const lackedBy = (ring: KeyRing, keysInUse: readonly string[]): readonly string[] =>
  keysInUse.filter((id) => ring.find(id) === undefined);

/** A process and its key ring, as `encryption_ring` lists them. */
export interface ProcessRing {
  readonly process: string;
  readonly box: SecretBox;
}

/** `on` says where the process runs, for people. */
export const newProcessRing = (box: SecretBox, on: string): ProcessRing => ({ process: `${on}/${newSuffix()}`, box });

/** Tells the database of the ring; answers the keys that are in use there. */
export async function tellOfRing(client: pg.Pool | pg.ClientBase, { process, box }: ProcessRing): Promise<string[]> {
  const { first, keys } = box.ring;
  const [told] = await run(client, tellRing, { process, firstKey: first.id, keys: keys.map(({ id }) => id) });
  if (told === undefined) throw new Error('a statement of one row answered none');
  return told.keysInUse;
}

/** Lets the connections of a process through once one of them has shown that the ring is the database's. */
export function createKeyProof(processRing: ProcessRing): (client: pg.ClientBase) => Promise<void> {
  let isProven = false;
  return async (client) => {
    if (isProven) return;
    await proveRing(client, processRing).catch((error: unknown) => {
      const isOlder = codeOf(error) === UNDEFINED_TABLE || codeOf(error) === UNDEFINED_COLUMN;
      throw isOlder ? new Error('it has no tables of this version: run `npm run migrate`') : error;
    });
    isProven = true;
  };
}

async function proveRing(client: pg.ClientBase, processRing: ProcessRing): Promise<void> {
  const { box } = processRing;
  const hashKey = openHashKey(box.ring, (await keyCheckOf(client)) ?? (await firstKeyCheck(client, box.ring)));
  await refuseEarly(client, box.ring);
  box.adopt(hashKey);
  const lacked = lackedBy(box.ring, await tellOfRing(client, processRing));
  if (lacked.length > 0) throw lacking(lacked);
}

/** A box that opens and hashes as the processes of a database do, where nothing can be written; it seals nothing there. */
export async function openReadingBox(pool: pg.Pool, ring: KeyRing): Promise<SecretBox> {
  const box = createSecretBox(ring);
  const client = await pool.connect();
  try {
    await proveReading(client, box);
  } finally {
    client.release();
  }
  return box;
}

async function proveReading(client: pg.ClientBase, box: SecretBox): Promise<void> {
  const keyCheck = await keyCheckOf(client);
  if (keyCheck === null) throw new Error('no process has started on this database yet: start one first');
  box.adopt(openHashKey(box.ring, keyCheck));
}

function openHashKey(ring: KeyRing, { sealed, hashKey }: KeyCheck): Buffer {
  const opener = createSecretBox(ring);
  try {
    opener.open(sealed, places.keyCheck);
    return Buffer.from(opener.open(hashKey, places.hashKey), 'base64');
  } catch {
    throw wrongKey(ring);
  }
}

const lacking = (lacked: readonly string[]): WrongEncryptionKey =>
  new WrongEncryptionKey(
    `ENCRYPTION_KEYS lacks the ${namesOf(lacked)}, with which texts of this database are still sealed: ` +
      'put it back behind the first, run `admin key re-encrypt`, and take it away when `admin key ring` does not name it any more.',
  );

/** A key that others cannot open must not seal yet: it is the second of every ring before it becomes the first of one. */
async function refuseEarly(client: pg.ClientBase, { first }: KeyRing): Promise<void> {
  const [other] = await run(client, findLacking, { key: first.id });
  if (other === undefined) return;
  throw new Error(
    `the process ${other.process}, seen ${other.seconds} s ago, has no key ${first.id} in its ENCRYPTION_KEYS and could not read ` +
      'what is sealed with it: make it the second key of every process before it is the first of one',
  );
}

async function keyCheckOf(client: pg.ClientBase): Promise<KeyCheck | null> {
  const [row] = await run(client, readKeyCheck, {});
  return row ?? null;
}

/** The key check value of the process that wrote it first, which may be another one that starts at this moment. */
async function firstKeyCheck(client: pg.ClientBase, ring: KeyRing): Promise<KeyCheck> {
  const hashKey = randomBytes(ENCRYPTION_KEY_BYTES);
  const box = createSecretBox(ring, hashKey);
  await run(client, writeKeyCheck, {
    sealed: box.seal(PLAIN, places.keyCheck),
    hashKey: box.seal(hashKey.toString('base64'), places.hashKey),
  });
  const written = await keyCheckOf(client);
  if (written === null) throw new Error('the key check value was removed while it was written');
  return written;
}
