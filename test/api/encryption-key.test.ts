import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openPool } from '../../server/db/database.ts';
import { createKeyRing } from '../../server/kernel/key-ring.ts';
import { createKeyProof, newProcessRing, WrongEncryptionKey } from '../../server/sealing/key-check.ts';
import { tellStopped } from '../../server/sealing/key-watch.ts';
import { createSecretBox } from '../../server/sealing/secret-box.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { createDatabase } from '../support/database.ts';
import { newProduct } from '../support/factories.ts';

const ROUNDS = 5;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

/** Starts as a process with this key does, on a connection of its own. */
async function startWith(key: Uint8Array, databaseUrl = api.databaseUrl): Promise<void> {
  const processRing = newProcessRing(createSecretBox(createKeyRing([key])), 'test');
  const pool = openPool(databaseUrl, { size: 1, onConnect: createKeyProof(processRing) });
  try {
    (await pool.connect()).release();
    await tellStopped(pool, processRing);
  } finally {
    await pool.end();
  }
}

async function onDatabase(sql: string, databaseUrl = api.databaseUrl): Promise<number | null> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(sql)).rowCount;
  } finally {
    await client.end();
  }
}

async function emptyDatabase(): Promise<string> {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  return url;
}

const keyChecks = (databaseUrl?: string) => onDatabase('SELECT 1 FROM encryption_key_check', databaseUrl);

test('regression-41-a start with another key than the database was sealed with is refused', async () => {
  await newProduct(await api.newMerchant());
  await expect(startWith(randomBytes(32))).rejects.toThrow(WrongEncryptionKey);
  await startWith(api.encryptionKey);
  expect(await keyChecks()).toBe(1);
});

test('of two first starts at once with two keys one is refused, and its key from then on', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const url = await emptyDatabase();
    const keys = [randomBytes(32), randomBytes(32)];
    const starts = await Promise.allSettled(keys.map((key) => startWith(key, url)));
    expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const again = await Promise.allSettled(keys.map((key) => startWith(key, url)));
    expect(again.map(({ status }) => status)).toEqual(starts.map(({ status }) => status));
    expect(await keyChecks(url)).toBe(1);
  }
});

test('two first starts at once with one key both pass', async () => {
  const url = await emptyDatabase();
  const key = randomBytes(32);
  await Promise.all([startWith(key, url), startWith(key, url)]);
  expect(await keyChecks(url)).toBe(1);
});

test('a database without the tables of this version is told to be migrated', async () => {
  const url = await emptyDatabase();
  await onDatabase('DROP TABLE encryption_key_check', url);
  await expect(startWith(randomBytes(32), url)).rejects.toThrow('run `npm run migrate`');
});
