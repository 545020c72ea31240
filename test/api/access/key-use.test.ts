import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findKey } from '../../../server/accounts/api-keys.ts';
import { setKey } from '../../../server/accounts/key-changes.ts';
import { createKeyUses } from '../../../server/accounts/key-use.ts';
import { setLimits } from '../../../server/accounts/service.ts';
import { realTime } from '../../../server/kernel/time.ts';
import type { TestApi } from '../../support/api.ts';
import { asApi } from '../../support/roles.ts';
import { startServer } from '../../support/server-process.ts';
import { refusalOf } from '../requests.ts';
import { FELT_MS, type KeyScene, openKeyScene } from './key-scene.ts';

let scene: KeyScene;
let api: TestApi;

beforeAll(async () => {
  scene = await openKeyScene();
  ({ api } = scene);
});
afterAll(() => scene.stop());

const newKey: KeyScene['newKey'] = (...args) => scene.newKey(...args);
const get: KeyScene['get'] = (...args) => scene.get(...args);
const statusOf: KeyScene['statusOf'] = (...args) => scene.statusOf(...args);
const refusals: KeyScene['refusals'] = (...args) => scene.refusals(...args);

const from = (address: string) => ({ 'X-Forwarded-For': address });

describe('a key with networks', () => {
  const office = { networks: ['203.0.113.0/24', '2001:db8::/32'] };

  test.each([
    ['203.0.113.9', 200],
    ['::ffff:203.0.113.9', 200],
    ['2001:db8::9', 200],
    ['198.51.100.1', 403],
    ['2001:db9::9', 403],
    ['unknown', 403],
  ])('is let in from %s with %i', async (address, status) => {
    const { key } = await newKey(await api.newMerchant(), office);
    expect((await get(key, scene.another, from(address))).status).toBe(status);
  });

  test('is refused elsewhere with where it came from; what a client says itself is not believed', async () => {
    const shop = await api.newMerchant();
    const { id, key } = await newKey(shop, office);
    const before = await refusals('wrong_network');
    expect(refusalOf(await get(key, api, from('203.0.113.9')))).toMatchObject({
      status: 403,
      type: 'permission_error',
      code: 'PERMISSION_DENIED',
      message: 'This API key may not be used from 127.0.0.1',
    });
    expect(await refusals('wrong_network')).toBe(before + 1);
    await setKey(scene.database, { keyId: id, networks: [] });
    await sleep(FELT_MS);
    expect(await statusOf(key)).toBe(200);
  });

  test('is counted by address where it is refused: a thief uses up none of what the merchant may ask', async () => {
    const shop = await api.newMerchant();
    await setLimits(scene.database, shop.accountId, { minute: 3 });
    const { key } = await newKey(shop, office);
    const tried = [];
    for (let tries = 0; tries < 22; tries += 1)
      tried.push((await get(key, scene.another, from('198.51.100.77'))).status);
    expect(tried).toEqual([...Array(20).fill(403), 429, 429]);
    expect((await get(key, scene.another, from('203.0.113.9'))).status).toBe(200);
  });
});

describe('the last use of a key', () => {
  test('is written in batches, the latest of each key', async () => {
    const shop = await api.newMerchant();
    const [used, unused] = [await newKey(shop), await newKey(shop)];
    const uses = createKeyUses(api.composition.deps.pool);
    uses.saw(used.id);
    uses.saw(used.id);
    expect((await findKey(scene.pool, used.id)).lastUsedAt).toBeNull();
    await asApi(() => uses.write());
    const { lastUsedAt } = await findKey(scene.pool, used.id);
    expect(Math.abs((lastUsedAt ?? 0) - realTime())).toBeLessThan(60);
    expect((await findKey(scene.pool, unused.id)).lastUsedAt).toBeNull();
    await asApi(() => uses.write());
    expect((await findKey(scene.pool, used.id)).lastUsedAt).toBe(lastUsedAt);
  });

  test('is not put back by a process whose clock is behind', async () => {
    const { id } = await newKey(await api.newMerchant());
    await api.composition.deps.pool.query(`INSERT INTO api_key_use VALUES ($1, now() + interval '1 hour')`, [id]);
    const { lastUsedAt } = await findKey(scene.pool, id);
    const uses = createKeyUses(api.composition.deps.pool);
    uses.saw(id);
    await asApi(() => uses.write());
    expect((await findKey(scene.pool, id)).lastUsedAt).toBe(lastUsedAt);
  });

  test('that could not be written is written with the next', async () => {
    const shop = await api.newMerchant();
    const { id } = await newKey(shop);
    const uses = createKeyUses(api.composition.deps.pool);
    uses.saw('key_of_nothing');
    await expect(asApi(() => uses.write())).rejects.toThrow('api_key_use_key_id_fkey');
    await expect(asApi(() => uses.write())).rejects.toThrow('api_key_use_key_id_fkey');
    expect((await findKey(scene.pool, id)).lastUsedAt).toBeNull();
  });

  test('is written when a process stops', async () => {
    const { id, key } = await newKey(await api.newMerchant());
    const server = await startServer(api);
    expect((await get(key, server)).status).toBe(200);
    expect((await server.stop()).code).toBe(0);
    expect((await findKey(scene.pool, id)).lastUsedAt).not.toBeNull();
  });
});
