import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openPool } from '../../server/db/database.ts';
import { createKeyRing } from '../../server/kernel/key-ring.ts';
import { createKeyProof, newProcessRing, WrongEncryptionKey } from '../../server/sealing/key-check.ts';
import { tellStopped } from '../../server/sealing/key-watch.ts';
import { countKeys } from '../../server/sealing/re-encrypt.ts';
import { places } from '../../server/sealing/sealed-columns.ts';
import { createSecretBox } from '../../server/sealing/secret-box.ts';
import { runAdmin } from '../support/admin.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { createDatabase } from '../support/database.ts';
import { newSecretBox, textOf } from '../support/secret-box.ts';

/** Commands are processes of their own. */
const COMMANDS_MS = 120_000;
vi.setConfig({ testTimeout: COMMANDS_MS });

const idOf = (key: Uint8Array): string => createKeyRing([key]).first.id;

/** A start with a ring, as a process does it; others count it as running until it is stopped. */
async function startWith(databaseUrl: string, keys: readonly Uint8Array[]) {
  const processRing = newProcessRing(createSecretBox(createKeyRing(keys)), 'test');
  const pool = openPool(databaseUrl, { size: 1, onConnect: createKeyProof(processRing) });
  onTestFinished(() => (pool.ended ? undefined : pool.end()));
  (await pool.connect()).release();
  return {
    box: processRing.box,
    async stop() {
      await tellStopped(pool, processRing);
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
  for (const { keys } of await countKeys({ pool: api.operator.pool, box: api.composition.deps.secretBox }))
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
      places.keyCheck,
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
});

test('links, Idempotency-Keys and words of customers stay through a change of the key', async () => {
  const api = await startApi();
  onTestFinished(() => api.stop());
  const { shop, customer, repeat } = await withSecrets(api);
  const link = api.composition.deps.links.payment({ id: 'in_1', liveMode: false });
  expect(await reEncrypt(api, [api.encryptionKey, randomBytes(32)])).toMatchObject({ code: 0 });
  expect(await keysFound(api)).toEqual({ [idOf(api.encryptionKey)]: 6 });
  expect(await shop.fatura.customers.create(repeat, { idempotencyKey: 'uma cliente' })).toEqual(customer);
  expect(api.composition.deps.links.payment({ id: 'in_1', liveMode: false })).toBe(link);
  expect((await shop.fatura.customers.list({ query: 'mari' }).page()).data).toEqual([customer]);
  const another = await startWith(api.databaseUrl, [api.encryptionKey, randomBytes(32)]);
  expect(another.box.fingerprint(['a'])).toEqual(api.composition.deps.secretBox.fingerprint(['a']));
});

describe('the data of customers', () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await startApi();
    onTestFinished(() => api.stop());
  });
  const maria = {
    name: 'Maria Quitéria',
    identifier: '529.982.247-25',
    email: 'maria@example.com',
    phone: '11987654321',
  };
  const address = { zip_code: '01310100', street: 'Avenida Paulista', number: '1000' };

  test('lie sealed in their table', async () => {
    const { fatura } = await api.newMerchant();
    const { id } = await fatura.customers.create({ ...maria, address });
    const { rows } = await api.composition.deps.pool.query(
      'SELECT to_json(u)::text AS row FROM customer u WHERE id = $1',
      [id],
    );
    for (const text of ['Maria', '52998224725', 'maria@', '987654321', 'Paulista'])
      expect(rows[0].row).not.toContain(text);
  });

  test('do not open in another row, and the fault names nobody', async () => {
    const { fatura } = await api.newMerchant();
    const { pool } = api.composition.deps;
    const { id } = await fatura.customers.create(maria);
    const other = await fatura.customers.create({ ...maria, name: 'Outra' });
    const { rows } = await pool.query('SELECT personal FROM customer WHERE id = $1', [other.id]);
    const swapped = 'UPDATE customer SET personal = (SELECT personal FROM customer WHERE id = $2) WHERE id = $1';
    await pool.query(swapped, [other.id, id]);
    await expect(fatura.customers.retrieve(other.id)).rejects.toMatchObject({ status: 500 });
    expect(api.logged()).toContain(`no key of the ring opens the customer of ${other.id}`);
    expect(api.logged()).not.toContain('Quitéria');
    await pool.query('UPDATE customer SET personal = $2 WHERE id = $1', [other.id, rows[0].personal]);
  });

  test('are found by e-mail, by CPF and by name in their own account and mode alone', async () => {
    const [one, two] = [await api.newMerchant(), await api.newMerchant()];
    const mine = await one.fatura.customers.create(maria);
    const shops = [one.fatura, one.live, two.fatura];
    for (const shop of shops) {
      const expected = shop === one.fatura ? [mine.id] : [];
      for (const query of [{ email: 'MARIA@example.com' }, { identifier: '529.982.247-25' }, { query: 'quiteria' }])
        expect((await shop.customers.list(query).page()).data.map(({ id }) => id)).toEqual(expected);
    }
    const { rows } = await api.composition.deps.pool.query('SELECT email_index FROM customer');
    const theirs = await two.fatura.customers.create(maria);
    const hashes = await api.composition.deps.pool.query('SELECT DISTINCT email_index FROM customer');
    expect([rows.length, hashes.rows.length]).toEqual([1, 2]);
    for (const sought of ['Maria@Example.com', '529.982.247-25']) {
      const { lines } = await admin(api, [api.encryptionKey], ['find', sought]);
      expect(lines.map(({ id }) => id).toSorted()).toEqual([mine.id, theirs.id].toSorted());
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
