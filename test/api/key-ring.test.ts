import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openPool } from '../../server/db/database.ts';
import { createKeyProof, newWitness, WrongEncryptionKey } from '../../server/db/encryption-canary.ts';
import { tellStopped } from '../../server/db/key-watch.ts';
import { countKeys } from '../../server/db/re-encrypt.ts';
import { places } from '../../server/db/sealed-columns.ts';
import { createSecretBox } from '../../server/db/secret-box.ts';
import { createKeyRing } from '../../server/kernel/key-ring.ts';
import { runAdmin } from '../support/admin.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { createDatabase } from '../support/database.ts';
import { newSecretBox } from '../support/secret-box.ts';

const idOf = (key: Uint8Array): string => createKeyRing([key]).first.id;
const textOf = (keys: readonly Uint8Array[]): string =>
  keys.map((key) => Buffer.from(key).toString('base64')).join(',');

/** A start with a ring, as a process does it; others count it as running until it is stopped. */
async function startWith(databaseUrl: string, keys: readonly Uint8Array[]) {
  const witness = newWitness(createSecretBox(createKeyRing(keys)), 'test');
  const pool = openPool(databaseUrl, { size: 1, onConnect: createKeyProof(witness) });
  onTestFinished(() => (pool.ended ? undefined : pool.end()));
  (await pool.connect()).release();
  return {
    box: witness.box,
    async stop() {
      await tellStopped(pool, witness);
      await pool.end();
    },
  };
}

/** What a command printed, a line an object. */
async function admin(api: { databaseUrl: string }, keys: readonly Uint8Array[], args: readonly string[]) {
  const settings = { ENCRYPTION_KEY: '', ENCRYPTION_KEYS: textOf(keys) };
  const { code, out, err } = await runAdmin({ ...api, encryptionKey: Buffer.alloc(0) }, args, settings);
  const lines = out.trim() === '' ? [] : out.trim().split('\n');
  return { code, err, lines: lines.map((line): Record<string, unknown> => JSON.parse(line)) };
}

const reEncrypt = (api: { databaseUrl: string }, keys: readonly Uint8Array[], ...options: string[]) =>
  admin(api, keys, ['key', 're-encrypt', ...options]);

/** An account with a sealed secret and sealed answers. */
async function withSecrets(api: TestApi) {
  const shop = await api.newMerchant();
  const endpoint = { url: 'https://loja.test/eventos', event_types: ['*' as const] };
  await shop.fatura.webhookEndpoints.create(endpoint, { idempotencyKey: 'uma loja' });
  const customer = { name: 'Maria', identifier: '529.982.247-25', email: 'maria@example.com' };
  return {
    shop,
    customer: await shop.fatura.customers.create(customer, { idempotencyKey: 'uma cliente' }),
    repeat: customer,
  };
}

const keysFound = async (api: TestApi): Promise<Record<string, number>> => {
  const found: Record<string, number> = {};
  for (const { keys } of await countKeys({ pool: api.composition.deps.pool, box: api.composition.deps.secretBox }))
    for (const [key, rows] of Object.entries(keys)) found[key] = (found[key] ?? 0) + rows;
  return found;
};

describe('a sealed text', () => {
  const box = newSecretBox();
  const place = places.webhookSecret('acct_1', 'we_1');

  test('opens in its place, and in no other row, account or use', () => {
    const sealed = box.seal('whsec_a', place);
    expect(box.open(sealed, place)).toBe('whsec_a');
    for (const moved of [
      places.webhookSecret('acct_1', 'we_2'),
      places.webhookSecret('acct_2', 'we_1'),
      places.acquirer('acct_1', 'pix'),
      places.canary,
    ])
      expect(() => box.open(sealed, moved)).toThrow('no key of the ring opens');
  });

  test('does not open when one bit of it is another, or its end is cut off', () => {
    const sealed = box.seal('whsec_a', place);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => box.open(changed, place), `byte ${at}`).toThrow('no key of the ring opens');
      expect(() => box.open(sealed.subarray(0, at), place), `${at} bytes`).toThrow('no key of the ring opens');
    }
  });

  test('opens with each key of the ring, and is sealed with the first', () => {
    const [former, next] = [randomBytes(32), randomBytes(32)];
    const before = newSecretBox([former]).seal('whsec_a', place);
    expect(newSecretBox([next, former]).open(before, place)).toBe('whsec_a');
    expect(() => newSecretBox([next]).open(before, place)).toThrow(idOf(former));
    expect(newSecretBox([former]).open(newSecretBox([former, next]).seal('whsec_b', place), place)).toBe('whsec_b');
  });

  test('of the versions without key ids opens with each key of the ring', () => {
    const former = randomBytes(32);
    const sealed = newSecretBox([former], { isSealing: false }).seal('whsec_a', place);
    expect(newSecretBox([randomBytes(32), former]).open(sealed, place)).toBe('whsec_a');
  });
});

describe('a database of the version without key ids', () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await startApi({ isFormer: true });
    onTestFinished(() => api.stop());
  });

  test('is sealed as before until an operator begins otherwise', async () => {
    await withSecrets(api);
    expect(Object.keys(await keysFound(api)).sort()).toEqual([idOf(api.encryptionKey), 'former'].sort());
    const refused = await reEncrypt(api, [api.encryptionKey]);
    expect(refused).toMatchObject({ code: 1, lines: [] });
    expect(refused.err).toContain('run the command with --begin');
  });

  test('keeps links and Idempotency-Keys through the beginning and through a change of its key', async () => {
    const { shop, customer, repeat } = await withSecrets(api);
    const link = api.composition.deps.links.payment('in_1');
    const next = randomBytes(32);
    for (const keys of [[api.encryptionKey], [api.encryptionKey, next]]) {
      expect(await reEncrypt(api, keys, '--begin')).toMatchObject({ code: 0 });
      expect(await keysFound(api)).toEqual({ [idOf(api.encryptionKey)]: 5 });
      expect(await shop.fatura.customers.create(repeat, { idempotencyKey: 'uma cliente' })).toEqual(customer);
      expect(api.composition.deps.links.payment('in_1')).toBe(link);
      const another = await startWith(api.databaseUrl, keys);
      expect(another.box.fingerprint(['a'])).toEqual(api.composition.deps.secretBox.fingerprint(['a']));
    }
  });
});

describe('a start', () => {
  const [former, next] = [randomBytes(32), randomBytes(32)];
  let databaseUrl: string;
  beforeEach(async () => {
    const own = await createDatabase();
    onTestFinished(own.drop);
    databaseUrl = own.url;
  });

  test('waits with a first key that a running process could not open with', async () => {
    const running = await startWith(databaseUrl, [former]);
    await expect(startWith(databaseUrl, [next, former])).rejects.toThrow(
      `has no key ${idOf(next)} in its ENCRYPTION_KEYS`,
    );
    await (await startWith(databaseUrl, [former, next])).stop();
    await running.stop();
    await (await startWith(databaseUrl, [next, former])).stop();
  });

  test('without a key that something may be sealed with is refused and names it', async () => {
    await (await startWith(databaseUrl, [former])).stop();
    await expect(startWith(databaseUrl, [next])).rejects.toThrow(WrongEncryptionKey);
    expect(await reEncrypt({ databaseUrl }, [next, former])).toMatchObject({ code: 1 });
    await expect(startWith(databaseUrl, [next])).rejects.toThrow(
      `ENCRYPTION_KEYS lacks the key ${idOf(former)}, with which texts of this database are still sealed`,
    );
  });
});
